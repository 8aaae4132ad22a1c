"""From scratch, part 2: the road to the transformer, embeddings, tokens, positions."""

import numpy as np
from torch import nn

from book.ledger.claims import claim
from book.ledger.example import FINAL, WE
from book.ledger.helpers import (
    closest_positions,
    gradient,
    next_token,
    numbers,
    position,
    random_rows,
    rotated,
    sigmoid,
    sinusoids,
)
from book.ledger.studies import order_gap, parameters, rotary_spread
from support import inside, model, text


@claim(place="Introduction", chapter="04", stated=9, verdict="holds", cell='pangram = "The quick brown fox')
def fs2_001():
    """the fox-and-dog pangram is nine tokens (words)

    Splitting on spaces gives nine words.
    """
    text = "The quick brown fox jumps over the lazy dog"
    return len(text.split())


@claim(place="Introduction", chapter="04", stated=True, verdict="holds", cell="bites = [[")
def fs2_002():
    """dog bites man and man bites dog (in the source's wording) are the same bag of words

    Sorted word lists coincide.
    """
    b = "the man bit the dog"
    tokens = ["bit", "dog", "man", "the"]
    a = "the dog bit the man"
    vocabulary = text.Vocabulary(tokens)
    return sorted(vocabulary.encode(a)) == sorted(vocabulary.encode(b))


@claim(
    place="Introduction",
    chapter="04",
    cell="bites = [[",
    stated=0,
    within=1e-12,
    verdict="holds",
    added=True,
)
def fs2_307():
    """an MLP has no concept of order: which input is first or second makes no difference, they "are just
    positions in a vector" (change of a layer's output if inputs and weights change places together)

    None is built in, and a bag of words "ignoring position" is the same for both sentences (fs2-002). With a
    place for each word, as in Bengio's network, an MLP can tell them apart; what then remains is the fixed
    length, which the text names next.
    """
    W, x = np.array([[0.5, -0.2, 0.3], [0.1, 0.4, -0.6]]), np.array([0.5, -1.0, 2.0])
    other = [2, 0, 1]
    return np.abs(np.tanh(W[:, other] @ x[other]) - np.tanh(W @ x)).max()


@claim(place="Introduction", chapter="17", stated=None, verdict="unverifiable", checked="not possible")
def fs2_003():
    """one wide enough hidden layer approximates any continuous function to any precision

    A theorem, not a computation; it also needs a compact domain and a non-polynomial activation, which the
    text leaves out.
    """


@claim(
    place="I. Road: RNNs, LSTMs and GRUs",
    chapter="05",
    stated=None,
    verdict="unverifiable",
    checked="not possible",
    cell="factor = {name:",
)
def fs2_004():
    """after 20, 50 or 100 steps back the RNN gradient is effectively zero

    No contraction rate is given; with an eigenvalue of 0.9 the factors would be 0.12, 0.0052 and 0.000027,
    so 20 steps would not yet be zero.
    """


@claim(
    place="I. Road: RNNs, LSTMs and GRUs",
    chapter="05",
    stated=0,
    within=1e-06,
    verdict="holds",
    cell="steps = [torch.diag(1 - h**2)",
)
def fs2_005():
    """one step of an RNN back in time multiplies the gradient by W_h (true step Jacobian,
    divided by the slope of tanh, less W_h)

    By W_h, and by the slope of tanh, which the sentence leaves out; the slope is at most 1 and adds to the
    vanishing.
    """
    Wh, u = np.array([[0.5, 0.2], [-0.1, 0.7]]), np.array([0.8, -0.3])
    h = np.array([0.4, 0.6])
    derivative = 1 - np.tanh(Wh @ h + u)[0] ** 2
    return np.abs(gradient(lambda h: np.tanh(Wh @ h + u)[0], h) / derivative - Wh[0]).max()


