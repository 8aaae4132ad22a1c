"""Complete guide: chapters 18 to 21 and the closing words (assistants, the three families, scale)."""

from book.ledger.claims import claim
from book.ledger.helpers import causal_mask


@claim(
    place="Ch.18 Post-training",
    chapter="20",
    cell="v100_hours = C / 28e12 / 3600",
    stated=3640,
    unit=10,
    verdict="holds",
)
def cg_352():
    """GPT-3 pre-training used 3,640 petaflop-days.

    Six operations per parameter and token with 174.6B parameters and 300B tokens give 3,638.
    """
    return 6 * 174600000000.0 * 300000000000.0 / (1000000000000000.0 * 86400)


@claim(
    place="Ch.18 Post-training", chapter="25", stated=4.5e13, verdict="unverifiable", checked="not possible"
)
def cg_353():
    """GPT-3 was pre-trained on 45 TB of text.

    The source's own 300 billion tokens at about 4 bytes each are 1.2 TB; 45 TB is the published size of the
    raw crawl before filtering to 570 GB.
    """


@claim(
    place="Ch.18 Post-training",
    chapter="25",
    stated=[10000000.0, 1000, 50000],
    verdict="unverifiable",
    checked="not possible",
    section="What the sources say",
)
def cg_354():
    """Stage costs: pre-training $10 million, fine-tuning $1,000, instruction tuning/RLHF $50,000.

    Ballpark figures with no inputs.
    """


@claim(
    place="Ch.18 Post-training", chapter="26", section="What the sources say", stated=50000, verdict="slip"
)
def cg_355():
    """Instruction tuning plus RLHF cost $50,000, later itemised as $50K and $100K.

    The itemised stages add to $150K, three times the earlier figure.
    """
    return 50000 + 100000


@claim(place="Ch.18 Post-training", chapter="25", stated=1000, verdict="holds")
def cg_356():
    """Fine-tuning is 1000 times cheaper than pre-training.

    $10 million against the quoted upper end of $10,000; at $100 it is 100,000 times.
    """
    return 10000000.0 / 10000


@claim(
    place="Ch.18 Post-training", chapter="25", stated=13000, verdict="unverifiable", checked="not possible"
)
def cg_357():
    """InstructGPT used 13K instruction-response pairs.

    External fact; it agrees with the InstructGPT paper.
    """


@claim(
    place="Ch.18 Post-training",
    chapter="26",
    stated=[117000000.0, 1500000000.0, 1.75e11],
    verdict="unverifiable",
    checked="not possible",
)
def cg_358():
    """GPT-1 117M, GPT-2 1.5B, GPT-3 175B parameters.

    External figures as published; see the stacking entries for the two that can be recomputed.
    """


@claim(place="Ch.18 Post-training", chapter="25", stated=99, verdict="unverifiable", checked="not possible")
def cg_359():
    """Of all engineers in machine learning 99% fine-tune, and do not pre-train.

    No survey is cited.
    """


@claim(place="Ch.18 Post-training", chapter="26", stated=0.01, verdict="unverifiable", checked="not possible")
def cg_360():
    """API price $0.01 per 1000 tokens.

    External price that changes.
    """


@claim(
    place="Ch.18 Post-training", chapter="25", stated=4.5e13, relative=0.5, verdict="overstated", added=True
)
def cg_416():
    """GPT-3 was trained on 45 TB of text (bytes in its 300 billion tokens, at four a token).

    The 45 TB were the raw crawl before filtering; what it read is about 1.2 TB.
    """
    return 300000000000.0 * 4


@claim(
    place="Ch.18 Post-training",
    chapter="26",
    section="What the sources say",
    stated=100000,
    verdict="slip",
    checked="by reading",
    added=True,
)
def cg_417():
    """InstructGPT learned from 100,000 pairs of instruction and answer, a few pages on from 13,000.

    The paper gives about 13,000; the two figures name the same data.
    """


@claim(
    place="Ch.18 Post-training",
    chapter="25",
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
    cell="fig = plot_bars(pairs, labels",
)
def cg_433():
    """Fine-tuning adapts the last layers most, and early ones hardly change.

    Given without a measurement, and a page after the advice to update all layers. In a model of two layers,
    where it can be measured, both layers change alike, and training the first alone does as well as training
    the last alone.
    """


