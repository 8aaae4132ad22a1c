"""Sequence to sequence: one recurrent network reads, another writes, with or without attention."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from support.ancestors.recurrent import GRU
from support.core import InputError
from support.model import Seq2SeqInputs


class AdditiveAttention(nn.Module):
    """Attends to a sequence of states: score = v · tanh(q W_q + s W_s), softmax, weighted mean of the s.

    Follows Bahdanau, Cho and Bengio 2014, *Neural Machine Translation by Jointly Learning to Align and
    Translate*.

    >>> attention = AdditiveAttention(4)
    >>> context, weights = attention(torch.zeros(2, 4), torch.zeros(2, 3, 4))
    >>> context.shape, weights.shape, round(weights[0].sum().item(), 4)
    (torch.Size([2, 4]), torch.Size([2, 3]), 1.0)
    """

    def __init__(self, d_hidden: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_hidden, d_hidden, bias=False)
        self.key = nn.Linear(d_hidden, d_hidden, bias=False)
        self.score = nn.Linear(d_hidden, 1, bias=False)

    def forward(
        self,
        query: Float[Tensor, "batch d_hidden"],
        states: Float[Tensor, "batch source d_hidden"],
        present: Bool[Tensor, "batch source"] | None = None,
    ) -> tuple[Float[Tensor, "batch d_hidden"], Float[Tensor, "batch source"]]:
        """The context vector, and the attention weights.

        Args:
            query: the decoder's state.
            states: of the encoder, one for each token of the source; they are keys and values alike.
            present: False where the source is only padding.
        """
        hidden = torch.tanh(self.query(query)[:, None] + self.key(states))
        scores = self.score(hidden).squeeze(2)
        if present is not None:
            scores = scores.masked_fill(~present, float("-inf"))
        weights = scores.softmax(1)
        return (weights[:, None] @ states).squeeze(1), weights


class Seq2Seq(nn.Module):
    """``model(Seq2SeqInputs(source, ids))``: logits of the token after each of ``ids``, given the source.

    A GRU, the encoder, reads the source; its last state is all that a second one, the decoder, starts from.
    With ``attention``, the decoder also attends to every state of the encoder before each step.

    Args:
        vocab_size: of the ids, of both texts.
        d_model: numbers in a token's row.
        d_hidden: numbers in a state.
        attention: attend to the encoder's states, or not.
        pad_id: the id of padding in a source.

    Follows Cho et al. 2014 and Sutskever, Vinyals and Le 2014; with attention Bahdanau et al. 2014 (whose
    encoder went in both directions; ours goes in one).

    >>> model = Seq2Seq(vocab_size=9, d_model=4, d_hidden=6, attention=True)
    >>> model(Seq2SeqInputs(torch.tensor([[5, 6, 7, 8]]), torch.tensor([[1, 4]]))).shape
    torch.Size([1, 2, 9])
    """

    def __init__(
        self, vocab_size: int, d_model: int, d_hidden: int, attention: bool = False, pad_id: int = 0
    ) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.encoder = GRU(d_model, d_hidden)
        self.attention = AdditiveAttention(d_hidden) if attention else None
        seen = d_hidden if attention else 0  # the context vector goes into the state and into the logits
        self.decoder = GRU(d_model + seen, d_hidden)
        self.output = nn.Linear(d_hidden + seen, vocab_size)

    def forward(self, inputs: Seq2SeqInputs) -> Float[Tensor, "batch position vocab"]:
        """Logits of the token after each of ``inputs.ids``."""
        return self.write(inputs)[0]

    def read(
        self, source: Int[Tensor, "batch source"]
    ) -> tuple[Float[Tensor, "batch source d_hidden"], Bool[Tensor, "batch source"]]:
        """The encoder's state after each token of the source (padding leaves it alone), and what is text."""
        present, states = source != self.pad_id, []
        (h,) = self.encoder.start(len(source))
        for x, real in zip(
            self.encoder.input(self.embedding(source)).unbind(1), present.unbind(1), strict=True
        ):
            h = torch.where(real[:, None], self.encoder.step(x, (h,))[0], h)
            states.append(h)
        return torch.stack(states, 1), present

    def write(
        self, inputs: Seq2SeqInputs
    ) -> tuple[Float[Tensor, "batch position vocab"], Float[Tensor, "batch position source"] | None]:
        """Logits, and what the decoder attended to before each step (None without attention)."""
        source, ids = inputs
        if len(source) != len(ids):
            raise InputError(f"{len(source)} sources do not go with {len(ids)} texts; give one for each.")
        states, present = self.read(source)
        h, made, kept = states[:, -1], [], []
        for x in self.embedding(ids).unbind(1):
            context = []
            if self.attention is not None:
                seen, weights = self.attention(h, states, present)
                context = [seen]
                kept.append(weights)
            (h,) = self.decoder.step(self.decoder.input(torch.cat([x, *context], 1)), (h,))
            made.append(self.output(torch.cat([h, *context], 1)))
        return torch.stack(made, 1), torch.stack(kept, 1) if kept else None

    def n_parameters(self) -> int:
        """How many trained numbers the model holds."""
        return sum(p.numel() for p in self.parameters())
