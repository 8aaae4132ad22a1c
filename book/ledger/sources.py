"""The texts that this book grew from: what each is, who wrote it, and what the book calls it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Source:
    """One text; `parts` gives the short name of each of its documents by the beginning of its claims' ids."""

    key: str
    title: str
    kind: str
    holds: str
    parts: dict[str, str]
    author: str = ""
    documents: tuple[str, ...] = ()
    known_as: tuple[str, ...] = ()

    @property
    def described(self) -> str:
        """Title, kind and author in one phrase.

        >>> Source(key="x", title="A Guide", kind="a tutorial", holds="", parts={}).described
        'A Guide, a tutorial (author not named)'
        """
        return f"{self.title}, {self.kind}" + (f" by {self.author}" if self.author else " (author not named)")

    @property
    def short(self) -> str:
        """The title that stands in a list."""
        return self.known_as[-1] if len(self.known_as) > 1 else self.title


SOURCES = (
    Source(
        key="from-scratch",
        title="Large Language Models from scratch",
        kind="two posts of the newsletter “Dimensionality Reduction”",
        holds="A neural network worked by hand (a student's exam), then the whole transformer, with one "
        "forward and one backward pass in numbers.",
        parts={"fs1": "From scratch, part 1", "fs2": "From scratch, part 2"},
        known_as=("from-scratch",),
    ),
    Source(
        key="workbench",
        title="Understanding LLMs to use them better in management and finance",
        kind="a series of three notes",
        holds="Built round a small live model, the calling game: attention, the embeddings and the maps "
        "drawn of them, and the last step as a search. Chapters call them the workbench notes.",
        parts={
            "wb1": "Workbench 1: attention",
            "wb2": "Workbench 2: embeddings",
            "wb3": "Workbench 3: the final step",
        },
        documents=(
            "Transformers and QKV Attention: A Primer",
            "Embeddings and the Maps We Draw of Them",
            "The Final Step: The Language Model as a Relentless Seeker of the Best Next Word",
        ),
        known_as=("workbench", "Understanding LLMs to use them better"),
    ),
    Source(
        key="complete-guide",
        title="Building a Transformer: The Complete Guide from Paper to Production",
        kind="a tutorial",
        holds="A transformer of six dimensions worked by hand, from the vocabulary to an assistant.",
        parts={"cg": "Complete guide"},
        known_as=("complete guide", "Building a Transformer: The Complete Guide"),
    ),
    Source(
        key="simply-but-faithfully",
        title="Large Language Models (LLMs), simply but faithfully explained",
        kind="a paper, version 12 of March 2026,",
        author="Yves Bernas",
        holds="Language models from n-grams and Bengio's network to the transformer, with the mathematics of "
        "a secondary school.",
        parts={"sf": "Simply but faithfully"},
        known_as=("simply but faithfully", "Large language models, simply but faithfully"),
    ),
)
