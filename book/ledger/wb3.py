"""Workbench 3: the final step, from a vector to a word."""

import numpy as np

from book.ledger.claims import claim
from book.ledger.helpers import entropy, layer_norm, next_token
from book.ledger.studies import llama_parameters
from support import inside

D = np.array([[1.2, 0.4, -0.1], [0.3, 1.0, 0.2], [-0.5, 0.2, 0.9]])
H = np.array([1.0, 0.5, -0.2])
LOGITS = np.array([1.42, 0.76, -0.58])


@claim(
    place="2 The mechanism, precisely",
    chapter="15",
    cell="logits = dictionary @ h",
    cell_in="21",
    stated=True,
    verdict="holds",
)
def wb3_001():
    """Each logit is the dot product of the finished query vector with that word's dictionary vector
    (checked on the appendix numbers).

    A vector times a matrix gives, column by column, exactly the dot products with the columns.
    """
    W = np.array([[1.2, 0.3, -0.5], [0.4, 1.0, 0.2], [-0.1, 0.2, 0.9]])
    return np.allclose(H @ W, [sum(H[i] * W[i, j] for i in range(3)) for j in range(3)])


@claim(
    place="2 The mechanism, precisely",
    chapter="15",
    cell="query = torch.tensor([1.0, 0.0])",
    cell_in="21",
    stated=True,
    verdict="overstated",
)
def wb3_002():
    """A word's score is how aligned the query is with that word's dictionary entry, so ranking by logit
    ranks by alignment.

    A dot product is alignment times length: with h=(1,0), the perfectly aligned (1,0) scores 1 but the
    45-degree vector (3,3) scores 3, so the two rankings can differ unless dictionary vectors share one
    length.
    """
    h, along, longer = np.array([1, 0]), np.array([1, 0]), np.array([3, 3])
    by_angle = inside.cosine(h, along) > inside.cosine(h, longer)
    return by_angle == (h @ along > h @ longer)


@claim(place="2 The mechanism, precisely", chapter="15", stated=1, verdict="holds", checked="by reading")
def wb3_003():
    """Reading the answer out takes one matrix multiplication followed by a normalisation.

    h-tilde times W_U is the only matrix product; softmax is the normalisation (the QKV note says two, see
    wq).
    """


@claim(
    place="2 The mechanism, precisely",
    chapter="14",
    cell='rows = [[times, *top_after("Pietro chiama Paolo"',
    cell_in="21",
    stated=True,
    verdict="conceptual",
)
def wb3_004():
    """The length of the final-residual query sets how peaked the softmax is (stated although a final
    LayerNorm is applied before scoring).

    LayerNorm(3h)=LayerNorm(h), so with the final LayerNorm the note itself inserts, stretching the residual
    changes nothing; the sentence is true only of the already-normalised vector or of a model without that
    norm.
    """
    h = np.array([1.0, 0.5, -0.2, 0.7])
    return not np.allclose(layer_norm(h, eps=0.0), layer_norm(3 * h, eps=0.0))


@claim(
    place="2 The mechanism, precisely",
    chapter="15",
    cell="def llama(vocab, d, layers, heads, kv_heads, ff,",
    stated=1,
    within=0.001,
    verdict="slip",
    added=True,
)
def wb3_031():
    """Llama ties the embedding and the unembedding matrix (ratio of Llama 7B's numbers to those of a tied
    model).

    Llama 7B has two tables: 6,738,415,616 numbers, 2% more than with one. Of the models named only GPT-2
    ties them.
    """
    return llama_parameters(32, 4096, 11008, 32000) / (
        llama_parameters(32, 4096, 11008, 32000) - 32000 * 4096
    )


@claim(
    place="3 The search-result page",
    chapter="21",
    cell="pages = {text: results(text) for text in prompts",
    stated=0.9998,
    verdict="unverifiable",
    checked="not possible",
)
def wb3_005():
    """Confident search: next word Tarso gets probability 0.9998.

    A measurement on one trained toy checkpoint; it can only be re-measured on a comparable model, not
    recomputed.
    """


