"""The merges that the page's tokenizer shows. Writes support/zoo/records/page_bpe.json.

    python benchmarks/page_bpe.py

`BPETokenizer.train` on stories of the story world; a few seconds.
"""

from recording import begin_record, keep_record

from support.text import BPETokenizer
from support.text.byte_alphabet import printable
from support.worlds import StoryWorld

STORIES, MERGES = 1000, 400


def text() -> str:
    """The stories, a line each, without the marks at their ends."""
    return "\n".join(" ".join(story[1:-1]) for story in StoryWorld().sample(STORIES, seed=0))


def main() -> None:
    stories = text()
    made = BPETokenizer.train(stories, 256 + MERGES)
    kept = begin_record("page_bpe", [], under="merges", stories=STORIES, bytes=len(stories.encode()))
    kept["merges"] = [[printable(part) for part in pair] for pair in made.merges]
    keep_record("page_bpe", kept, indent=None)


if __name__ == "__main__":
    main()
