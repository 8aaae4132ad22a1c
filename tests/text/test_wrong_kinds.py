"""Arguments and files of wrong kinds give one sentence each.

The cases run in a process of their own, as a user has them: without the tests' own type checker, which would
refuse most of them first.
"""

import json
import sys
from pathlib import Path

import pytest
from forked import forked


def arguments():
    """Calls that must be refused, by a name."""
    import numpy as np
    import torch

    from support.text import BPETokenizer, Vocabulary

    tokenizer = BPETokenizer([(b"a", b"b")], ["<EOS>"])
    words = Vocabulary(["a", "b"])
    yield "decode(None)", lambda: tokenizer.decode(None)
    yield "decode(3)", lambda: words.decode(3)
    kinds = {
        "None": None,
        "number": 3,
        "float": 2.5,
        "flag": True,
        "list": [[1]],
        "bytes": b"a",
        "object": object(),
    }
    for kind, value in kinds.items():
        yield f"Vocabulary({kind})", lambda value=value: Vocabulary(value)
        yield f"from_corpus({kind})", lambda value=value: Vocabulary.from_corpus(value)
        yield f"encode({kind}) of words", lambda value=value: words.encode(value)
        if kind != "number":
            yield f"decode({kind})", lambda value=value: tokenizer.decode([value])
            yield f"decode({kind}) of words", lambda value=value: words.decode([value])
        yield f"from_dict({kind})", lambda value=value: Vocabulary.from_dict(value)
        yield f"BPETokenizer({kind})", lambda value=value: BPETokenizer(value)
        yield f"encode({kind})", lambda value=value: tokenizer.encode(value)
        yield f"allowed_special={kind}", lambda value=value: tokenizer.encode("a", allowed_special=value)
        yield f"special_tokens={kind}", lambda value=value: BPETokenizer.train("a", 300, special_tokens=value)
        yield f"train(text={kind})", lambda value=value: BPETokenizer.train(value, 300)
        yield f"pattern={kind}", lambda value=value: BPETokenizer([], pattern=value)
        yield f"load({kind})", lambda value=value: BPETokenizer.load(value)
        yield f"load words({kind})", lambda value=value: Vocabulary.load(value)
        yield f"from_tiktoken({kind})", lambda value=value: BPETokenizer.from_tiktoken(value)
        yield f"from_gpt2_files({kind})", lambda value=value: BPETokenizer.from_gpt2_files(value)
        if value is not None:
            yield f"unk={kind}", lambda value=value: Vocabulary(["a"], unk=value)
            yield f"normal_form={kind}", lambda value=value: BPETokenizer([], normal_form=value)
            yield f"ids={kind}", lambda value=value: BPETokenizer([], ids=value)
            yield (
                f"special_tokens={kind}",
                lambda value=value: Vocabulary.from_corpus(["a"], special_tokens=value),
            )
            if kind != "number":
                yield f"max_size={kind}", lambda value=value: Vocabulary.from_corpus(["a"], max_size=value)
        if kind != "flag":
            yield f"whole_pieces={kind}", lambda value=value: BPETokenizer([], whole_pieces=value)
        if kind != "number":
            yield f"min_count={kind}", lambda value=value: Vocabulary.from_corpus(["a"], min_count=value)
            yield f"vocab_size={kind}", lambda value=value: BPETokenizer.train("a", value)
    yield 'Vocabulary("abc")', lambda: Vocabulary("abc")
    yield 'special_tokens="<PAD>"', lambda: Vocabulary.from_corpus(["a"], special_tokens="<PAD>")
    yield "half a character", lambda: Vocabulary(["a", "\ud800"])
    yield "vocab_size=300.0", lambda: BPETokenizer.train("a", 300.0)
    yield "a merge of letters", lambda: BPETokenizer([("a", "b")])
    yield "a merge of three", lambda: BPETokenizer([(b"a", b"b", b"c")])
    for ids in (torch.ones(2), np.ones(2), torch.tensor(1), [[1, 2]], ["1"], [1.0], [None], "11"):
        yield f"ids {ids!r}", lambda ids=ids: tokenizer.decode(ids)
        yield f"ids of words {ids!r}", lambda ids=ids: words.decode(ids)
    for ids in (torch.tensor([300], dtype=torch.int16), np.array([255], dtype=np.uint8)):
        yield f"id outside {ids!r}", lambda ids=ids: words.decode(ids)


def changes():
    """What may be wrong in a tokenizer.json: a change of a good one, by a name."""
    yield "a list", lambda c: [c]
    yield "null", lambda c: None
    yield "a number", lambda c: 3
    yield "empty", lambda c: {}
    yield "no model", lambda c: c.pop("model")
    for key in ("vocab", "merges"):
        yield f"no {key}", lambda c, key=key: c["model"].pop(key)
    for wrong in (None, 3, "x", [1], [[1]], {"a": "b"}, {"a": -1}, {"a": True}, {"a": 1.5}):
        for key in ("model", "added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder"):
            if wrong is not None or key in ("model", "pre_tokenizer", "decoder"):
                yield f"{key} {wrong}", lambda c, key=key, wrong=wrong: c.update({key: wrong})
        yield f"vocab {wrong}", lambda c, wrong=wrong: c["model"].update(vocab=wrong)
        if wrong != [[1]]:
            yield f"merges {wrong}", lambda c, wrong=wrong: c["model"].update(merges=wrong)
        yield f"type {wrong}", lambda c, wrong=wrong: c["model"].update(type=wrong)
        yield f"token {wrong}", lambda c, wrong=wrong: c["added_tokens"].append(wrong)
        yield f"content {wrong}", lambda c, wrong=wrong: c["added_tokens"][0].update(content=wrong)
    yield "merge of three", lambda c: c["model"]["merges"].append("a b c")
    yield "merge of one", lambda c: c["model"]["merges"].append(["a"])
    yield "id twice", lambda c: c["model"]["vocab"].update(a=1)
    yield "id far away", lambda c: c["model"]["vocab"].update(a=10**6)
    yield (
        "truncation",
        lambda c: c.update(truncation={"max_length": 3, "strategy": "LongestFirst", "stride": 0}),
    )
    yield "padding", lambda c: c.update(padding={"strategy": "BatchLongest", "pad_id": 0})
    yield "fuse_unk", lambda c: c["model"].update(fuse_unk=True)
    yield "decoder", lambda c: c.update(decoder={"type": "Metaspace"})
    yield "an unknown field", lambda c: c.update(speed="high")
    yield "an unknown field of the model", lambda c: c["model"].update(cache_capacity=3)
    yield "an unknown field of a token", lambda c: c["added_tokens"][0].update(colour="red")
    yield "steps that are none", lambda c: c["pre_tokenizer"].update(pretokenizers=["x"])
    yield (
        "processors that are none",
        lambda c: c.update(post_processor={"type": "Sequence", "processors": [3]}),
    )
    yield "an empty special token", lambda c: c["added_tokens"][0].update(content="")