@claim(
    place="3 The search-result page",
    chapter="21",
    cell="pages = {text: results(text) for text in prompts",
    stated=True,
    verdict="overstated",
    added=True,
)
def wb3_006():
    """With 0.9998 for the first word, every other one of the 28 is in the range of one in ten thousand (is
    there room for 27 such shares?).

    There are 0.0002 left for 27 words: at one in ten thousand each they would take 0.0027. At most two are
    there, and most are far below.
    """
    return 27 * 1e-4 <= 1 - 0.9998


@claim(
    place="3 The search-result page",
    chapter="21",
    stated=[2, 4, 64, 28],
    verdict="unverifiable",
    checked="not possible",
)
def wb3_028():
    """The worked example model: two layers, four heads, width 64, 28-word vocabulary.

    These are the set-up numbers of the trained toy; the per-head width would be 64/4=16.
    """


@claim(
    place="4 Confident and uncertain searches",
    chapter="21",
    section="A confident and an uncertain distribution",
    cell="pages = {text: results(text) for text in prompts",
    stated=[0.1, 0.12],
    verdict="unverifiable",
    checked="not possible",
)
def wb3_007():
    """Uncertain search: eight player tokens (2,6,3,4,7,1,5,8) nearly tie at about 0.10-0.12 each.

    A measurement on the same toy model; the point is a flat eight-way tie, not the exact heights.
    """


@claim(
    place="4 Confident and uncertain searches",
    chapter="21",
    section="A confident and an uncertain distribution",
    stated=True,
    verdict="holds",
)
def wb3_008():
    """Eight words at 0.10-0.12 is a legal distribution (total mass between 0.80 and 0.96).

    8 x 0.10 = 0.80 and 8 x 0.12 = 0.96, leaving room for the remaining 20 words.
    """
    lo, hi = 0.1, 0.12
    return 8 * lo <= 1 and 8 * hi <= 1


@claim(
    place="4 Confident and uncertain searches",
    chapter="21",
    section="A confident and an uncertain distribution",
    cell="tempered = {T: (scores / T).softmax(dim=0) for T in",
    cell_in="03",
    stated=True,
    verdict="holds",
)
def wb3_009():
    """High temperature flattens the distribution and low temperature sharpens it.

    Entropy rises monotonically with temperature on the appendix logits.
    """
    return entropy(next_token(LOGITS, 2)) > entropy(next_token(LOGITS)) > entropy(next_token(LOGITS, 0.5))


@claim(
    place="4 Confident and uncertain searches",
    chapter="21",
    section="Confident and wrong",
    cell="(first, second), where = p.topk(2)",
    stated=1.0,
    unit=1e-09,
    verdict="holds",
)
def wb3_010():
    """Softmax still sums to one even when no word fits well.

    Normalisation is automatic whatever the logits are, so a ranking is always produced.
    """
    logits = np.array([-9.0, -9.1, -9.2])
    return next_token(logits).sum()


