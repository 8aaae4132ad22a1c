"""The operations that an entry of the ledger may name: the package's own callables, and plain arithmetic.

`THROUGH` maps an operation to the public callable of `support` that does its work. The callable is looked up
anew at each call, so that a test which spoils it spoils every entry that rests on it.
"""

import functools
import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

# operation → what it calls; a dot after a class names one of its methods
THROUGH: dict[str, str] = {}
OPERATIONS: dict[str, Callable[..., Any]] = {}


def support(path: str) -> Any:
    """The callable at ``support.<room>.<name>`` or ``support.<room>.<Class>.<method>``, as it is now."""
    room, *rest = path.removeprefix("support.").split(".")
    return functools.reduce(getattr, rest, importlib.import_module(f"support.{room}"))


def _operation(name: str | None = None, through: str | None = None) -> Callable[[Callable], Callable]:
    def enter(function: Callable) -> Callable:
        key = name or function.__name__
        OPERATIONS[key] = function
        if through:
            THROUGH[key] = through
        return function

    return enter


def tensor(x: Any) -> torch.Tensor:
    """Numbers as a float64 tensor; −∞ may be written as text."""
    return torch.as_tensor(array(x), dtype=torch.float64)


def array(x: Any) -> np.ndarray:
    """Numbers as an array; nested lists may hold −∞ as text or as None."""
    if isinstance(x, torch.Tensor):
        return x.detach().numpy()
    return np.asarray(_plain(x))