@claim(
    place="I. Road: RNNs, LSTMs and GRUs",
    chapter="05",
    stated=[True, True],
    verdict="holds",
    added=True,
    cell="stretched = RNN(1, 32)",
)
def fs2_006():
    """a product of the same matrix many times over shrinks or explodes (a turn by 0.3 that stretches by
    0.9 or by 1.1, fifty times)

    0.9 to the fiftieth is 0.005 and 1.1 to the fiftieth is 117.
    """
    R = np.array([[0.955336489, -0.295520207], [0.295520207, 0.955336489]])
    return [
        np.linalg.norm(np.linalg.matrix_power(0.9 * R, 50)) < 0.01,
        np.linalg.norm(np.linalg.matrix_power(1.1 * R, 50)) > 100,
    ]


@claim(
    place="I. Road: RNNs, LSTMs and GRUs",
    chapter="05",
    stated=3,
    verdict="holds",
    checked="by reading",
    cell="source(Cell.forward",
)
def fs2_007():
    """an LSTM has three gates

    Forget, input and output are listed.
    """


@claim(
    place="I. Road: RNNs, LSTMs and GRUs",
    chapter="05",
    stated=True,
    verdict="holds",
    cell="for kind in (RNN, LSTM, GRU):",
)
def fs2_008():
    """a GRU has fewer parameters than an LSTM of the same width (parameter ratio below 1)

    A GRU needs three weight blocks where an LSTM needs four, so the ratio is 0.75.
    """
    d, m = 512, 512
    return 3 * (d * d + d * m + d) < 4 * (d * d + d * m + d)


@claim(
    place="I. Road: RNNs, LSTMs and GRUs",
    chapter="05",
    stated=1997,
    verdict="slip",
    checked="by reading",
    added=True,
    cell="source(Cell.forward",
)
def fs2_308():
    """the gates that decide what to keep, forget and output are those of the LSTM proposed in 1997

    Today's LSTM has all three (fs2-007). That of 1997 had the input and the output gate; the forget gate is
    that of Gers, Schmidhuber and Cummins, 2000.
    """


@claim(
    place="I. Road: RNNs, LSTMs and GRUs",
    chapter="05",
    stated=0,
    within=1e-6,
    verdict="holds",
    added=True,
    cell="source(Cell.forward",
)
def fs2_309():
    """along an LSTM's cell state gradients flow "without being multiplied by weight matrices" (derivative of
    the new cell state by the old, less the forget gate)

    The factor is the gate and no matrix, if the hidden state is held; further paths lead through the gates.
    """
    forget, write, proposal, c = sigmoid(np.array([2.0, -1.0])), 0.3, 0.8, np.array([0.4, -0.7])
    steps = [gradient(lambda c, i=i: (forget * c + write * proposal)[i], c) for i in (0, 1)]
    return np.abs(np.array(steps) - np.diag(forget)).max()


@claim(
    place="I. Road: RNNs, LSTMs and GRUs",
    chapter="05",
    stated=1,
    within=0.1,
    verdict="overstated",
    added=True,
    cell="biases = torch.tensor([0.0, 1.0, 3.0, 5.0])",
)
def fs2_310():
    """the cell state runs "with minimal interference", unchanged "unless a gate explicitly decides to modify
    it" (kept per step by a forget gate that has learned nothing and stands at a bias of 0)

    True of an open gate. A gate is never quite open, and a fresh one decides without having learned to: at
    the usual start it halves the cell state at every step. A forget bias of 5 keeps 0.993.
    """
    return sigmoid(0.0)


