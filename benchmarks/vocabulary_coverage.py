"""Words kept against what is covered: new stories, read with the k most frequent words of old ones.

    python benchmarks/vocabulary_coverage.py

Writes records/vocabulary_coverage.json. A few seconds.
"""

from collections import Counter

from recording import begin_record, keep_record

from support.core import seed_everything
from support.worlds import StoryWorld

READ, NEW = 2000, 1000  # stories that are counted, and new ones that are read with the list
SHOWN = 12  # the new story that the figure prints


def told(n: int, seed: int) -> list[list[str]]:
    return [story[1:-1] for story in StoryWorld().sample(n, seed=seed)]


def main() -> None:
    seed_everything()
    words = Counter(word for story in told(READ, 0) for word in story)
    ranked = [word for word, _ in words.most_common()]
    rank = {word: k for k, word in enumerate(ranked)}
    new = told(NEW, 1)
    content = begin_record("vocabulary_coverage", {}, words=ranked, story=new[SHOWN], stories=len(new))
    # With k words kept, a token is unknown if its rank is k or more, and a story if its rarest word is.
    ranks = [[rank.get(word, len(ranked)) for word in story] for story in new]
    tokens, stories = Counter(r for story in ranks for r in story), Counter(map(max, ranks))
    content["tokens"] = sum(tokens.values())
    for name, counted in (("known_tokens", tokens), ("known_stories", stories)):
        found, so_far = [0], 0
        for k in range(len(ranked)):
            so_far += counted[k]
            found.append(so_far)
        content[name] = found
    del content["runs"]
    keep_record("vocabulary_coverage", content, indent=None)


if __name__ == "__main__":
    main()