def _plain(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return [_plain(v) for v in x]
    if x is None or x == "-inf" if isinstance(x, (str, type(None))) else False:
        return -math.inf
    return x


def _numbers(x: Any) -> Any:
    """A result of the package as arrays and plain numbers."""
    if isinstance(x, torch.Tensor):
        x = x.detach().numpy()
        return x.item() if x.ndim == 0 else x
    if isinstance(x, tuple):
        return tuple(_numbers(v) for v in x)
    return x


# --- the package -----------------------------------------------------------------------------------------


@_operation(through="support.generation.next_token")
def next_token(z, temperature=1.0, top_k=None, top_p=None):
    """Softmax of the last axis."""
    return _numbers(
        support("support.generation.next_token")(
            tensor(z), temperature=float(temperature), top_k=top_k, top_p=top_p
        )
    )


@_operation(through="support.model.layer_norm")
def layer_norm(x, gain=None, bias=None, eps=1e-5):
    given = [None if v is None else tensor(v) for v in (gain, bias)]
    return _numbers(support("support.model.layer_norm")(tensor(x), *given, eps=float(eps)))


def _attend(q, k, v, causal, mask, scale):
    mask = None if mask is None else torch.as_tensor(np.asarray(mask, dtype=bool))
    return _numbers(
        support("support.model.attend")(
            tensor(q), tensor(k), tensor(v), causal=bool(causal), mask=mask, scale=scale
        )
    )


@_operation(through="support.model.attend")
def attend(q, k, v, causal=True, mask=None, scale=None):
    """What attention mixes."""
    return _attend(q, k, v, causal, mask, scale)[0]


@_operation(through="support.model.attend")
def weights(q, k, causal=True, mask=None, scale=None):
    """Who looks at whom: attention's weights."""
    return _attend(q, k, k, causal, mask, scale)[1]


@_operation(through="support.model.scaled_dot_product")
def scaled_dot_product(q, k, v, causal=True):
    return _numbers(
        support("support.model.scaled_dot_product")(tensor(q), tensor(k), tensor(v), causal=bool(causal))
    )


@_operation(through="support.model.causal_mask")
def causal_mask(n):
    """True where looking is allowed."""
    return support("support.model.causal_mask")(int(n)).numpy()


@_operation(through="support.model.causal_mask")
def causal(scores):
    """The scores with −∞ above the diagonal."""
    return np.where(causal_mask(len(array(scores))), array(scores), -math.inf)


@_operation(through="support.model.sinusoids")
def sinusoids(context, d_model, base=10_000.0):
    return _numbers(support("support.model.sinusoids")(int(context), int(d_model), float(base)))


@_operation(through="support.model.sinusoids")
def position(at, d_model):
    """The vector of one position, or of several."""
    at = np.asarray(at, dtype=int)
    return sinusoids(at.max() + 1, d_model)[at]


@_operation(through="support.model.sinusoids")
def divisors(d_model):
    """What each pair's angle is divided by, read off the first position's vector."""
    first = position(1, d_model)
    return 1 / np.arctan2(first[::2], first[1::2])


def _filled(x: torch.Tensor, width: int) -> torch.Tensor:
    return nn.functional.pad(x, (0, width - x.shape[-1]))


@_operation(through="support.model.FeedForward")
def feed_forward(x, W1, b1=None, W2=None, b2=None, activation="relu"):
    """Expand, bend, contract: matrices for row vectors; without the second the bent layer itself."""
    x, W1 = tensor(x), tensor(W1)
    W2 = torch.eye(W1.shape[1], dtype=torch.float64) if W2 is None else tensor(W2)
    W2 = W2[:, None] if W2.dim() == 1 else W2
    b1 = torch.zeros(W1.shape[1], dtype=torch.float64) if b1 is None else tensor(b1)
    b2 = torch.zeros(W2.shape[1], dtype=torch.float64) if b2 is None else tensor(b2).reshape(-1)
    # The package's network is as wide at its end as at its beginning: zeros fill up the narrower side.
    narrow, wide = W2.shape[1], max(W1.shape[0], W2.shape[1])
    x, W2, b2 = (_filled(t, wide) for t in (x, W2, b2))
    W1 = _filled(W1.T, wide).T
    config = support("support.model.GPTConfig")(
        vocab_size=2, d_model=wide, n_heads=1, d_ff=W1.shape[1], activation=activation
    )
    network = support("support.model.FeedForward")(config)
    for layer, W, b in ((network.expand, W1, b1), (network.contract, W2, b2)):
        layer.weight, layer.bias = nn.Parameter(W.T.contiguous()), nn.Parameter(b)
    return _numbers(network(x if x.dim() > 1 else x[None]).reshape(*x.shape[:-1], -1)[..., :narrow])


@_operation(through="support.model.FeedForward")
def relu(z):
    """The bend alone: the network's activation between two identity matrices."""
    z = array(z).astype(float)
    flat = np.atleast_2d(z)
    return feed_forward(flat, np.eye(flat.shape[-1])).reshape(z.shape)


@_operation(through="support.model.FeedForward")
def gelu(z):
    """The smooth bend between two identity matrices."""
    z = array(z).astype(float)
    flat = np.atleast_2d(z)
    out = feed_forward(flat, np.eye(flat.shape[-1]), activation="gelu").reshape(z.shape)
    return out.item() if z.ndim == 0 else out


@_operation(through="support.model.SelfAttention.split")
def project(x, W, bias=None):
    """Queries (keys, values) of a row or of rows: the attention layer's own projection with these weights."""
    x, W = array(x).astype(float), tensor(W)
    config = support("support.model.GPTConfig")(
        vocab_size=2, d_model=W.shape[0], n_heads=1, d_head=W.shape[1], attention_bias=False
    )
    layer = support("support.model.SelfAttention")(config)
    layer.qkv.weight = nn.Parameter(torch.cat([W, W, W], dim=1).T.contiguous())
    out = _numbers(layer.split(tensor(np.atleast_2d(x))[None])[0][0, 0])
    return out[0] if x.ndim == 1 else out


@_operation(through="support.model.SelfAttention.with_weights")
def self_attention(x, heads, WO):
    """The whole layer: for each head its three matrices, then the output matrix."""
    heads, WO = tensor(heads), tensor(WO)
    config = support("support.model.GPTConfig")(
        vocab_size=2,
        d_model=heads.shape[2],
        n_heads=len(heads),
        d_head=heads.shape[3],
        attention_bias=False,
    )
    layer = support("support.model.SelfAttention")(config)
    layer.qkv.weight = nn.Parameter(torch.cat([W for three in heads.transpose(0, 1) for W in three], dim=1).T)
    layer.output.weight = nn.Parameter(WO.T.contiguous())
    return _numbers(layer.with_weights(tensor(x)[None])[0][0])


@_operation(through="support.model.SelfAttention.split")
def kv_bytes(n_layers, n_kv_heads, d_head, tokens=1, size=2):
    """The cache: the keys and the values that one layer hands out for a token, for all layers and tokens."""
    config = support("support.model.GPTConfig")(
        vocab_size=2, d_model=2, n_heads=int(n_kv_heads), d_head=int(d_head)
    )
    with torch.device("meta"):
        _, k, v = support("support.model.SelfAttention")(config).split(torch.empty(1, 1, 2))
    return (k.numel() + v.numel()) * n_layers * tokens * size


@_operation(through="support.model.SelfAttention.merge")
def merge(heads, WO=None):
    """Lay the heads' outputs side by side and mix them with the output matrix (the identity if not given)."""
    heads = tensor(heads)  # head, position, width
    lanes = heads.shape[0] * heads.shape[2]
    WO = torch.eye(lanes, dtype=torch.float64) if WO is None else tensor(WO)
    config = support("support.model.GPTConfig")(
        vocab_size=2, d_model=WO.shape[1], n_heads=len(heads), d_head=heads.shape[2], attention_bias=False
    )
    layer = support("support.model.SelfAttention")(config)
    layer.output.weight = nn.Parameter(WO.T.contiguous())
    return _numbers(layer.merge(heads[None])[0])


@_operation(through="support.model.SelfAttention.merge")
def mix(joined, WO):
    """The output matrix applied to rows (or one row) in which the heads already lie side by side."""
    joined = array(joined).astype(float)
    out = merge(np.atleast_2d(joined)[None], WO)
    return out[0] if joined.ndim == 1 else out


def _bare(rows: torch.Tensor, **options: Any):
    """A model without blocks' work: tied, with these rows in its table."""
    config = support("support.model.GPTConfig")(
        vocab_size=rows.shape[0],
        d_model=rows.shape[1],
        n_layers=1,
        n_heads=1,
        norm=options.pop("norm", "none"),
        positions=options.pop("positions", "none"),
        context=options.pop("context", 128),
    )
    model = support("support.model.GPT")(config)
    model.embedding.weight = nn.Parameter(rows)
    return model


@_operation(through="support.model.GPT.embed")
def embed(ids, rows, places=None):
    """Look ids up in a table; add the places' rows if given (a table, or "sinusoidal")."""
    ids = torch.as_tensor(np.asarray(ids, dtype=np.int64))[None]
    how = "none" if places is None else places if isinstance(places, str) else "learned"
    if how == "learned":
        places = tensor(places)
    model = _bare(tensor(rows), positions=how, context=max(ids.shape[1], 2))
    if how == "learned":
        model.position.weight = nn.Parameter(places)
    return _numbers(model.embed(ids)[0])


@_operation(through="support.model.GPT.unembed")
def unembed(h, rows):
    """The scores of a tied head without a norm: the vector against every row of the table."""
    h = array(h).astype(float)
    return _numbers(_bare(tensor(rows)).unembed(tensor(np.atleast_2d(h))[None])[0]).reshape(
        *h.shape[:-1], len(array(rows))
    )


@_operation(through="support.model.GPT.n_parameters")
def n_parameters(embeddings=True, active=False, **shape):
    """How many numbers a model of this shape learns (or uses for one token); it is counted, not stored."""
    with torch.device("meta"):
        model = support("support.model.GPT")(support("support.model.GPTConfig")(**shape))
        return model.n_parameters(embeddings, bool(active))


@_operation(through="support.model.GPT.n_parameters")
def gpt2_parameters(n_layers, d_model, vocab_size, context):
    """GPT-2's layout: biases, learned positions, a tied head, four times wide; heads change nothing here."""
    one, two = (
        n_parameters(n_layers=n, d_model=d_model, vocab_size=vocab_size, context=context, n_heads=1)
        for n in (1, 2)
    )
    return one + (n_layers - 1) * (two - one)  # all blocks are alike; ninety-six of them take a while to make


@_operation(through="support.model.GPT.n_parameters")
def matrices_per_block(d_model, d_ff=None):
    """The numbers in one block's matrices, without biases, norms and tables."""
    return n_parameters(
        embeddings=False,
        vocab_size=2,
        d_model=d_model,
        d_ff=d_ff,
        n_heads=1,
        n_layers=1,
        attention_bias=False,
        ffn_bias=False,
        norm="none",
        positions="none",
    )


@_operation(through="support.model.GPT.n_parameters")
def table_size(vocab_size, d_model):
    """The numbers in an embedding table: what is left when the rest is taken away."""
    shape = {"vocab_size": vocab_size, "d_model": d_model, "n_heads": 1, "n_layers": 1, "positions": "none"}
    return n_parameters(**shape) - n_parameters(embeddings=False, **shape)


@_operation(through="support.model.GPT.n_parameters")
def attention_parameters(d_model, n_heads=1):
    """The weights of queries, keys, values and output, without biases: the rest of a model of one block."""
    shape = {"vocab_size": 1, "d_model": int(d_model), "n_heads": int(n_heads), "n_layers": 1, "d_ff": 1}
    bare = {
        "norm": "none",
        "positions": "none",
        "qkv_bias": False,
        "attention_bias": False,
        "ffn_bias": False,
    }
    return n_parameters(**shape, **bare) - 3 * d_model  # a table of one row, and two matrices of one column


@_operation(through="support.model.GPT.n_parameters")
def norms(n_layers):
    """How many norms a pre-norm model has, each with a gain and a shift."""
    shape = {"vocab_size": 1, "d_model": 2, "n_heads": 1, "n_layers": int(n_layers)}
    return (n_parameters(**shape) - n_parameters(**shape, norm="none")) / 4


def _flops(length, **shape):
    with torch.device("meta"):
        config = support("support.model.GPTConfig")(vocab_size=1, context=int(length), n_heads=1, **shape)
        return support("support.model.GPT")(config).flops_per_token(int(length))


@_operation(through="support.model.GPT.flops_per_token")
def score_products(length, d_model):
    """Multiplications for the scores of a whole text in one block: from what grows with its length."""
    one, two = (_flops(length * k, d_model=int(d_model), n_layers=1, d_ff=1) for k in (1, 2))
    return length * (two - one) / 4  # a multiplication and an addition; scores and mixing


@_operation(through="support.model.GPT.flops_per_token")
def expand_products(length, d_model, d_ff):
    """Multiplications that widen a whole text in one block: from the share that grows with the width."""
    one, wide = (_flops(length, d_model=int(d_model), n_layers=1, d_ff=int(n)) for n in (1, d_ff + 1))
    return length * (wide - one) / 4


@_operation(through="support.model.Block")
def residual_gap(seed=0):
    """How far a block is from: what came in, plus attention's write, plus the feed-forward network's."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        config = support("support.model.GPTConfig")(vocab_size=2, d_model=8, n_heads=2)
        block = support("support.model.Block")(config).double()
        x = torch.randn(1, 5, 8, dtype=torch.float64)
    with torch.no_grad():
        attention = block.attention(block.norm_1(x))
        thought = block.feed_forward(block.norm_2(x + attention))
        return float((block(x) - x - attention - thought).abs().max())


@_operation(through="support.model.GPTConfig")
def head_width(d_model, n_heads):
    return support("support.model.GPTConfig")(vocab_size=2, d_model=int(d_model), n_heads=int(n_heads)).d_head


@_operation(through="support.model.GPTConfig")
def hidden_width(d_model):
    """The usual width of the feed-forward network."""
    return support("support.model.GPTConfig")(vocab_size=2, d_model=int(d_model), n_heads=1).d_ff


@_operation(through="support.training.token_losses")
def surprise(p, target=0):
    """−log of a probability, as the training loss: of a number (against the rest), or of a list's target."""
    p = array(p).astype(float)
    if p.ndim == 0:
        p = np.array([p, 1 - p])
    # log-probabilities are logits whose softmax is p
    with np.errstate(divide="ignore"):
        logits = tensor(np.log(p))[None, None]
    return float(support("support.training.token_losses")(logits, torch.tensor([[int(target)]])))


@_operation(through="support.training.token_losses")
def surprises(ps):
    """−log of each probability of a list."""
    return np.array([surprise(p) for p in ps])


@_operation(through="support.training.token_losses")
def loss(logits, target):
    """The loss of a row of scores."""
    return float(
        support("support.training.token_losses")(tensor(logits)[None, None], torch.tensor([[int(target)]]))
    )


@_operation(through="support.training.learning_rate")
def learning_rate(step, steps, lr, min_lr=0.0, warmup=0):
    """The rate after so many steps (the package counts from the first update, and climbs one step ahead)."""
    config = support("support.training.TrainConfig")(steps=steps, lr=lr, min_lr=min_lr, warmup=warmup)
    step = int(step)
    return support("support.training.learning_rate")(step - 1 if 0 < step <= warmup else step, config)


def _step(old, gradient, lr, **how):
    old = array(old).astype(float)
    module = nn.Module()
    module.w = nn.Parameter(tensor(old).clone())
    config = support("support.training.TrainConfig")(steps=1, lr=lr, weight_decay=0.0, **how)
    optimiser = support("support.training.make_optimiser")(module, config)
    module.w.grad = tensor(np.broadcast_to(array(gradient).astype(float), old.shape).copy())
    optimiser.step()
    return _numbers(module.w)


@_operation(through="support.training.make_optimiser")
def sgd(old, gradient, lr):
    """The weights after one plain step against the gradient."""
    return _step(old, gradient, float(lr), optimiser="sgd")


@_operation(through="support.training.make_optimiser")
def adam_moments(gradient):
    """Adam's two running averages after its first step."""
    module = nn.Module()
    module.w = nn.Parameter(torch.zeros(1, dtype=torch.float64))
    config = support("support.training.TrainConfig")(steps=1, lr=0.1, weight_decay=0.0, betas=(0.9, 0.999))
    optimiser = support("support.training.make_optimiser")(module, config)
    module.w.grad = torch.full_like(module.w, float(gradient))
    optimiser.step()
    kept = optimiser.state[module.w]
    return [float(kept.get(name, torch.tensor(math.nan))) for name in ("exp_avg", "exp_avg_sq")]


@_operation(through="support.training.token_losses")
def averaged_gradients_gap(n, parts):
    """The mean of the gradients of equal parts of a batch, against the gradient of the whole batch's mean."""
    rng = np.random.default_rng(0)
    x, targets = tensor(rng.standard_normal((n, 3))), torch.as_tensor(rng.integers(4, size=n))
    w = tensor(rng.standard_normal((3, 4))).requires_grad_()

    def slope(rows):
        loss = support("support.training.token_losses")((x[rows] @ w)[None], targets[rows][None]) / len(rows)
        return torch.autograd.grad(loss, w)[0]

    pieces = np.array_split(np.arange(n), parts)
    return float((sum(slope(piece) for piece in pieces) / parts - slope(np.arange(n))).abs().max())


@_operation(through="support.training.make_optimiser")
def adam(old, gradient, lr, betas=(0.9, 0.999)):
    """The weights after Adam's first step."""
    return _step(old, gradient, float(lr), betas=tuple(betas))


@_operation(through="support.inside.cosine")
def cosine(a, b):
    return support("support.inside.cosine")(array(a).astype(float), array(b).astype(float))


@_operation(through="support.inside.cosines")
def cosines(vectors):
    """The cosine of every pair of rows."""
    return support("support.inside.cosines")(array(vectors).astype(float))


@_operation(through="support.inside.gram_schmidt")
def gram_schmidt(*directions):
    return support("support.inside.gram_schmidt")(*(array(d).astype(float) for d in directions))


@_operation(through="support.inside.concept_plane")
def concept_plane(vectors, *directions):
    """Where the vectors fall on the plane of two directions."""
    given = [array(d).astype(float) for d in (vectors, *directions)]
    return support("support.inside.concept_plane")(*given).points


@_operation(through="support.inside.pca")
def pca_shares(vectors):
    """The share of the spread that each component holds."""
    return support("support.inside.pca")(array(vectors).astype(float), 1).shares


@_operation(through="support.worlds.entropy")
def entropy(p):
    return support("support.worlds.entropy")({str(i): float(x) for i, x in enumerate(array(p))})


@_operation(through="support.text.Vocabulary.encode")
def ids(sentence, tokens):
    """The ids of a sentence's words in a given list."""
    return support("support.text.Vocabulary")(list(tokens)).encode(sentence)


@_operation(through="support.text.Vocabulary.encode")
def words(sentence):
    """How many words a sentence has, as the package cuts it."""
    return len(support("support.text.Vocabulary").from_corpus([sentence]).encode(sentence))


# --- what has no counterpart in the package ---------------------------------------------------------------


@_operation()
def gradient(f, x):
    """The slopes of a function by central differences."""
    x = np.array(x, dtype=float)
    out = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i], down[i] = x[i] + 1e-6, x[i] - 1e-6
        out[i] = (float(f(up)) - float(f(down))) / 2e-6
    return out