@claim(
    place="4 Confident and uncertain searches",
    chapter="21",
    cell="(first, second), where = p.topk(2)",
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def wb3_030():
    """A hallucination is a query that points nowhere in particular and yet gets a confident-looking top
    result.

    It may also point firmly to a wrong place: asked what has no answer, our model gave 0.67 to 1.00. By the
    note's own rule a query that points nowhere gives a flat page.
    """


@claim(
    place="5 The fulcrum",
    chapter="21",
    cell="push = np.diff(journey.points[:, 0], prepend=jou",
    cell_in="09",
    stated=[-3.1, 10.6],
    verdict="unverifiable",
    checked="not possible",
)
def wb3_011():
    """Along Tarso the coordinate of the last token's vector goes from -3.1 up to +10.6.

    A measurement on the trained toy; the axis is a unit direction, so the numbers are in residual units.
    """


@claim(
    place="5 The fulcrum",
    chapter="21",
    cell="push = np.diff(journey.points[:, 0], prepend=jou",
    cell_in="09",
    stated=7.62,
    verdict="unverifiable",
    checked="not possible",
)
def wb3_012():
    """Block-0 attention alone contributes +7.62 along the Tarso axis.

    A measurement of one additive write in the trained toy.
    """


@claim(place="5 The fulcrum", chapter="21", stated=True, verdict="holds")
def wb3_013():
    """The +7.62 is only part of the whole climb of 13.7 (from -3.1 to +10.6).

    7.62 of 13.7 is 56 percent, so the stated share is at least internally possible; the other writes supply
    the remaining 6.1.
    """
    a, b, w = -3.1, 10.6, 7.62
    return 0 < w < b - a


@claim(place="5 The fulcrum", chapter="21", stated=True, verdict="holds")
def wb3_014():
    """With tied weights, moving the residual towards a word's direction raises that word's logit.

    The logit changes by the step times the squared length of the word vector, which is positive (ignoring
    the final LayerNorm).
    """
    return (H + 0.1 * D[0]) @ D[0] > H @ D[0]


@claim(
    place="5 The fulcrum",
    chapter="21",
    cell="last = seen_game.streams[:, 0, -1]  # the last p",
    cell_in="15",
    stated=0.92,
    verdict="unverifiable",
    checked="not possible",
)
def wb3_015():
    """Logit lens: after the first block the model already ranks Tarso first with probability 0.92.

    A measurement on the toy; in log-odds the second block then adds about 6 (2.4 to 8.5), so "only
    sharpens" understates it.
    """


@claim(
    place="5 The fulcrum",
    chapter="13",
    cell="matrix(torch.cat([x, before @ W_2, x @ (W_1 @ W_",
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def wb3_029():
    """The query is produced by arithmetic alone: matrix products, dot products, a normalisation.

    Pure calculation it is. Not all of it is sums and products: softmax and ReLU bend, and without them the
    layers would collapse into one.
    """


@claim(
    place="6 From a toy to a contract",
    chapter="15",
    stated=[12288, 50000],
    verdict="unverifiable",
    checked="not possible",
)
def wb3_016():
    """At the top of the field the query has 12,288 numbers (toy: 64) and the dictionary 50,000-plus pieces
    (toy: 28).

    Published GPT-3 figures (d_model 12,288, vocabulary 50,257) quoted without derivation; they agree with
    the GPT-3 paper and with the other two sources.
    """


@claim(
    place="Appendix A",
    chapter="21",
    section="Three words",
    cell="logits = dictionary @ h",
    stated=[[1.2, 0.2, 0.02], [0.3, 0.5, -0.04], [-0.5, 0.1, -0.18]],
    unit=0.01,
    verdict="holds",
)
def wb3_017():
    """Term-by-term products of h with the three dictionary vectors.

    All nine products are right.
    """
    return H * D


@claim(
    place="Appendix A",
    chapter="21",
    section="Three words",
    cell="logits = dictionary @ h",
    stated=[1.42, 0.76, -0.58],
    unit=0.01,
    verdict="holds",
)
def wb3_018():
    """Logits of Tarso, Cefa, Paolo by dot product.

    The three sums follow exactly from h and the dictionary rows.
    """
    return H @ D.T


@claim(
    place="Appendix A",
    chapter="21",
    section="Three words",
    cell="logits = dictionary @ h",
    stated=[4.14, 2.14, 0.56],
    unit=0.01,
    verdict="holds",
    added=True,
)
def wb3_019():
    """e to the 1.42, 0.76 and −0.58 are 4.14, 2.14 and 0.56

    4.137, 2.138 and 0.560.
    """
    return np.exp(LOGITS)


@claim(
    place="Appendix A",
    chapter="21",
    section="Three words",
    cell="logits = dictionary @ h",
    stated=6.84,
    unit=0.01,
    verdict="holds",
)
def wb3_020():
    """Sum of the three exponentials.

    6.835 rounds to 6.84, and so does the sum of the printed terms.
    """
    return np.exp(LOGITS).sum()


@claim(
    place="Appendix A",
    chapter="21",
    section="Three words",
    cell="logits = dictionary @ h",
    stated=[0.61, 0.31, 0.08],
    unit=0.01,
    verdict="holds",
)
def wb3_021():
    """Softmax probabilities of the three words.

    At full precision these are 0.605, 0.313, 0.082.
    """
    return next_token(H @ D.T)


@claim(place="Appendix A", chapter="21", section="Three words", stated=True, verdict="holds")
def wb3_022():
    """Tarso wins because its dictionary row has the smallest angle to the query.

    Cosines are 0.985, 0.630 and -0.487, so in this example the largest dot product is also the best
    aligned.
    """
    return np.argmax([inside.cosine(H, d) for d in D]) == np.argmax([H @ d for d in D])


@claim(
    place="Appendix A",
    chapter="21",
    section="Three words",
    cell="stretched = {s: (dictionary @ (s * h)).softmax(d",
    stated=[4.26, 2.28, -1.74],
    unit=0.01,
    verdict="holds",
)
def wb3_023():
    """Tripling h gives logits (4.26, 2.28, -1.74).

    Logits scale linearly with h.
    """
    return 3 * H @ D.T


@claim(
    place="Appendix A",
    chapter="21",
    section="Three words",
    cell="stretched = {s: (dictionary @ (s * h)).softmax(d",
    stated=[0.87, 0.12, 0.01],
    unit=0.01,
    verdict="rounding",
)
def wb3_024():
    """Probabilities after tripling h: (0.87, 0.12, 0.01).

    True values are 0.877, 0.121, 0.002, i.e. (0.88, 0.12, 0.00): two entries are one unit off, and the
    smallest is overstated more than fourfold.
    """
    return next_token(3 * H @ D.T)


@claim(
    place="Appendix A",
    chapter="21",
    section="Three words",
    cell="stretched = {s: (dictionary @ (s * h)).softmax(d",
    stated=True,
    verdict="holds",
)
def wb3_025():
    """Scaling the query keeps the winner and sharpens the distribution.

    Scaling all logits by a positive factor preserves their order and raises the top probability.
    """
    return (
        np.argmax(H @ D.T) == np.argmax(3 * H @ D.T)
        and next_token(3 * H @ D.T).max() > next_token(H @ D.T).max()
    )


@claim(place="8 Where the analogy breaks", chapter="21", stated=1, within=1e-09, verdict="holds", added=True)
def wb3_026():
    """Determinism is the special case of temperature zero (share of the best of the three words at a
    temperature of 0.01).

    With leads of 0.66 and more, nothing is left for the others.
    """
    return next_token(LOGITS, 0.01)[0]


@claim(
    place="7 The conveyor belt grows",
    chapter="27",
    cell='evil = "the bear and rosa saw a red ball',
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def wb3_032():
    """What a tool returns becomes ordinary text, of the same kind as what the user typed.

    As vectors it is, and the model believes it as readily: with a calculator that is off by one it repeats
    the wrong result. But systems in use fence results with special tokens that no text can spell, and that
    keeps a page from becoming a request.
    """


@claim(
    place="8 Where the analogy breaks",
    chapter="27",
    cell="guess = answer_distribution(shop.model, vocabulary, asked",
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def wb3_033():
    """Retrieval puts relevant documents into the context, and so the model's query points to solid ground.

    If the right page is found. After a wrong page our model was as sure as after the right one, and named
    what stood on it: the accuracy is recall times the reader's accuracy with the right page, plus the rest
    times that with a wrong one.
    """


@claim(place="Appendix B", chapter="06", stated=None, verdict="unverifiable", checked="not possible")
def wb3_027():
    """Three-word, length-3 toy dictionary and the query are posited, not produced by a prompt.

    The source says so itself: upstream layers are skipped, so h and the dictionary have no derivation to
    check.
    """
