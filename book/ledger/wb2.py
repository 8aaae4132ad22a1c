"""Workbench 2: embeddings and how to look at them."""

import numpy as np

from book.ledger.claims import claim
from book.ledger.helpers import next_token, random_rows
from support import inside

KING = np.array([2, 1, 0])
MAN = np.array([1, 1, 1])
QUEEN = np.array([2, -1, 0])
WOMAN = np.array([1, -1, 1])


@claim(
    place="1 What an embedding is", chapter="08", stated=768, verdict="unverifiable", checked="not possible"
)
def wb2_001():
    """GPT-2 embeds tokens in a 768-dimensional space.

    Published GPT-2 small width, quoted without derivation; it agrees with the GPT-2 paper and with the QKV
    note.
    """


@claim(
    place="1 What an embedding is",
    chapter="08",
    cell='hands = {"learned, init 0.02": "rich 0.02", "le',
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def wb2_044():
    """trying to choose the axes of an embedding oneself breaks the model

    Choosing badly does. In our experiment rows that were dictated from the true features and then frozen
    reached a lower loss than learned ones, and all their axes could be read.
    """


@claim(
    place="2 The pivot",
    chapter="08",
    section="What our model learned",
    stated=[40, 6, 2, 2, 32],
    verdict="unverifiable",
    checked="not possible",
)
def wb2_002():
    """Semantic toy: about 40 words, six hand-wired axes in {-1,0,1}, model 2 layers x 2 heads x width 32.

    Set-up of the failed hand-wired experiment; the latent table and corpus are not printed.
    """


@claim(
    place="2 The pivot",
    chapter="08",
    section="What our model learned",
    cell="designed = semantic.judged(LATENTS)",
    stated=70,
    verdict="unverifiable",
    checked="not possible",
)
def wb2_003():
    """Top two principal components of the hand-wired latent table hold 70% of the variance.

    The latent table is not given, so the share cannot be recomputed.
    """


@claim(
    place="2 The pivot",
    chapter="08",
    section="What our model learned",
    cell="designed = semantic.judged(LATENTS)",
    stated=20,
    verdict="unverifiable",
    checked="not possible",
)
def wb2_004():
    """Top two principal components of the learned 32-d embedding hold only 20% of the variance.

    A measurement on one trained toy.
    """


@claim(
    place="2 The pivot",
    chapter="08",
    section="What our model learned",
    cell='print(f"cosine of the nearest word to king − man',
    stated=0.42,
    verdict="unverifiable",
    checked="not possible",
)
def wb2_005():
    """king - man + woman lands nearest to lioness (cosine 0.42), then child and cub; queen is not in the
    top five.

    A measurement on one trained toy; whether input words were excluded from the search is not said.
    """


@claim(
    place="2 The pivot",
    chapter="08",
    section="What our model learned",
    cell="designed = semantic.judged(LATENTS)",
    stated=[50, 75],
    verdict="unverifiable",
    checked="not possible",
)
def wb2_006():
    """Six principal components of the learned embedding reach 50% cumulative variance against a 75%
    target.

    A measurement against a preset acceptance threshold.
    """


@claim(
    place="2 The pivot",
    chapter="08",
    section="What our model learned",
    cell="designed = semantic.judged(LATENTS)",
    stated=[0, 6, 0.8],
    verdict="unverifiable",
    checked="not possible",
)
def wb2_007():
    """Zero of six linear probes read a latent axis back at R^2 > 0.8.

    A measurement; the probe protocol is not described beyond its threshold.
    """


@claim(
    place="2 The pivot",
    chapter="08",
    section="What our model learned",
    cell="designed = semantic.judged(LATENTS)",
    stated=[2, 5],
    verdict="unverifiable",
    checked="not possible",
)
def wb2_008():
    """Only two of five designed analogies were recovered.

    A measurement; the five analogies are not listed.
    """


@claim(place="2 The pivot", chapter="08", section="What our model learned", stated=True, verdict="holds")
def wb2_009():
    """20% in the top two and 50% in the top six components are mutually consistent.

    Components 3 to 6 average 7.5%, below the 10% average of the first two, as a decreasing spectrum
    requires.
    """
    t2, t6 = 20, 50
    return t6 > t2 and (t6 - t2) / 4 <= t2 / 2


@claim(
    place="2 The pivot",
    chapter="08",
    section="Deeper: the factors, side by side",
    cell='arrow = lambda both, key: " → ".join(f"{np.mean(',
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def wb2_040():
    """the failed experiment shows that a learned table is spread over all directions, in superposition, so
    that a table of meaning cannot be dictated

    One failed experiment leaves room for other causes: in ours a thin text, or a large random start, gives
    the same failure. The note itself asks whether it is too strong.
    """


@claim(
    place="2b Superposition",
    chapter="08",
    cell="widths = [4, 8, 16, 32, 64, 128, 256, 512]",
    stated=True,
    verdict="holds",
)
def wb2_010():
    """A high-dimensional space has room for many almost-orthogonal directions, more than it has
    dimensions.

    Twice as many random unit vectors as dimensions (1,536 in 768) have pairwise cosines all below 0.25 in
    size.
    """
    d = 768
    return abs(np.triu(inside.cosines(random_rows(2 * d, d)), 1)).max() < 0.25


@claim(
    place="3 What real embeddings are like",
    chapter="15",
    stated=[768, 4096, 12288],
    verdict="unverifiable",
    checked="not possible",
)
def wb2_011():
    """Embedding widths: 768 (GPT-2 small), 4096 (typical 7B), 12,288 (GPT-3).

    Published model widths quoted without derivation; they agree with the model papers.
    """


@claim(
    place="4 Three ways to look",
    chapter="09",
    stated=[28, 2, 4, 64],
    verdict="unverifiable",
    checked="not possible",
)
def wb2_012():
    """The dialogue-game embedding mapped three ways: 28 tokens, 2 layers x 4 heads, width 64.

    Set-up numbers of the mapped space.
    """


@claim(
    place="4a Concept directions",
    chapter="09",
    cell='table([["50,000 × 6 table", "300,000", f"{50_000',
    cell_in="08",
    stated=True,
    verdict="overstated",
)
def wb2_013():
    """Moving the residual towards a token's embedding direction raises that token's probability (tied
    weights).

    It always raises that token's logit, but not always its probability: with embeddings (1,0) and (3,0) the
    step raises the second token's logit three times as fast, so the first token's probability falls.
    """
    Em = np.array([[1, 0], [3, 0]])
    h = np.array([0, 0])
    return next_token((h + 0.1 * Em[0]) @ Em.T)[0] > next_token(h @ Em.T)[0]


@claim(
    place="4a Concept directions",
    chapter="09",
    section="Map one: a plane of our choice",
    cell="push = np.diff(journey.points[:, 0], prepend=jou",
    stated=[-3.1, 10.6],
    verdict="unverifiable",
    checked="not possible",
)
def wb2_014():
    """For the Tarso prompt the last vector's coordinate along Tarso goes from -3.1 up to +10.6.

    Same measurement as in the final-step note.
    """


@claim(
    place="4a Concept directions",
    chapter="09",
    section="Map one: a plane of our choice",
    cell="push = np.diff(journey.points[:, 0], prepend=jou",
    stated=7.62,
    verdict="unverifiable",
    checked="not possible",
)
def wb2_015():
    """Layer-0 attention supplies the +7.62 push towards the title.

    Same measurement as in the final-step note; it is a projection of a write, not a switch-off test.
    """


@claim(
    place="4a Concept directions",
    chapter="09",
    section="Map one: a plane of our choice",
    cell="def noise_share(n, d):",
    stated=15,
    verdict="unverifiable",
    checked="not possible",
)
def wb2_016():
    """The concept plane of panel (a) holds only 15% of the vocabulary's spread.

    A measurement on the trained toy.
    """


@claim(
    place="4a Concept directions",
    chapter="09",
    section="Map one: a plane of our choice",
    cell="def noise_share(n, d):",
    stated=[28, 72],
    verdict="unverifiable",
    checked="not possible",
)
def wb2_017():
    """The residual plane holds 28% of the trajectory's spread, against 72% for the best possible plane.

    A measurement on the trained toy.
    """


@claim(place="4a Concept directions", chapter="09", stated=0, within=1e-09, verdict="holds", added=True)
def wb2_039():
    """after Gram-Schmidt the two axes are independent (correlation of the coordinates of the four words of
    the hand example)

    The axes stand at a right angle, and for these four words the coordinates are uncorrelated, too. For
    other words they need not be: leave one of the four away, and it is −0.5.
    """
    words = np.array([KING, QUEEN, MAN, WOMAN])
    return np.corrcoef(inside.concept_plane(words, KING - QUEEN, KING - MAN).points.T)[0, 1]


@claim(
    place="4b PCA",
    chapter="09",
    section="Map two: PCA",
    cell="def noise_share(n, d):",
    stated=True,
    verdict="holds",
)
def wb2_018():
    """A chosen plane cannot beat the PCA plane: 15% <= 34.7% and 28% <= 72%.

    The top-2 PCA plane is optimal for variance, so both supervised planes must and do lie below it.
    """
    return 15 <= 34.7 and 28 <= 72


@claim(
    place="4b PCA",
    chapter="09",
    section="Map two: PCA",
    cell="some = np.random.default_rng(0).normal(size=(27,",
    stated=True,
    verdict="holds",
)
def wb2_019():
    """PCA comes from an SVD of the centred data and equals the eigen-decomposition of its covariance.

    Squared singular values equal the covariance eigenvalues on a random 28 x 64 matrix.
    """
    rows = random_rows(28, 64)
    eigenvalues = np.sort(np.linalg.eigvalsh(np.cov(rows.T)))[::-1]
    return np.allclose(inside.pca(rows, 1).shares[:27], eigenvalues[:27] / eigenvalues.sum())


@claim(
    place="4b PCA",
    chapter="09",
    section="Map two: PCA",
    cell="def noise_share(n, d):",
    stated=34.7,
    verdict="unverifiable",
    checked="not possible",
)
def wb2_020():
    """PCA of the 28 embeddings: top two components hold 34.7% of the variance.

    A measurement on the trained toy.
    """


@claim(
    place="4b PCA",
    chapter="09",
    section="Map two: PCA",
    cell="def noise_share(n, d):",
    stated=55.3,
    verdict="unverifiable",
    checked="not possible",
)
def wb2_021():
    """PCA of the 28 embeddings: top four components hold 55.3%.

    A measurement on the trained toy.
    """


@claim(place="4b PCA", chapter="09", section="Map two: PCA", stated=True, verdict="holds")
def wb2_022():
    """34.7% (two components) and 55.3% (four) are mutually consistent.

    Components 3 and 4 add 20.6 points, less than the first two, as a sorted spectrum requires.
    """
    t2, t4 = 34.7, 55.3
    return t4 - t2 <= t2


@claim(place="4b PCA", chapter="09", section="Map two: PCA", stated=True, verdict="holds")
def wb2_023():
    """34.7% is "only a third".

    0.347 differs from one third by 1.4 points.
    """
    t2 = 0.347
    return abs(t2 - 1 / 3) < 0.02


@claim(
    place="4b PCA",
    chapter="09",
    section="Map two: PCA",
    cell="def noise_share(n, d):",
    stated=[34.7, 43.5],
    verdict="unverifiable",
    checked="not possible",
)
def wb2_024():
    """Projecting rows to the unit sphere first lifts the 2-D share from 34.7% to 43.5%.

    A measurement on the trained toy.
    """


@claim(
    place="4b PCA",
    chapter="09",
    cell="sphere = pca(unit_sphere(G))",
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def wb2_042():
    """putting all rows on the unit sphere removes frequency

    It removes length, and frequency as far as it shows in length. A direction that goes with frequency
    stays, and the two shares that are compared are shares of different wholes.
    """


@claim(
    place="4c t-SNE",
    chapter="09",
    section="Maps three and four: t-SNE and UMAP",
    cell="six = [(perplexity, seed) for perplexity in draw",
    stated=None,
    verdict="unverifiable",
    checked="not possible",
)
def wb2_025():
    """Two seeds at the same perplexity put Paolo top-left in one map and bottom-centre in the other.

    A qualitative measurement; neither the seeds nor the perplexity are given.
    """


@claim(
    place="4c t-SNE",
    chapter="09",
    cell="straight, bent = pca(villages).points, [tsne(vil",
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def wb2_041():
    """the gaps between the blobs of a t-SNE drawing carry no information

    As a rule for reading one drawing, yes. They are not random: with wide neighbourhoods they keep much of
    the order of distances, but the drawing does not say when.
    """


@claim(
    place="5 Capstone",
    chapter="09",
    cell="def noise_share(n, d):",
    stated=33,
    verdict="unverifiable",
    checked="not possible",
)
def wb2_026():
    """TinyStories model: PCA holds 33% of the variance in 2-D.

    A measurement on a community checkpoint; the 84 tokens are not listed.
    """


@claim(
    place="5 Capstone", chapter="08", stated=[50257, 64, 84], verdict="unverifiable", checked="not possible"
)
def wb2_027():
    """That model has a 50,257-token vocabulary and 64-dimensional embeddings; 84 tokens were curated.

    Set-up facts; 50,257 x 64 is 3.2 million numbers, so almost the whole of a 3M-parameter model would be
    its embedding table.
    """


@claim(
    place="5 Capstone",
    chapter="09",
    cell="cut = {name: (abs(np.corrcoef(pca(v).points[:, 0",
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def wb2_043():
    """function words lie apart on the first component because they are frequent

    They differ from nouns by their work as well as by their number; the picture cannot tell the two causes
    apart.
    """


@claim(
    place="6 Connection",
    chapter="15",
    cell="rows = model.embedding.weight.detach()[1:]",
    stated=True,
    verdict="overstated",
)
def wb2_028():
    """The unembedding finds the nearest word: the largest dot product picks the nearest vector.

    Largest inner product is not nearest neighbour when lengths differ: (1,0) is at distance 0 from the
    query yet (3,3) has the larger dot product.
    """
    h = np.array([1, 0])
    D = np.array([[1, 0], [3, 3]])
    return np.argmax(h @ D.T) == np.argmin(np.linalg.norm(D - h, axis=1))


@claim(
    place="Appendix A",
    chapter="09",
    section="A plane of your own choice",
    cell="v1 = king - queen",
    stated=[[0, 2, 0], [0, 1, 0]],
    unit=0.01,
    verdict="holds",
)
def wb2_029():
    """v1 = king - queen and its unit vector e1.

    The difference is (0,2,0), of length 2.
    """
    return [KING - QUEEN, inside.gram_schmidt(KING - QUEEN)[0]]


@claim(
    place="Appendix A",
    chapter="09",
    section="A plane of your own choice",
    cell="landed = np.column_stack([toy @ e1, toy @ e2])",
    stated=[1, -1, 1, -1],
    verdict="holds",
)
def wb2_030():
    """In this toy, dimension 2 carries gender: +1 for male words, -1 for female.

    Read straight off the four rows.
    """
    return [word @ inside.gram_schmidt(KING - QUEEN)[0] for word in (KING, QUEEN, MAN, WOMAN)]


@claim(
    place="Appendix A",
    chapter="09",
    section="A plane of your own choice",
    cell="v2, clumsy = king - man",
    stated=[[1, 0, -1], 0],
    verdict="holds",
)
def wb2_031():
    """v2 = king - man and its dot product with e1 is 0.

    The second coordinate of v2 is zero, so it is already orthogonal.
    """
    return [KING - MAN, (KING - MAN) @ inside.gram_schmidt(KING - QUEEN)[0]]


@claim(
    place="Appendix A",
    chapter="09",
    section="A plane of your own choice",
    cell="v2, clumsy = king - man",
    stated=[0.71, 0, -0.71],
    unit=0.01,
    verdict="holds",
)
def wb2_032():
    """e2 = v2/|v2| is about (0.71, 0, -0.71).

    The computation is 1/sqrt(2) = 0.7071.
    """
    return inside.gram_schmidt(KING - QUEEN, KING - MAN)[1]


@claim(
    place="Appendix A",
    chapter="09",
    section="A plane of your own choice",
    cell="landed = np.column_stack([toy @ e1, toy @ e2])",
    stated=[[1, 1.41], [-1, 1.41], [1, 0.0], [-1, 0.0]],
    unit=0.01,
    verdict="holds",
)
def wb2_033():
    """Coordinates of the four words on (e1, e2).

    All eight coordinates are right; sqrt(2) = 1.414.
    """
    return inside.concept_plane(np.array([KING, QUEEN, MAN, WOMAN]), KING - QUEEN, KING - MAN).points


@claim(
    place="Appendix A",
    chapter="09",
    section="A plane of your own choice",
    cell="E4 = np.array([[2.0, 1, 0], [2, -1, 0], [1, 1, 1",
    cell_in="08",
    stated=[2, -1, 0],
    verdict="holds",
)
def wb2_034():
    """king - man + woman equals queen exactly.

    Holds by construction of the four vectors.
    """
    return KING - MAN + WOMAN


@claim(
    place="Appendix A",
    chapter="09",
    section="A plane of your own choice",
    cell="landed = np.column_stack([toy @ e1, toy @ e2])",
    stated=True,
    verdict="holds",
)
def wb2_035():
    """The four words form an exact parallelogram.

    Both gender differences equal (0,2,0).
    """
    return np.allclose(KING - QUEEN, MAN - WOMAN)


@claim(
    place="Appendix B",
    chapter="08",
    cell='print("Gram–Schmidt, as by hand:", np.allclose([e1',
    cell_in="09",
    stated=True,
    verdict="holds",
)
def wb2_036():
    """Gram-Schmidt turns two directions into a perpendicular unit pair.

    Subtracting the projection leaves a vector with zero dot product.
    """
    pair = inside.gram_schmidt(random_rows(64), random_rows(64, seed=1))
    return np.abs(pair @ pair.T - np.eye(2)).max() < 1e-12


@claim(
    place="Appendix B",
    chapter="08",
    cell="a = torch.tensor([0.6, -1.1])",
    stated=[1, 0, -1],
    unit=1e-09,
    verdict="holds",
)
def wb2_037():
    """Cosine similarity ignores length: +1 same direction, 0 orthogonal, -1 opposite.

    Scaling either vector leaves the cosine unchanged.
    """
    a = np.array([1, 2])
    b = np.array([2, -1])
    return [inside.cosine(a, 3 * a), inside.cosine(a, b), inside.cosine(a, -2 * a)]


@claim(place="Appendix B", chapter="08", stated=[28, 50257], verdict="unverifiable", checked="not possible")
def wb2_038():
    """Vocabulary sizes: 28 (dialogue game), 50,257 (GPT-2/GPT-3).

    The first is the toy set-up, the second a published figure that agrees with the GPT-2 tokenizer.
    """
