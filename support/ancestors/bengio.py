"""The neural n-gram: a fixed window of words, each as a vector, side by side into one hidden layer."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.core import InputError


class NeuralNGram(nn.Module):
    """Predicts a token from the ``window`` tokens before it: the first neural language model.

    The rows of the last ``window`` tokens are joined into one vector of ``window × d_model`` numbers, which a
    hidden layer of ``d_hidden`` tanh units turns into logits. Each place of the window has weights of its own
    in that layer. Places before the beginning of a text hold the row of ``pad_id``.

    Args:
        vocab_size: how many ids there are.
        window: how many tokens are seen; an n-gram of order n sees n − 1.
        d_model: numbers in a token's row.
        d_hidden: hidden units; 0 leaves the hidden layer out, and then ``direct`` is needed.
        direct: connect the joined rows with the logits directly, too.
        pad_id: the id that stands before the beginning.

    Raises:
        InputError: a size below 1, or no path from the input to the logits.

    Follows Bengio, Ducharme, Vincent and Jauvin 2003, *A Neural Probabilistic Language Model*, equation 1.

    >>> model = NeuralNGram(vocab_size=28, window=3, d_model=8, d_hidden=16)
    >>> model(torch.zeros(2, 5, dtype=torch.long)).shape
    torch.Size([2, 5, 28])
    """

    def __init__(
        self,
        vocab_size: int,
        window: int,
        d_model: int,
        d_hidden: int,
        direct: bool = False,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        if min(vocab_size, window, d_model) < 1 or d_hidden < 0:
            raise InputError("NeuralNGram needs a vocabulary, a window and a d_model of at least 1.")
        if not d_hidden and not direct:
            raise InputError("Nothing leads from the words to the logits; give d_hidden or direct=True.")
        self.window, self.pad_id = window, pad_id
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.hidden = nn.Linear(window * d_model, d_hidden) if d_hidden else None
        self.output = nn.Linear(d_hidden, vocab_size) if d_hidden else None
        # Without a hidden layer the direct connections carry the logits' bias.
        self.direct = nn.Linear(window * d_model, vocab_size, bias=not d_hidden) if direct else None

    def forward(
        self,
        ids: Int[Tensor, "batch position"],
    ) -> Float[Tensor, "batch position vocab"]:
        """Logits of the token after each position, from the window that ends there."""
        # [batch, position, window × d_model]
        x = self.embedding(self.windows(ids)).flatten(2)
        parts = []
        if self.hidden is not None and self.output is not None:
            parts.append(self.output(torch.tanh(self.hidden(x))))
        if self.direct is not None:
            parts.append(self.direct(x))
        return torch.stack(parts).sum(dim=0) if len(parts) > 1 else parts[0]

    def windows(
        self,
        ids: Int[Tensor, "batch position"],
    ) -> Int[Tensor, "batch position window"]:
        """The ids that each position sees, its own last.

        >>> NeuralNGram(9, window=3, d_model=2, d_hidden=2).windows(torch.tensor([[1, 5, 6]])).tolist()
        [[[0, 0, 1], [0, 1, 5], [1, 5, 6]]]
        """
        before = ids.new_full((len(ids), self.window - 1), self.pad_id)
        return torch.cat([before, ids], dim=1).unfold(1, self.window, 1)

    def n_parameters(self) -> int:
        """How many trained numbers the model holds: ``V(1 + h) + Vm + h(1 + wm)``, plus ``Vwm`` if direct.

        >>> NeuralNGram(vocab_size=17_964, window=5, d_model=60, d_hidden=100).n_parameters()
        2922304
        """
        return sum(p.numel() for p in self.parameters())
