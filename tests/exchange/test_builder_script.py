"""README's recipe *Your own text*, run as it stands on a file of ours."""

import contextlib
import io
import os
import re
from pathlib import Path

import pytest
import torch

from support.training import load_checkpoint
from support.worlds import python_prose

README = Path(__file__).resolve().parents[2] / "README.md"


@pytest.fixture(scope="module")
def recipe():
    section = README.read_text(encoding="utf8").split("## Your own text", 1)[1].split("\n## ", 1)[0]
    return re.search(r"^```python\n(.*?)^```", section, re.M | re.S)[1]


@pytest.fixture(scope="module")
def folder(recipe, tmp_path_factory):
    folder = tmp_path_factory.mktemp("recipe")
    (folder / "my.txt").write_text(python_prose()[:60_000], encoding="utf8")
    printed, here = io.StringIO(), os.getcwd()
    with contextlib.redirect_stdout(printed):
        os.chdir(folder)
        try:
            exec(
                compile(recipe.replace("steps=200", "steps=30"), str(README), "exec"), {"__name__": "recipe"}
            )
        finally:
            os.chdir(here)
    (folder / "printed").write_text(printed.getvalue(), encoding="utf8")
    return folder


def test_it_is_short(recipe):
    assert len([line for line in recipe.splitlines() if line and not line.startswith("#")]) <= 36


def test_it_trains_and_writes_on(folder):
    first, *text = (folder / "printed").read_text(encoding="utf8").splitlines()
    training, held_out = map(float, re.findall(r"\d+\.\d\d", first))
    assert training < 6 and held_out < 6.3  # from log(1000) = 6.9
    assert "\n".join(text).startswith(python_prose()[:20].splitlines()[0])


def test_transformers_reads_what_it_exports(folder):
    transformers = pytest.importorskip("transformers")
    place = folder / "my-model"
    kept = load_checkpoint(folder / "my.safetensors")
    tokenizer = transformers.AutoTokenizer.from_pretrained(place)
    model = transformers.AutoModelForCausalLM.from_pretrained(place)
    prompts = ["The function", "A"]
    batch = tokenizer(prompts, padding=True, return_tensors="pt")
    assert batch["input_ids"][0].tolist() == kept.tokenizer.encode(prompts[0])
    with torch.no_grad():
        ours = kept.model.cpu()(batch["input_ids"][:1])
        torch.testing.assert_close(model(**batch).logits[:1], ours, rtol=1e-4, atol=1e-5)
    write = transformers.pipeline("text-generation", model=str(place))
    texts = write(prompts, batch_size=2, max_new_tokens=3, do_sample=False)
    assert texts[0][0]["generated_text"].startswith(prompts[0])