def files(folder):
    """Loads of wrong files, by a name."""
    import base64
    import copy

    from support.text import BPETokenizer, Vocabulary

    good = BPETokenizer([(b"a", b"b")], ["<EOS>"])
    good.save(folder / "good.json")
    BPETokenizer.load(folder / "good.json")
    content = json.loads((folder / "good.json").read_text())
    for number, (name, change) in enumerate(changes()):
        changed = copy.deepcopy(content)
        result = change(changed)
        whole = name in ("a list", "null", "a number", "empty")
        path = folder / f"{number}.json"
        path.write_text(json.dumps(result if whole else changed))
        yield f"tokenizer.json: {name}", lambda path=path: BPETokenizer.load(path)
    ranks = b"".join(base64.b64encode(bytes([b])) + b" %d\n" % b for b in range(256))
    raw = {
        "nothing": b"", "half": b'{"model": {', "latin": "é".encode("latin-1"), "deep": b"[" * 10**5,
        "zeros": bytes(100), "gzip": b"\x1f\x8bnonsense", "text": b"hello there\nagain and again",
    }  # fmt: skip
    for name, content in raw.items():
        (folder / name).write_bytes(content)
    for name in [*raw, "no such file", "."]:
        path = folder / name
        yield f"tokenizer.json {name}", lambda path=path: BPETokenizer.load(path)
        yield f"vocabulary {name}", lambda path=path: Vocabulary.load(path)
        yield f"tiktoken {name}", lambda path=path: BPETokenizer.from_tiktoken(path)
        if name not in ("nothing", "text"):
            yield f"vocab.bpe {name}", lambda path=path: BPETokenizer.from_gpt2_files(path)
        (folder / "merges").write_text("a b\n")
        yield f"encoder.json {name}", lambda path=path: BPETokenizer.from_gpt2_files(folder / "merges", path)
    wrong_merges = {"three halves": b"a b c\n", "one half": b"a\n", "no order": b"ab c\n"}
    wrong_merges["unknown character"] = "☃ a\n".encode()
    for name, lines in wrong_merges.items():
        (folder / name).write_bytes(lines)
        yield f"vocab.bpe: {name}", lambda name=name: BPETokenizer.from_gpt2_files(folder / name)
    wrong_ranks = {"rank of letters": b"YWI= x\n", "no rank": b"YWI=\n", "no base64": b"a-b 256\n"}
    wrong_ranks |= {"rank twice": b"YWI= 3\n", "token twice": b"YQ== 256\n", "rank below 0": b"YWI= -1\n"}
    wrong_ranks["rank far away"] = b"YWI= 99999\n"
    for name, lines in wrong_ranks.items():
        (folder / name).write_bytes(ranks + lines)
        yield f"tiktoken: {name}", lambda name=name: BPETokenizer.from_tiktoken(folder / name)
    (folder / "bytes").write_bytes(ranks)
    BPETokenizer.from_tiktoken(folder / "bytes")
    for special in ({"<EOS>": 3}, {"<EOS>": "300"}, ["<EOS>"], {"<EOS>": -1}, {"<EOS>": 10**6}, {"": 256}):
        yield (
            f"special {special}",
            lambda s=special: BPETokenizer.from_tiktoken(folder / "bytes", special_tokens=s),
        )
    for wrong in (
        {"tokens": "abc"},
        {"tokens": [1]},
        {"tokens": ["a"], "unk": 3},
        {"tokens": ["a", "a"]},
        {},
    ):
        yield f"vocabulary {wrong}", lambda wrong=wrong: Vocabulary.from_dict(wrong)


def main(folder):
    from support.core import InputError

    for name, call in [*arguments(), *files(folder)]:
        try:
            result = call()
        except InputError as error:
            sentence = str(error)
            if sentence.endswith(".") and "\n" not in sentence and len(sentence) < 330:
                print(f"fine\t{name}\t{sentence}")
            else:
                print(f"WRONG\t{name}\t{sentence!r}")
        except Exception as error:
            print(f"WRONG\t{name}\t{type(error).__name__}: {str(error)[:200]!r}")
        else:
            print(f"WRONG\t{name}\taccepted as {str(result)[:60]!r}")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    code = f"import runpy, sys; sys.path[:] = {sys.path!r}; runpy.run_path({__file__!r}, run_name='__main__')"
    done = forked(code, folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_each_wrong_argument_and_file_gives_one_sentence(outcome):
    assert len(outcome) > 250
    assert [line for line in outcome if not line.startswith("fine")] == []


if __name__ == "__main__":
    main(Path(sys.argv[1]))