@claim(
    place="I. Road: RNNs, LSTMs and GRUs",
    chapter="05",
    stated=1,
    verdict="holds",
    added=True,
    cell="z, r = sigmoid(0.6 * x - 0.2 * h)",
)
def fs2_311():
    """a GRU joins the forget and the input gate into one update gate and has a single state (gates of an
    LSTM less those of a GRU, by the rows of torch's modules)

    One gate less leaves two. The second is the reset gate, which the text does not name; with it and the
    proposal there are three blocks of weights.
    """
    width = 4
    rows = [kind(3, width).weight_hh_l0.shape[0] for kind in (nn.LSTM, nn.GRU)]
    gates = [n // width - 1 for n in rows]  # one block makes the proposal
    return gates[0] - gates[1]


@claim(
    place="I. Road: RNNs, LSTMs and GRUs",
    chapter="05",
    stated=1,
    above=True,
    verdict="overstated",
    added=True,
    cell="stretched = RNN(1, 32)",
)
def fs2_312():
    """if the eigenvalues of W_h are greater than 1, the gradients explode (factor per step of an RNN of one
    unit with W_h = 1.5 and a constant input of 2, over 60 steps)

    They do in a linear network, and where tanh is not saturated. Here the slope of tanh outweighs the 1.5,
    and the gradient vanishes: that the matrix stretches is necessary, not sufficient (Pascanu et al. 2013).
    """
    h, logs = 0.0, []
    for _ in range(60):
        h = np.tanh(1.5 * h + 2)
        logs.append(np.log(1.5 * (1 - h**2)))
    return np.exp(np.mean(logs))


@claim(
    place="I. Road: RNNs, LSTMs and GRUs",
    chapter="05",
    stated=[10, 20],
    verdict="unverifiable",
    checked="not possible",
    cell='networks = {"rnn"',
)
def fs2_010():
    """plain RNNs struggle beyond about 10 to 20 elements

    An empirical rule of thumb with no data given.
    """


@claim(
    place="I. Road to the Transformer",
    chapter="05",
    stated=[1958, 1997, 2014, 2014, 2014, 2017],
    verdict="unverifiable",
    checked="not possible",
)
def fs2_009():
    """dates: perceptron 1958, LSTM 1997, GRU, Seq2Seq and Bahdanau attention 2014, Transformer 2017

    Bibliographic years cannot be recomputed; they agree with the usual references.
    """


@claim(
    place="III. Architecture",
    chapter="04",
    stated=[2019, 2019, 2020, 2020, 2021, 2022, 2023],
    verdict="unverifiable",
    checked="not possible",
)
def fs2_011():
    """dates: MQA and RMSNorm 2019, Kaplan scaling laws and SwiGLU 2020, RoPE 2021, Chinchilla 2022, GQA
    2023

    Bibliographic years cannot be recomputed; they agree with the usual references.
    """


@claim(
    place="II. Embeddings",
    chapter="08",
    cell="places = 50_000",
    cell_in="06",
    stated=99.998,
    unit=0.001,
    verdict="holds",
)
def fs2_012():
    """a 50,000-word vocabulary gives one-hot vectors that are 99.998 percent zeros

    49,999 of 50,000 entries are zero.
    """
    V = 50000
    return 100 * (V - 1) / V


@claim(
    place="II. Embeddings",
    chapter="08",
    cell="gaps = torch.cdist(torch.eye(len(listed)), torch",
    cell_in="06",
    stated=0,
    within=1e-09,
    verdict="holds",
)
def fs2_013():
    """all pairs of distinct one-hot vectors are equally far apart

    Every pairwise distance is the square root of two.
    """
    rows = np.eye(8)
    gaps = np.linalg.norm(rows[:, None] - rows[None], axis=-1)
    return np.abs(gaps[~np.eye(8, dtype=bool)] - np.sqrt(2)).max()


@claim(place="II. Embeddings", chapter="08", stated=100000, verdict="holds", checked="by reading")
def fs2_014():
    """a 100,000-token vocabulary needs 100,000-dimensional one-hot vectors

    One dimension per token.
    """


@claim(
    place="II. Embeddings",
    chapter="08",
    cell="E8 = torch.tensor([[0.1, 0.2, 0, 0.1], [0.3, 0.1",
    stated=0,
    within=1e-09,
    verdict="holds",
)
def fs2_015():
    """multiplying the transposed embedding matrix by a one-hot vector returns the looked-up row

    The product picks row 5 of the article's 8 x 4 matrix exactly.
    """
    return np.abs(WE.T @ np.eye(8)[5] - WE[5]).max()


@claim(place="II. Embeddings", chapter="15", stated=1, within=1e-12, verdict="holds")
def fs2_016():
    """softmax turns any real logits into positive numbers summing to 1

    Checked on mixed-sign logits including 2.7.
    """
    z = np.array([2.7, -1.3, 0, 0.4])
    return next_token(z).sum()


@claim(place="II. Embeddings", chapter="15", stated=True, verdict="holds")
def fs2_017():
    """the largest logit receives the largest probability

    Softmax preserves order.
    """
    z = np.array([2.7, -1.3, 0, 0.4])
    return np.argmax(next_token(z)) == np.argmax(z)


@claim(
    place="II. Embeddings",
    chapter="15",
    cell='sizes = {"the guide\'s example": (50_000, 6), "GP',
    cell_in="08",
    stated=0.5,
    relative=0.05,
    verdict="holds",
)
def fs2_018():
    """weight tying roughly halves the embedding-plus-output parameters

    One V x d matrix replaces two.
    """
    shape = {"vocab_size": 50_000, "d_model": 768, "n_heads": 12, "n_layers": 1, "positions": "none"}
    blocks = parameters(embeddings=False, **shape)
    tied, untied = (parameters(tie_weights=tie, **shape) - blocks for tie in (True, False))
    return tied / untied


@claim(
    place="II. Embeddings",
    chapter="15",
    cell='sizes = {"the guide\'s example": (50_000, 6), "GP',
    cell_in="08",
    stated=200000000.0,
    above=True,
    verdict="holds",
)
def fs2_019():
    """tying can save hundreds of millions of parameters for a large vocabulary

    For 128,000 x 4096 it saves 524 million.
    """
    V, d = 128000, 4096
    return V * d


@claim(
    place="II. Embeddings",
    chapter="08",
    cell='sizes = {"the guide\'s example": (50_000, 6), "GP',
    stated=524000000.0,
    above=True,
    verdict="holds",
)
def fs2_020():
    """a 128,000 x 4096 embedding matrix holds over 524 million parameters

    The product is 524,288,000.
    """
    V, d = 128000, 4096
    return V * d


@claim(place="II. Embeddings", chapter="03", stated=True, verdict="holds")
def fs2_021():
    """giving the true word 2 percent while another word gets 30 percent means a high loss

    The loss is -ln 0.02 = 3.91, against 1.20 had the true word received the 30 percent (a uniform guess
    over 50,000 words would cost 10.8, so 'high' is relative).
    """
    p_true, p_other = 0.02, 0.3
    return -np.log(p_true) > -np.log(p_other) + 2


@claim(
    place="II. Embeddings",
    chapter="08",
    cell="a = torch.tensor([0.6, -1.1])",
    stated=[1, 0, -1],
    within=1e-09,
    verdict="holds",
)
def fs2_022():
    """cosine similarity is 1 for the same direction, 0 for orthogonal and -1 for opposite vectors

    Checked on a vector, an orthogonal one and its negative.
    """
    a = np.array([0.6, -1.1])
    return [inside.cosine(a, b) for b in (2 * a, np.array([-a[1], a[0]]), -3 * a)]


@claim(
    place="II. Embeddings",
    chapter="08",
    cell='rows.append([f"{a} − {b} + {c}", designed, got])',
    stated=None,
    verdict="unverifiable",
    checked="not possible",
)
def fs2_023():
    """king - man + woman is close to queen

    No embedding values are given; note also that nearest-neighbour versions of this usually exclude the
    query words.
    """


@claim(place="II. Embeddings", chapter="08", stated=None, verdict="unverifiable", checked="not possible")
def fs2_024():
    """walking - walked is close to swimming - swam, and France - Paris to Japan - Tokyo

    No embedding values are given; the two sides are at least oriented consistently.
    """


@claim(
    place="II. Embeddings",
    chapter="08",
    cell="widths = [4, 8, 16, 32, 64, 128, 256, 512]",
    stated=[True, True],
    verdict="holds",
    added=True,
)
def fs2_025():
    """in thousands of dimensions many directions are nearly at right angles, in ten or twenty they are not
    (largest cosine among 50 random directions, below 0.1 in 4096 dimensions and above 0.5 in 10)

    About 0.05 against about 0.9.
    """
    return [
        bool(np.abs(inside.cosines(random_rows(50, 4096)) - np.eye(50)).max() < 0.1),
        bool(np.abs(inside.cosines(random_rows(50, 10)) - np.eye(50)).max() > 0.5),
    ]


@claim(
    place="II. Embeddings",
    chapter="08",
    cell="M = torch.tensor([[0.2, 0.1, 0, 0.4], [0.3, 0.5,",
    stated=0,
    within=1e-09,
    verdict="holds",
)
def fs2_026():
    """a linear matrix inserted after the lookup can be absorbed into the embedding matrix

    Looking up then multiplying equals looking up in the pre-multiplied table (this no longer holds freely
    if the output head is tied to the original table).
    """
    ids = [0, 1, 2, 3, 0]
    M = np.array([[0.2, 0.1, 0, 0.4], [0.3, 0.5, 0.1, 0], [0, 0.2, 0.6, 0.1], [0.1, 0, 0.3, 0.7]])
    return np.abs(WE[ids] @ M - (WE @ M)[ids]).max()


@claim(
    place="II. Embeddings",
    chapter="08",
    cell="M = torch.tensor([[0.2, 0.1, 0, 0.4], [0.3, 0.5,",
    stated=1,
    verdict="convention",
    checked="by reading",
)
def fs2_027():
    """the composite is written W_invented times W_E with W_E of shape vocabulary x d_model (1 = product
    defined)

    A d x d matrix cannot left-multiply a V x d table; with the article's own row-lookup shape the absorbed
    matrix is W_E times W_invented.
    """


@claim(
    place="II. Embeddings",
    chapter="08",
    cell="h = torch.tensor([-0.378, 1.335, -1.377, 0.420])",
    stated=0,
    within=1e-06,
    verdict="overstated",
)
def fs2_028():
    """every gradient reaching a token's embedding row comes from a context where that token was processed
    (size of the row gradient of 'dog', absent from the input)

    With tied weights, rows of absent tokens also get output-side gradients: in the article's own example
    'dog' receives p(dog) times h, of length 0.25.
    """
    return np.linalg.norm(next_token(FINAL @ WE.T)[4] * FINAL)


@claim(place="II. Embeddings", chapter="08", stated=3, verdict="holds", checked="by reading")
def fs2_029():
    """BERT has three embedding tables (token, position, segment)

    Three kinds of discrete index are listed.
    """


@claim(
    place="III. Tokenization",
    chapter="07",
    cell='examples = [["un", "be", "liev", "able"], ["cryp',
    stated="unhappiness",
    verdict="holds",
)
def fs2_030():
    """'un' + 'happiness' spells unhappiness

    The pieces concatenate to the word.
    """
    pieces = ["un", "happiness"]
    return "".join(pieces)


@claim(
    place="III. Tokenization",
    chapter="07",
    cell='examples = [["un", "be", "liev", "able"], ["cryp',
    stated=True,
    verdict="holds",
    added=True,
)
def fs2_031():
    """ "de", "fen", "est" and "ration" join to defenestration

    The pieces join to the word; no particular tokenizer is named.
    """
    p = ["de", "fen", "est", "ration"]
    w = "defenestration"
    return "".join(p) == w


@claim(
    place="III. Tokenization",
    chapter="07",
    stated=[32000, 128000],
    verdict="unverifiable",
    checked="not possible",
)
def fs2_032():
    """typical vocabularies have 32,000 to 128,000 tokens

    No model is named; many fit, but some recent vocabularies (about 200,000 or 256,000 tokens) lie outside.
    """


@claim(place="III. Tokenization", chapter="07", stated=2, verdict="convention", checked="by reading")
def fs2_033():
    """BPE and SentencePiece are two subword algorithms

    SentencePiece is a tokenizer library that runs BPE or the unigram model, so only one of the two names is
    an algorithm.
    """


@claim(
    place="III. Tokenization",
    chapter="07",
    cell="places = 0x110000 - 2048",
    stated=300,
    unit=100,
    verdict="overstated",
    added=True,
)
def fs2_291():
    """a list of single characters needs a few hundred entries, and then nothing is unknown

    A few hundred cover the scripts of Europe; Unicode has room for 1,112,064 characters. With bytes, 256
    do.
    """
    return 17 * 65536 - 2048


@claim(
    place="III. Tokenization",
    chapter="07",
    cell="gerunds = {w for w in unseen.split() if w.isalph",
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def fs2_303():
    """subword pieces often correspond to meaningful parts of words

    Often: of the words on -ing that our pieces cut at all, between a fifth and three fifths are cut before
    the -ing. The pieces follow counts.
    """


@claim(place="III. Positional information and RoPE", chapter="10", stated=True, verdict="holds")
def fs2_034():
    """a sentence and the same words from last to first contain the same tokens

    One is the exact reversal of the other.
    """
    b = "mat the on sat cat the"
    tokens = ["cat", "mat", "on", "sat", "the"]
    a = "the cat sat on the mat"
    vocabulary = text.Vocabulary(tokens)
    return vocabulary.encode(a)[::-1] == vocabulary.encode(b)


@claim(
    place="III. Positional information and RoPE",
    chapter="10",
    cell="causal = [attend(x, x, x)[0] for x in (E3, E3[or",
    stated=0,
    within=1e-09,
    verdict="holds",
)
def fs2_035():
    """without positions, unmasked attention cannot tell token orders apart

    Permuting the inputs merely permutes the outputs, to machine precision.
    """
    seed = 0
    return order_gap(6, 8, seed, False)


@claim(
    place="III. Positional information and RoPE",
    chapter="10",
    cell="heard = {(n, c): (last_word(one, n, c) - last_wo",
    stated=0,
    within=1e-09,
    verdict="overstated",
)
def fs2_036():
    """without positions the model is order-blind (also for the causal models this article is about)

    With a causal mask the permutation symmetry is gone, because each position sees a different set of
    predecessors.
    """
    seed = 0
    return order_gap(6, 8, seed, True)


@claim(
    place="III. Positional information and RoPE",
    chapter="10",
    cell="def count(n):",
    stated=True,
    verdict="holds",
)
def fs2_037():
    """sinusoidal encodings give every position its own vector

    The smallest distance between any two of the first 512 positions (d = 64) is clearly above zero.
    """
    return closest_positions(512, 64, 3) > 0.1


@claim(
    place="III. Positional information and RoPE",
    chapter="10",
    cell="def encoding(p, d):",
    stated=0,
    within=1e-12,
    verdict="holds",
    added=True,
)
def fs2_038():
    """the formula with sines in even and cosines in odd places gives the vectors (width 8, place 5)

    The package's vectors and the printed formula agree.
    """
    return np.abs(
        position(5, 8) - np.array([f(5 / 10000 ** (2 * k / 8)) for k in range(4) for f in (np.sin, np.cos)])
    ).max()


@claim(
    place="III. Positional information and RoPE",
    chapter="10",
    cell="P64 = sinusoids(1001, 64)",
    stated=0,
    within=1e-09,
    verdict="conceptual",
)
def fs2_039():
    """the difference between two sinusoidal encodings depends only on their distance

    PE(5)-PE(2) and PE(105)-PE(102) are different vectors; only the length of the difference (and the dot
    product) depends on the offset alone.
    """
    d = 64
    return np.linalg.norm(position(5, d) - position(2, d) - (position(105, d) - position(102, d)))


@claim(
    place="III. Positional information and RoPE",
    chapter="10",
    cell="P64 = sinusoids(1001, 64)",
    stated=0,
    within=1e-09,
    verdict="holds",
    added=True,
)
def fs2_040():
    """the dot product and the distance of two sinusoidal vectors depend on their distance alone (places 2
    and 5 against 802 and 805)

    That is what holds of the sentence about differences: their length, not the difference itself.
    """
    return np.abs(position(2, 64) @ position(5, 64) - position(802, 64) @ position(805, 64)).max()


@claim(
    place="III. Positional information and RoPE",
    chapter="10",
    cell="spread = {d: (sinusoids(401, d) - sinusoids(401,",
    stated=True,
    verdict="holds",
)
def fs2_041():
    """sinusoidal encodings of far-apart positions are very different (every offset of 50 to 400 further
    apart than an offset of 1, d = 64)

    At this width it holds: the smallest such distance is three and a half times that between neighbours.
    The growth is not steady, and at the width of the worked example, four, far places can look alike.
    """
    return min(np.linalg.norm(sinusoids(401, 64)[50:] - sinusoids(401, 64)[0], axis=1)) > np.linalg.norm(
        position(0, 64) - position(1, 64)
    )


@claim(
    place="III. Positional information and RoPE",
    chapter="10",
    cell="z = torch.randn(8, generator",
    stated=0,
    within=1e-09,
    verdict="holds",
)
def fs2_042():
    """RoPE groups d dimensions into d/2 rotated pairs

    The map is a rotation: it preserves length exactly.
    """
    x = np.array([0.3, -1.2, 0.7, 0.4, -0.9, 2.0])
    return np.linalg.norm(rotated(x, 17)) - np.linalg.norm(x)


@claim(
    place="III. Positional information and RoPE",
    chapter="10",
    cell="def apply_rope(x, places, base=10_000.0):",
    stated=[1, 0.1, 0.01, 0.001],
    within=1e-12,
    verdict="holds",
    added=True,
)
def fs2_043():
    """theta_k = 10000^(−2k/d) gives each pair its own speed (width 8)

    Four pairs, each ten times slower than the one before.
    """
    return numbers(model.rope_frequencies(8, 10_000.0))


@claim(
    place="III. Positional information and RoPE",
    chapter="10",
    cell="x, W_Q, W_K = torch.randn(2, 8), torch.randn(8,",
    stated=0,
    within=1e-09,
    verdict="holds",
)
def fs2_044():
    """after rotation, a query-key dot product depends only on the position difference

    Shifting both positions together leaves the product unchanged to rounding error.
    """
    seed = 0
    starts = np.array([0, 5, 100, 1234])
    return rotary_spread(8, 3, starts, seed)


@claim(
    place="III. Positional information and RoPE",
    chapter="10",
    cell="x, W_Q, W_K = torch.randn(2, 8), torch.randn(8,",
    stated=0,
    within=1e-09,
    verdict="conceptual",
)
def fs2_045():
    """RoPE rotates the embedding vector (spread of the score when both positions are shifted)

    The rotation must be applied to queries and keys after projection (as other passages of the article
    say); rotating the embedding before W_Q and W_K destroys the relative-position property.
    """
    seed = 0
    starts = np.array([0, 5, 100, 1234])
    return rotary_spread(8, 3, starts, seed, before=True)


@claim(
    place="III. Positional information and RoPE",
    chapter="10",
    stated=None,
    verdict="unverifiable",
    checked="not possible",
)
def fs2_046():
    """having no maximum position, RoPE generalises to lengths beyond training

    An empirical statement with no numbers; without extra scaling tricks the extrapolation is known to be
    limited.
    """


@claim(
    place="III. Positional information and RoPE",
    chapter="10",
    cell="slowness = 10_000.0 ** (torch.arange(0, 6, 2) /",
    stated=True,
    verdict="slip",
    added=True,
)
def fs2_297():
    """each dimension of a sinusoidal encoding has a frequency of its own (spread of the frequencies of
    dimensions 0 and 1, as claimed above zero)

    The two entries of a pair share a frequency: sine and cosine of the same angle.
    """
    pe = position(1, 64)
    return abs(pe[0] ** 2 + pe[1] ** 2 - 1) > 1e-09