@claim(
    place="Ch.18 Post-training",
    chapter="25",
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def cg_434():
    """Llama 2 is open source.

    Its weights may be downloaded under Meta's own licence, which has conditions on use and on large firms;
    the data and the recipe were not published.
    """


@claim(
    place="Ch.18 Post-training",
    chapter="26",
    section="What the sources say",
    stated=None,
    verdict="slip",
    checked="by reading",
    added=True,
)
def cg_435():
    """InstructGPT is what comes before RLHF, and ChatGPT what comes after it.

    InstructGPT had RLHF, as the guide's own timeline says a few pages on.
    """


@claim(
    place="Ch.18 Post-training",
    chapter="26",
    section="What the sources say",
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def cg_436():
    """ChatGPT is InstructGPT, released.

    A sibling by OpenAI's account: the same method, with dialogues as data and another base model, as the
    guide's next line says.
    """


@claim(
    place="Ch.18 Post-training",
    chapter="26",
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def cg_437():
    """GPT-1, GPT-2 and GPT-3 were all pre-trained on the internet.

    GPT-1 was trained on BooksCorpus, some thousands of unpublished books.
    """


@claim(
    place="Ch.19 Architectures",
    chapter="17",
    cell='"decoder": causal_mask(6).double()',
    stated=[
        [1, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0],
        [1, 1, 1, 0, 0, 0],
        [1, 1, 1, 1, 0, 0],
        [1, 1, 1, 1, 1, 0],
        [1, 1, 1, 1, 1, 1],
    ],
    verdict="holds",
)
def cg_361():
    """The 6x6 decoder mask is lower triangular.

    21 of 36 cells are open.
    """
    return causal_mask(6) * 1


@claim(
    place="Ch.19 Architectures",
    chapter="17",
    cell="kinds of attention in a decoder block",
    stated=3,
    verdict="slip",
    checked="by reading",
)
def cg_362():
    """An encoder-decoder's decoder has three types of attention.

    The third item listed is the feed-forward layer, which is not attention; there are two.
    """


@claim(
    place="Ch.19 Architectures",
    chapter="17",
    cell="shared items of eleven",
    stated=80,
    unit=10,
    verdict="slip",
)
def cg_363():
    """About 80% of what was taught applies to all transformers.

    Of the eleven items in the list just above, seven are marked as shared, 64%.
    """
    return 100 * 7 / 11


@claim(
    place="Ch.19 Architectures",
    chapter="17",
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def cg_364():
    """From 2017 to 2019 everybody used encoder-decoders; then the decoder-only models came.

    GPT (decoder only) and BERT (encoder only) are of 2018, before T5 and BART, which are given as examples.
    """


@claim(
    place="Ch.19 Architectures", chapter="17", stated=1.7e12, verdict="unverifiable", checked="not possible"
)
def cg_365():
    """GPT-4 has about 1.7 trillion parameters.

    No official figure exists.
    """


@claim(
    place="Ch.19 Architectures", chapter="17", stated=None, verdict="slip", checked="by reading", added=True
)
def cg_418():
    """For the sentence with a blank at its end, BERT sees the word "mat" as well.

    The blank is what BERT has to guess: it sees all words but that one. What it does see, unlike GPT, are
    words behind a blank.
    """


@claim(
    place="Ch.19 Architectures", chapter="17", stated=None, verdict="slip", checked="by reading", added=True
)
def cg_419():
    """The causal mask, the output over the vocabulary and word-by-word generation belong to decoder-only
    models.

    The decoder of an encoder-decoder has all three, as the same chapter says a page earlier.
    """


@claim(
    place="Ch.19 Architectures",
    chapter="17",
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def cg_420():
    """To get BERT from a GPT, take the mask away and put a classifier at the end; that is it.

    The training changes, too: without the mask the next word is no task, so BERT guesses words that are
    blanked out, and it has a third table, for segments.
    """


@claim(
    place="Ch.19 Architectures",
    chapter="17",
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def cg_438():
    """BERT cannot generate text because without a causal mask it would see its own output.

    It is not trained for it, and is poor at it. But seeing what is already written is no hindrance, as
    every decoder does so: a blank can be put at the end, filled, and the next blank added.
    """


@claim(
    place="Ch.19 Architectures", chapter="17", stated=None, verdict="slip", checked="by reading", added=True
)
def cg_439():
    """T5 adds positional encodings to its embeddings.

    The first transformer did. T5 adds a learned number for each distance to the attention's scores, and
    nothing to the embeddings.
    """


@claim(
    place="Ch.19 Architectures", chapter="17", stated=None, verdict="holds", checked="by reading", added=True
)
def cg_440():
    """For its first word a decoder has generated nothing to look back on.

    Nothing of its own: it looks at the start sign.
    """


@claim(
    place="Ch.19 Architectures",
    chapter="17",
    cell="words that the third of six sees",
    stated=3,
    verdict="holds",
    added=True,
)
def cg_441():
    """With the causal mask of the table, a word sees itself and the words before it (how many "sat", the
    third of six words, sees).

    Three. The short form says "past words", and the table shows the diagonal.
    """
    return causal_mask(6)[2].sum()


@claim(
    place="Ch.19 Architectures",
    chapter="17",
    stated=None,
    verdict="unverifiable",
    checked="not possible",
    added=True,
)
def cg_447():
    """GPT-4 and Claude are decoder-only models.

    Likely, but their makers have not published how they are built.
    """


@claim(place="Ch.20 Quiz", chapter="15", stated=True, verdict="holds")
def cg_366():
    """Self-attention costs O(n^2 d).

    Scores and weighted sums cost n^2 d each; the four projections add O(n d^2), which dominates for n below
    d.
    """
    n, d = 1024, 768
    return 2 * n * (2 * n) * d / (n * n * d) == 4


@claim(place="Ch.20 Quiz", chapter="03", stated=None, verdict="holds", checked="by reading", added=True)
def cg_442():
    """Softmax compared with a cake whose slices are as large as what each person did.

    For children. The chapter on attention says that the shares go by the exponential.
    """


@claim(
    place="Final thoughts: scale",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=[2048, 48, 32, 2048],
    verdict="holds",
)
def cg_367():
    """Ratios to GPT-3: width 2,048x, heads 48x, layers 32x, FFN 2,048x.

    All four ratios are exact.
    """
    return [12288 / 6, 96 / 2, 96 / 3, 4 * 12288 / (4 * 6)]


@claim(
    place="Final thoughts: scale",
    chapter="15",
    cell='["complete guide: its toy", "about 5,000", f"{gu',
    stated=5000,
    unit=1000,
    verdict="slip",
)
def cg_368():
    """The tutorial model has about 5,000 parameters.

    The embedding table alone has 300,000; with the tutorial's blocks the total is 301,296 tied (1,296
    without embeddings).
    """
    return 50000 * 6 + 3 * (2 * 3 * 3 * 3 + 36 + 6 * 24 + 24 + 24 * 6 + 6 + 24)


@claim(
    place="Final thoughts: scale",
    chapter="15",
    cell='["complete guide: its toy", "about 5,000", f"{gu',
    stated=35000000.0,
    unit=1000000.0,
    verdict="follows",
    follows="cg-368",
)
def cg_369():
    """GPT-3 has 35 million times more parameters.

    Against 301,296 it is 581,000 times; 35 million follows from the wrong 5,000.
    """
    return 175000000000.0 / (50000 * 6 + 3 * (2 * 3 * 3 * 3 + 36 + 6 * 24 + 24 + 24 * 6 + 6 + 24))


@claim(
    place="Final thoughts: scale",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=54,
    verdict="holds",
)
def cg_370():
    """Attention operations 3^2 x 6 = 54.

    The arithmetic is exact.
    """
    return 3 * 3 * 6


@claim(
    place="Final thoughts: scale",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=5.1e10,
    unit=1000000000.0,
    verdict="rounding",
)
def cg_371():
    """GPT-3 attention at 2048 tokens: 51 billion operations.

    51.54 billion rounds to 52 (per layer, scores only).
    """
    return 2048 * 2048 * 12288


@claim(
    place="Final thoughts: scale",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=432,
    verdict="holds",
)
def cg_372():
    """Feed-forward 3 x 6 x 24 = 432.

    Exact, for one of the two matrices.
    """
    return 3 * 6 * 24


@claim(
    place="Final thoughts: scale",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=1.2e12,
    unit=1e11,
    verdict="holds",
)
def cg_373():
    """GPT-3 feed-forward: 1.2 trillion operations.

    1.237 trillion (per layer, one of the two matrices).
    """
    return 2048 * 12288 * 49152


@claim(
    place="Final thoughts: scale",
    chapter="20",
    cell="share = mixing / (24 * 12288**2 + mixing)",
    stated=2,
    verdict="unverifiable",
    checked="not possible",
)
def cg_374():
    """Doubling compute roughly doubles capabilities.

    Capability has no unit here; published scaling laws find loss falling by a few percent per doubling of
    compute.
    """


@claim(
    place="Final thoughts: scale",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=[100, 10000, 1000000, 1000000000, 100000000000],
    verdict="unverifiable",
    checked="not possible",
)
def cg_375():
    """Abilities by number of examples from 100 to 100 billion.

    No models or tests are described.
    """


@claim(
    place="Final thoughts: scale",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=[3e11, 10000000.0],
    verdict="unverifiable",
    checked="not possible",
)
def cg_376():
    """GPT-3: 300B tokens, about $10 million.

    External figures; the cost is inside the $4-12 million quoted earlier.
    """


@claim(
    place="Final thoughts: scale",
    chapter="17",
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def cg_444():
    """All answers of ChatGPT and Claude go through exactly the steps of the guide, only with larger
    numbers.

    GPT-3 already has learned positions, norms before each part and GELU in place of the guide's sinusoids,
    norms after the sum and ReLU; what today's assistants have is not published.
    """


@claim(
    place="Final thoughts: scale",
    chapter="17",
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def cg_445():
    """Every innovation in AI since 2017 builds on these fundamentals: matrix products, attention,
    nonlinearity, norms, gradient descent, data, computation.

    The list is wide enough for it. Not all of it is transformers: AlphaZero is convolutional.
    """


@claim(
    place="Ch.18 Post-training",
    chapter="25",
    section="The picture",
    stated=None,
    verdict="conceptual",
    checked="by reading",
    added=True,
)
def cg_448():
    """Fine-tuning (stage two) and instruction tuning (stage three) are different kinds of training.

    They minimise the same loss, the cross-entropy of the next token. What differs is the text, and which of
    its tokens count.
    """
