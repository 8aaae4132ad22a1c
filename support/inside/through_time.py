"""How far back a gradient reaches: the last state of a recurrent network, differentiated by earlier ones."""

import torch
from jaxtyping import Float
from torch import Tensor

from support.ancestors.recurrent import Cell


def jacobian_norms(cell: Cell, x: Float[Tensor, "batch position d_in"]) -> Float[Tensor, "batch position"]:
    """The norm of ∂(last hidden state)/∂(input at each position): how much of a small change arrives.

    The norm is the spectral one: the largest factor by which a small change of that input can be stretched.
    It is exact; the Jacobian comes from one vector–Jacobian product for each number of the state.

    Args:
        cell: any recurrent cell.
        x: its inputs.

    Follows Pascanu, Mikolov and Bengio 2013, *On the difficulty of training recurrent neural networks*.

    >>> from support.ancestors import RNN
    >>> norms = jacobian_norms(RNN(4, 8), torch.randn(2, 30, 4))
    >>> norms.shape, bool((norms[:, 0] < norms[:, -1]).all())
    (torch.Size([2, 30]), True)
    """
    x = x.detach().requires_grad_()
    last = cell(x)[0][:, -1]
    each = torch.eye(last.shape[1], dtype=x.dtype, device=x.device)
    each = each[:, None].expand(-1, len(x), -1)  # [one row of the Jacobian, batch, d_hidden]
    (rows,) = torch.autograd.grad(last, x, each, is_grads_batched=True)
    return torch.linalg.matrix_norm(rows.movedim(0, 2), ord=2)


def step_jacobians(
    cell: Cell, x: Float[Tensor, "batch position d_in"]
) -> Float[Tensor, "batch position d_state d_state"]:
    """∂(state after a position)/∂(state before it), exactly; row i is the gradient of the i-th new number.

    Their product, the last on the left, is ∂(last state)/∂(first state). For an LSTM the state is hidden
    state and cell state together.

    Args:
        cell: any recurrent cell.
        x: its inputs.

    >>> from support.ancestors import RNN
    >>> step_jacobians(RNN(4, 3), torch.randn(2, 5, 4)).shape
    torch.Size([2, 5, 3, 3])
    """

    def step(joined: Tensor, made: Tensor) -> Tensor:
        return torch.cat(cell.step(made[None], joined[None].chunk(cell.states, 1)), 1)[0]

    of_state = torch.func.vmap(torch.func.jacrev(step))
    state, found = cell.start(len(x)), []
    with torch.no_grad():
        for made in cell.input(x).unbind(1):
            found.append(of_state(torch.cat(state, 1), made))
            state = cell.step(made, state)
    return torch.stack(found, 1)
