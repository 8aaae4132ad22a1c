"""What stands on the arrows: names of sizes, or a configuration's numbers."""

from support.model import GPTConfig


class Sizes:
    """The shapes of a model's tensors: with a configuration as numbers, without one as names.

    >>> Sizes()("T", "d_model"), Sizes(GPTConfig(vocab_size=28, d_model=64), T=6)("T", "d_model")
    ('[T, d_model]', '[6, 64]')
    """

    def __init__(self, config: GPTConfig | None = None, **more: int) -> None:
        self.known: dict[str, int] = dict(more)
        if config is not None:
            self.known = {
                "V": config.vocab_size,
                "L": config.n_layers,
                "d_model": config.d_model,
                "d_head": config.d_head,
                "d_ff": config.d_ff,
                "n_heads": config.n_heads,
                "n_kv_heads": config.n_kv_heads,
                "n_heads · d_head": config.n_heads * config.d_head,
                **more,
            }

    def __call__(self, *names: str) -> str:
        """The shape with these axes, in brackets."""
        return f"[{', '.join(map(self.one, names))}]"

    def one(self, name: str) -> str:
        """One size."""
        return str(self.known.get(name, name))
