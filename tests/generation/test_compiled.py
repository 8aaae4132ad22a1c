"""The compiled step writes what the plain one writes, also after a module was changed."""

import shutil

import pytest
import torch
from helpers import said_by

from support.core import InputError
from support.generation import generate
from support.model import GPT, GPTConfig

# In a process of their own: the shape checks of the tests are no part of a graph.
MODEL = """
import copy, itertools
import torch
from support.generation import compiled, generate, generate_many, stream
from support.model import GPT, GPTConfig
torch._dynamo.reset()
torch.manual_seed(0)
config = GPTConfig(vocab_size=11, context=600, d_model=16, n_heads=4, n_kv_heads=2, positions="rope")
model = GPT(config).double().eval()
for weight in model.parameters():
    weight.data *= 4  # so that a change in one module changes the text
prompts = [[1, 2, 3], [4], [5, 6, 7, 8, 9]]
"""


TEXTS = """
for how in ({"greedy": True}, {"seed": 3, "temperature": 1.5}):
    plain = generate_many(model, prompts, 40, **how)
    print(generate_many(model, prompts, 40, compile=True, **how) == plain, len(plain[0]))
# Longer texts are served by the same compilation.
before = torch._dynamo.utils.counters["stats"]["unique_graphs"]
same = generate_many(model, prompts, 200, compile=True, seed=1) == generate_many(model, prompts, 200, seed=1)
print(same, before > 0, torch._dynamo.utils.counters["stats"]["unique_graphs"] - before)
"""
CHANGES = """
get = compiled.compiled_step
compiled.compiled_step = lambda device, static: get(device, static, "eager")
linear = model.blocks[0].attention.qkv

def replace():
    network = model.blocks[0].feed_forward
    network.down = torch.nn.Sequential(network.down, torch.nn.Tanh())

def patch(plain=linear.forward):
    linear.forward = lambda x: 2 * plain(x)

def hook():
    linear.register_forward_hook(lambda _module, _args, out: out + 3)

for change in (lambda: None, replace, patch, hook):
    before = generate(model, [1, 2], 60, seed=0)
    change()
    plain = generate(model, [1, 2], 60, seed=0)
    print(generate(model, [1, 2], 60, seed=0, compile=True) == plain, plain != before)
narrow = GPT(GPTConfig(vocab_size=11, context=600, d_model=16, n_heads=4, window=5, positions="alibi"))
narrow.double()
same = [generate_many(narrow, prompts, 60, seed=0, compile=compile) for compile in (False, True)]
print(same[0] == same[1], len(same[0][0]) > 60)  # its mask is a window, its cache rolls

def changed_after_ten(compile):
    twin = copy.deepcopy(model)
    text = stream(twin, [1, 2], 30, seed=0, compile=compile)
    start = list(itertools.islice(text, 10))
    twin.blocks[0].feed_forward = torch.nn.Identity()
    return start + list(text)

print(changed_after_ten(True) == changed_after_ten(False) != list(stream(model, [1, 2], 30, seed=0)))

asked, run = [], compiled.run_compiled
compiled.run_compiled = lambda *given: asked.append(given) or run(*given)
plain = generate_many(model, prompts, 30, greedy=True)
for listed in (lambda _code: [], torch._dynamo.eval_frame._debug_get_cache_entry_list):
    torch._dynamo.eval_frame._debug_get_cache_entry_list = listed
    asked.clear()
    print(generate_many(model, prompts, 30, greedy=True, compile=True) == plain, len(asked))
small = GPT(GPTConfig(vocab_size=11, context=24, d_model=16, n_heads=2, positions="rope")).double()
same = [generate(small, [1, 2], 40, seed=0, compile=compile) for compile in (False, True)]
print(same[0] == same[1], len(same[0]))  # the cache is filled to its last slot, then the text is read anew
compiled.compiled_step = get
"""
NO_COMPILER = """
import torch._inductor.config as inductor
from support.core import InputError
known, inductor.cpp.cxx = inductor.cpp.cxx, (None, "no-such-compiler")
try:
    generate(model, [1, 2], 4, compile=True)
except InputError as error:
    print("told" if "needs a C++ compiler" in str(error) else error)
inductor.cpp.cxx = known
compiled.compiled_step.cache_clear()
"""


@pytest.fixture(scope="module")
def said():
    parts = {"no compiler": NO_COMPILER, "changes": CHANGES}
    return said_by(MODEL, parts | ({"texts": TEXTS} if shutil.which("g++") else {}))


@pytest.mark.skipif(not shutil.which("g++"), reason="no C++ compiler")
def test_texts_are_those_of_the_plain_step(said):
    assert said["texts"] == ["True", "43", "True", "43", "True", "True", "0"]


def test_a_change_of_the_model_is_noticed_and_a_window_is_kept(said):
    assert said["changes"][:10] == ["True", "False", *["True"] * 6, "True", "True"]


def test_a_change_between_two_tokens_of_a_stream_is_noticed(said):
    assert said["changes"][10:11] == ["True"]


def test_the_guards_are_asked_once_a_text_and_at_each_token_where_torch_tells_nothing(said):
    """The prompt gives the first of 30 tokens; the others take a step each."""
    assert said["changes"][11:15] == ["True", "29", "True", "1"]


def test_a_text_that_fills_its_cache_is_that_of_the_plain_step(said):
    assert said["changes"][15:] == ["True", "42"]


def test_without_a_compiler_one_sentence_says_so(said):
    assert said["no compiler"] == ["told"]


@pytest.mark.parametrize("how", [{"cache": False}, {"ids": [1] * 30}], ids=str)
def test_without_a_cache_there_is_nothing_to_compile(how):
    model = GPT(GPTConfig(vocab_size=5, context=24, d_model=8, n_heads=2))
    call = {"ids": torch.tensor([1]), "max_new_tokens": 3} | how
    with pytest.raises(InputError, match="compiles a step with a cache"):
        generate(model, compile=True, **call)
