"""Arguments of another type than the signature says; nothing checks signatures here."""

import json

import pytest
from forked import forked

WRONG = {
    "model([1, 2])": "was given a list",
    "model(None)": "was given a NoneType",
    "model('ab')": "was given a str",
    "generate(model, None, 3)": "None is no list of them",
    "generate(model, 'abc', 3)": "holds 'a' where an id",
    "generate(model, [1.5], 3)": "holds 1.5 where an id",
    "generate(model, [1], '3')": "max_new_tokens='3' must be a valid integer",
    "generate(model, [1], None)": "max_new_tokens=None must be a valid integer",
    "generate(model, [1], 3, temperature='1')": "temperature='1' must be above 0",
    "generate(model, [1], 3, temperature=None)": "temperature=None must be above 0",
    "generate(model, [1], 3, top_k=1.5)": "top_k=1.5 keeps no token",
    "generate(model, [1], 3, top_p='a')": "top_p='a' is no probability",
    "generate(model, [1], 3, prefill='a')": "prefill='a' must be a valid integer",
    "generate(model, [1, 2], 3, prefill=True)": "prefill=True must be a valid integer",
    "generate(model, [1], 3, stop=2)": "2 is no list of them",
    "generate(model, [1], 3, stop=['<EOS>'])": "holds '<EOS>' where an id",
    "generate(model, [1], 3, seed='x')": "seed='x' must be a valid integer",
    "generate_many(model, None, 3)": "prompts=None must be a list",
    "generate_many(model, [1, 2], 3)": "1 is no list of them",
    "generate_many(model, [[1]], 3, seed='x')": "seed='x' must be a valid integer",
    "speculative_generate(model, model, [1], '3')": "max_new_tokens='3' must be a valid integer",
    "speculative_generate(model, model, [1], 3, k='2')": "k='2' must be a valid integer",
    "speculative_generate(model, model, [1], 3, temperature='1')": "temperature='1' must be above 0",
    "speculative_generate(model, model, [1], 3, seed=0.5)": "seed=0.5 must be a valid integer",
    "speculative_generate(model, model, [1], 3, stop=2)": "2 is no list of them",
    "SequenceBatches([[1, 2]], 1, context=0)": "context=0 must be greater",
    "StreamBatches(torch.rand(9), 2, 3)": "The text is float32 of shape [9]; give ids in one row",
    "StreamBatches(torch.zeros(9, 2).long(), 2, 3)": "The text is int64 of shape [9, 2]",
    "inputs_and_targets([])": "There is no text to make a batch of",
    "evaluate_loss(model, [[1, 2]], batch_size=0)": "batch_size=0 must be greater",
    "evaluate_stream(model, [1, 2], batch_size=0)": "batch_size=0 must be greater",
    "evaluate_stream(torch.nn.Embedding(9, 9), [1, 2])": "give context=.",
    "learning_rate(-1, settings)": "step=-1 must be greater",
    "RecurrentModel('gru', 9, 4, 4, n_layers=0)": "n_layers=0 make no recurrent model",
    "SequenceBatches(['ab', 'cd'], 2)": "Sequence 0 holds 'a' where an id",
    "SequenceBatches([[1, 2.5]], 2)": "Sequence 0 holds 2.5 where an id",
    "StreamBatches('a long text', 2, 3)": "The text holds 'a' where an id",
    "StreamBatches(range(9), 2, 3, seed='x')(0)": "seed='x' must be a valid integer",
    "train(model, lambda step: ids, TrainConfig(steps=1))": "and this one returned a Tensor",
    "train(model, lambda step: None, TrainConfig(steps=1))": "and this one returned a NoneType",
    "train(model, lambda step: (ids, 'ab'), TrainConfig(steps=1))": "returns inputs and targets",
    "run_with_cache(model, 'ab')": "'ab' is no sequence of ids",
    "run_with_cache(model, None)": "None is no sequence of ids",
    "run_with_cache(model, [[1, 2], [1]])": "nor texts of equal length",
    "run_with_cache(model, ids, 'logits')": "names='logits' must be a list, not one string",
    "run_with_hooks(model, ids, [('logits', torch.zeros_like)])": "The hooks are a dict",
    "run_with_hooks(model, ids, {'logits': 0.0})": "'logits' is 0.0; give a tensor or a function",
    "ablate(model, attention=[0], by='average').__enter__()": "by='average' must be 'zero' or 'mean'",
    "activation_patching(model, ids, ids, float, ['logits'], 'neuron')": "each='neuron' must be 'point'",
    "probe(torch.eye(4), torch.arange(5.0))": "4 vectors and 5 values of a property",
    "GPT('small')": "Transformer: config='small' must be an instance of GPTConfig",
    "Encoder(None)": "Encoder: config=None must be an instance of GPTConfig",
    "run_with_cache(torch.compile(model, backend='eager'), [1])": "A compiled model runs without hooks",
    "ablate(torch.compile(model, backend='eager'), attention=[0]).__enter__()": "A compiled model",
    "quantize('x')": "quantize: model='x' must be an instance of Transformer",
    "quantize(model, weights=8)": "quantize: weights=8 must be a valid string",
    "Epochs('10', 4)": "n='10' must be a valid integer",
    "Epochs(10, '4')": "batch_size='4' must be a valid integer",
    "StreamBatches(range(9), 2, None)": "context=None must be a valid integer",
    "train(None, batches, settings)": "train: model=None must be an instance of Module",
    "train(model, None, settings)": "train: batches=None must be callable",
    "train(model, batches, 'settings')": "train: config='settings' must be an instance of TrainConfig",
    "train(model, batches, settings, evaluate=0.5)": "train: evaluate=0.5 must be callable",
    "train(model, batches, settings, callbacks=[1])": "train: callbacks=[1] must be callable (item 0)",
    "train(model, batches, settings, resume='yes')": "train: resume='yes' must be a valid boolean",
    "train(model, lambda step: (ids, ids.T), settings)": "are int64 [3, 1]; give whole numbers [1, 3]",
    "train(model, lambda step: (ids, ids[:, 1:]), settings)": "are int64 [1, 2]; give whole numbers [1, 3]",
    "train(model, lambda step: (ids, ids * 1.5), settings)": "are float32 [1, 3]; give whole numbers [1, 3]",
    "evaluate_loss(model, ['abc'])": "A text holds 'a' where an id",
    "evaluate_loss(model, None)": "evaluate_loss: sequences=None must be iterable",
    "evaluate_stream(None, ids)": "evaluate_stream: model=None must be an instance of Module",
    "save_checkpoint(model, None)": "path=None must be a valid string or an instance of PathLike",
    "load_checkpoint(None)": "load_checkpoint: path=None must be a valid string",
    "diagnose(model, batches, {})": "diagnose: config={} must be an instance of TrainConfig",
    "from_huggingface(None)": "model_or_folder=None must be an instance of Module or a valid string",
    "to_huggingface(model, 3)": "to_huggingface: folder=3 must be a valid string",
    "tokenizer_from_huggingface(None)": "tokenizer_from_huggingface: folder=None must be a valid string",
    "transcript_loss(model, [Transcript(['a'], [True])], words, 'answers')": "'answer' or 'all'",
    "to_peft(model, None)": "to_peft: folder=None must be a valid string",
}
CODE = """
import json, sys, torch
from support.alignment import Transcript, transcript_loss
from support.ancestors import RecurrentModel
from support.core import InputError
from support.exchange import from_huggingface, to_huggingface, to_peft, tokenizer_from_huggingface
from support.generation import generate, generate_many, speculative_generate
from support.inside import ablate, activation_patching, probe, run_with_cache, run_with_hooks
from support.model import GPT, Encoder, GPTConfig, quantize
from support.text import Vocabulary
from support.training import *
ids = torch.tensor([[1, 2, 3]])
words = Vocabulary(["a"])
settings, batches = TrainConfig(steps=1), lambda step: (ids, ids)
model, said = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2)), {}
for call in json.loads(sys.argv[1]):
    try:
        said[call] = f"no complaint: {eval(call)}"
    except InputError as error:
        said[call] = str(error)
    except Exception as error:
        said[call] = f"raw {type(error).__name__}: {error}"
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said():
    found = forked(CODE, json.dumps(list(WRONG)))
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


@pytest.mark.parametrize("call", WRONG)
def test_a_wrong_type_is_refused_in_a_sentence(said, call):
    assert WRONG[call] in said[call] and not said[call].startswith(("raw", "no complaint"))