@_operation()
def random_rows(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


@_operation()
def gap(a):
    """The largest absolute value."""
    return float(np.abs(a).max())


@_operation()
def float16(x):
    with np.errstate(over="ignore"):
        return np.float16(x)


@_operation()
def float32(x):
    return np.float32(x)


@_operation()
def filtered(image, kernel):
    """A filter at every place where it fits."""
    image, kernel = tensor(image)[None, None], tensor(kernel)[None, None]
    return _numbers(torch.nn.functional.conv2d(image, kernel)[0, 0])


@_operation()
def pooled(image, size, stride):
    return _numbers(torch.nn.functional.max_pool2d(tensor(image)[None, None], size, stride)[0, 0])


@_operation()
def sigmoid(z):
    return 1 / (1 + np.exp(-np.asarray(z, dtype=float)))


@_operation("sum")
def _sum(items):
    return sum(items)


@_operation()
def equal(a, b, atol=1e-8):
    """Do all entries agree?"""
    return bool(np.allclose(a, b, rtol=1e-5, atol=atol))


def _elementwise(function):
    def on(x, *more, **named):
        return function(array(x) if isinstance(x, (list, tuple)) else x, *more, **named)

    return on


for _name in (  # noqa: SIM905 - a sentence of names reads better than a list of strings
    "exp log sqrt sin cos tanh abs sign sort argsort triu tril diag cumsum mean median prod var std ptp "
    "argmax argmin isfinite where round diff linspace arange zeros ones eye full dot isclose append cov "
    "arctan2 lcm log2 log10"
).split():
    OPERATIONS[_name] = _elementwise(getattr(np, _name))
for _name in ("concatenate", "hstack", "vstack", "outer"):
    OPERATIONS[_name] = getattr(np, _name)
for _name in ("norm", "eigvals", "eigvalsh", "svd", "solve", "lstsq", "matrix_power"):
    OPERATIONS[_name] = _elementwise(getattr(np.linalg, _name))
for _name, _function in {
    "array": array,
    "total": np.sum,
    "len": len,
    "range": range,
    "int": int,
    "float": float,
    "bool": bool,
    "list": list,
    "tuple": tuple,
    "set": set,
    "map": map,
    "zip": zip,
    "max": max,
    "min": min,
    "all": all,
    "any": any,
    "sorted": sorted,
    "ceil": math.ceil,
    "floor": math.floor,
    "degrees": math.degrees,
    "finfo_max": lambda bits: float(np.finfo(f"float{bits}").max),
    "finfo_tiny": lambda bits: float(np.finfo(f"float{bits}").tiny),
    "finfo_smallest": lambda bits: float(np.finfo(f"float{bits}").smallest_subnormal),
    "pi": math.pi,
    "inf": math.inf,
}.items():
    OPERATIONS[_name] = _function
