"""Recurrent networks: a state that is carried from token to token, and four ways to rewrite it.

A *cell* says how one token changes the state. `input` makes what the cell needs of the token (for all
positions at once, since it does not depend on the state); `step` does the rest, one position after the other.
The state is a tuple whose first entry is the hidden state, which is also the output.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.core import InputError

State = tuple[Float[Tensor, "batch d_hidden"], ...]


class Cell(nn.Module):
    """What recurrent cells share: a matrix for the token and one for the hidden state.

    A cell is called with the tokens' vectors. The state is a tuple whose first entry is the hidden state.

    Args:
        d_in: numbers of a token's vector.
        d_hidden: numbers of the hidden state.
        forget_bias: the bias with which the gate that keeps the old state starts: the larger, the longer it
            is kept. For an LSTM the forget gate's; a GRU and a minGRU have one gate for forgetting and
            writing. About ln T if something is to be kept for T steps (Tallec and Ollivier 2018).

    Raises:
        InputError: a size below 1, or ``forget_bias`` for the plain RNN, which has no gate.
    """

    blocks, states = 1, 1  # vectors of d_hidden numbers made in a step; vectors carried to the next
    keeps: tuple[int, int] | None = None  # which block is the gate that keeps the old state, and its sign

    def __init__(self, d_in: int, d_hidden: int, forget_bias: float | int | None = None) -> None:
        super().__init__()
        if min(d_in, d_hidden) < 1:
            raise InputError(f"A cell from {d_in} to {d_hidden} numbers does not exist; give at least 1.")
        self.d_hidden = d_hidden
        self.input = nn.Linear(d_in, self.blocks * d_hidden)
        self.recurrent = nn.Linear(d_hidden, self.blocks * d_hidden)
        if forget_bias is not None:
            self._keep(float(forget_bias))

    @torch.no_grad()
    def _keep(self, bias: float) -> None:
        if self.keeps is None:
            raise InputError(f"{type(self).__name__} has no gate that forgets; leave forget_bias out.")
        block, sign = self.keeps
        gate = slice(block * self.d_hidden, (block + 1) * self.d_hidden)
        self.input.bias[gate] = sign * bias  # the gate adds both biases
        self.recurrent.bias[gate] = 0

    def start(self, batch: int) -> State:
        """The state before the first token: zeros."""
        return tuple(self.input.weight.new_zeros(batch, self.d_hidden) for _ in range(self.states))

    def step(self, x: Float[Tensor, "batch blocks_d_hidden"], state: State) -> State:
        """The state after a token, given what the cell's ``input`` layer made of the token's vector."""
        raise NotImplementedError

    def forward(
        self, x: Float[Tensor, "batch position d_in"], state: State | None = None
    ) -> tuple[Float[Tensor, "batch position d_hidden"], State]:
        """The hidden state after each position, and the whole state after the last."""
        state, hidden = state or self.start(len(x)), []
        # No parallel machine can shorten this: each state needs the one before it.
        for x_t in self.input(x).unbind(1):
            state = self.step(x_t, state)
            hidden.append(state[0])
        return torch.stack(hidden, 1), state


class RNN(Cell):
    """The plain recurrent network: h' = tanh(x W_x + h W_h + b). W_h starts orthogonal.

    The arguments are those of `Cell`.

    Follows Elman 1990, *Finding Structure in Time*.

    >>> RNN(d_in=3, d_hidden=5)(torch.zeros(2, 4, 3))[0].shape
    torch.Size([2, 4, 5])
    """

    def __init__(self, d_in: int, d_hidden: int, forget_bias: float | int | None = None) -> None:
        super().__init__(d_in, d_hidden, forget_bias)
        nn.init.orthogonal_(self.recurrent.weight)

    def step(self, x: Float[Tensor, "batch d_hidden"], state: State) -> State:
        (h,) = state
        return (torch.tanh(x + self.recurrent(h)),)


class LSTM(Cell):
    """Long short-term memory: a cell state c that is added to, and three gates that guard it.

    The arguments are those of `Cell`; the state is (h, c).

    Follows Hochreiter and Schmidhuber 1997, with the forget gate of Gers, Schmidhuber and Cummins 2000.

    >>> hidden, (h, c) = LSTM(d_in=3, d_hidden=5, forget_bias=3.0)(torch.zeros(2, 4, 3))
    >>> bool((hidden[:, -1] == h).all()), c.shape
    (True, torch.Size([2, 5]))
    """

    blocks, states, keeps = 4, 2, (1, 1)

    def step(self, x: Float[Tensor, "batch four_d_hidden"], state: State) -> State:
        h, c = state
        write, forget, new, read = (x + self.recurrent(h)).chunk(4, dim=1)
        c = torch.sigmoid(forget) * c + torch.sigmoid(write) * torch.tanh(new)
        return torch.sigmoid(read) * torch.tanh(c), c


class GRU(Cell):
    """The gated recurrent unit: one state, an update gate z that mixes old and new, a reset gate r.

    As in torch, the reset gate acts after the matrix: r ⊙ (h W + b), not (r ⊙ h) W + b. The arguments are
    those of `Cell`.

    Follows Cho et al. 2014, *Learning Phrase Representations using RNN Encoder–Decoder*.

    >>> GRU(d_in=3, d_hidden=5)(torch.zeros(2, 4, 3))[0].shape
    torch.Size([2, 4, 5])
    """

    blocks, keeps = 3, (1, 1)

    def step(self, x: Float[Tensor, "batch three_d_hidden"], state: State) -> State:
        (h,) = state
        x_r, x_z, x_n = x.chunk(3, dim=1)
        h_r, h_z, h_n = self.recurrent(h).chunk(3, dim=1)
        r, z = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
        return ((1 - z) * torch.tanh(x_n + r * h_n) + z * h,)


class MinGRU(Cell):
    """A GRU whose gate and proposal do not read the state: h' = (1 − z) ⊙ h + z ⊙ n.

    The recurrence is then linear in h, so all positions can be computed together, in log₂(positions) rounds
    (`scan`). `forward` does that; `Cell.forward` is the loop with the same result. The arguments are those of
    `Cell`.

    Follows Feng et al. 2024, *Were RNNs All We Needed?*

    >>> cell, x = MinGRU(3, 5).double(), torch.randn(2, 9, 3).double()
    >>> bool(torch.allclose(cell(x)[0], Cell.forward(cell, x)[0]))
    True
    """

    blocks, keeps = 2, (0, -1)

    def __init__(self, d_in: int, d_hidden: int, forget_bias: float | int | None = None) -> None:
        super().__init__(d_in, d_hidden, forget_bias)
        del self.recurrent

    def step(self, x: Float[Tensor, "batch two_d_hidden"], state: State) -> State:
        z, n = torch.sigmoid(x[:, : self.d_hidden]), x[:, self.d_hidden :]
        return ((1 - z) * state[0] + z * n,)

    def forward(
        self, x: Float[Tensor, "batch position d_in"], state: State | None = None
    ) -> tuple[Float[Tensor, "batch position d_hidden"], State]:
        """As `Cell.forward`, without its loop over the positions."""
        z, n = self.input(x).chunk(2, dim=2)
        z = torch.sigmoid(z)
        (h,) = state or self.start(len(x))
        hidden = scan(torch.cat([torch.ones_like(h)[:, None], 1 - z], 1), torch.cat([h[:, None], z * n], 1))
        return hidden[:, 1:], (hidden[:, -1],)


def scan(
    keep: Float[Tensor, "batch position d"], add: Float[Tensor, "batch position d"]
) -> Float[Tensor, "batch position d"]:
    """All states of h' = keep ⊙ h + add, from h = 0, in log₂(positions) rounds instead of one a position.

    Two steps are one step: keep and add of the later one after the earlier one. Each round joins every
    position with the one 1, 2, 4, … places before it.

    Args:
        keep: what the state before is multiplied by at each position.
        add: what is added to it there.

    Follows Hillis and Steele 1986, *Data Parallel Algorithms*.

    >>> scan(torch.full((1, 4, 1), 0.5), torch.ones(1, 4, 1)).flatten().tolist()
    [1.0, 1.5, 1.75, 1.875]
    """
    distance = 1
    while distance < keep.shape[1]:
        later, earlier = keep[:, distance:], add[:, :-distance]
        add = torch.cat([add[:, :distance], add[:, distance:] + later * earlier], 1)
        keep = torch.cat([keep[:, :distance], later * keep[:, :-distance]], 1)
        distance *= 2
    return add


def as_torch(cell: RNN | LSTM | GRU) -> nn.RNNBase:
    """Torch's own network with this cell's parameters, shared and not copied: the same numbers, faster.

    >>> cell, x = GRU(3, 5).double(), torch.randn(2, 9, 3).double()
    >>> bool(torch.allclose(as_torch(cell)(x)[0], cell(x)[0]))
    True
    """
    kind = {RNN: nn.RNN, LSTM: nn.LSTM, GRU: nn.GRU}[type(cell)]
    theirs = kind(cell.input.in_features, cell.d_hidden, batch_first=True, device="meta")
    theirs.weight_ih_l0, theirs.bias_ih_l0 = cell.input.weight, cell.input.bias
    theirs.weight_hh_l0, theirs.bias_hh_l0 = cell.recurrent.weight, cell.recurrent.bias
    return theirs


CELLS: dict[str, type[Cell]] = {"rnn": RNN, "lstm": LSTM, "gru": GRU, "mingru": MinGRU}


class RecurrentModel(nn.Module):
    """A recurrent language model: embedding, layers of cells, logits; called like a `GPT`.

    Args:
        kind: of the cells: ``"rnn"``, ``"lstm"``, ``"gru"`` or ``"mingru"``.
        vocab_size: how many ids there are.
        d_model: numbers in a token's row.
        d_hidden: numbers in the state.
        n_layers: each layer reads the hidden states of the one below.
        forget_bias: see `Cell`.

    Raises:
        InputError: an unknown kind, a size below 1, or ``forget_bias`` for the plain RNN, which has no gate.

    >>> model = RecurrentModel("gru", vocab_size=28, d_model=8, d_hidden=16)
    >>> model(torch.zeros(2, 5, dtype=torch.long)).shape
    torch.Size([2, 5, 28])
    """

    def __init__(
        self,
        kind: str,
        vocab_size: int,
        d_model: int,
        d_hidden: int,
        n_layers: int = 1,
        forget_bias: float | int | None = None,
    ) -> None:
        super().__init__()
        if kind not in CELLS:
            raise InputError(f"{kind!r} is no kind of recurrent network; choose one of {', '.join(CELLS)}.")
        if min(vocab_size, n_layers) < 1:
            raise InputError(
                f"vocab_size={vocab_size} and n_layers={n_layers} make no recurrent model; give 1 or more."
            )
        widths = [d_model] + [d_hidden] * (n_layers - 1)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList(CELLS[kind](width, d_hidden, forget_bias) for width in widths)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch position vocab"]:
        """Logits of the token after each position."""
        return self.read(ids)[0]

    def read(
        self, ids: Int[Tensor, "batch position"], states: list[State] | None = None
    ) -> tuple[Float[Tensor, "batch position vocab"], list[State]]:
        """Logits, and the state of each layer: all that has to be kept for reading on.

        >>> model, ids = RecurrentModel("lstm", 9, 4, 6).double(), torch.tensor([[1, 5, 6, 2]])
        >>> first, states = model.read(ids[:, :2])
        >>> then, _ = model.read(ids[:, 2:], states)
        >>> bool(torch.allclose(torch.cat([first, then], 1), model(ids)))
        True
        """
        x, after = self.embedding(ids), []
        for i, layer in enumerate(self.layers):
            x, state = layer(x, states[i] if states else None)
            after.append(state)
        return self.output(x), after

    def n_parameters(self) -> int:
        """How many trained numbers the model holds."""
        return sum(p.numel() for p in self.parameters())
