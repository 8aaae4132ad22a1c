import collections
import copy
import pickle

import pytest
import torch

from support.core import InputError
from support.model import GPT, GPTConfig
from support.training import (
    IGNORE_INDEX,
    SequenceBatches,
    StreamBatches,
    TrainConfig,
    evaluate_stream,
    inputs_and_targets,
    train,
)


def test_targets_are_the_next_tokens_and_padding_predicts_nothing():
    inputs, targets = inputs_and_targets([[1, 5, 6, 7, 2], [1, 8, 2]], pad_id=0)
    assert inputs.tolist() == [[1, 5, 6, 7], [1, 8, 0, 0]]
    assert targets.tolist() == [[5, 6, 7, 2], [8, 2, IGNORE_INDEX, IGNORE_INDEX]]


def test_every_text_once_an_epoch_in_new_order():
    texts = [[1, 10 + i, 2] for i in range(12)]
    batches = SequenceBatches(texts, batch_size=4, seed=3)
    epochs = [[int(i) for s in range(3 * e, 3 * e + 3) for i in batches(s)[0][:, 1]] for e in range(3)]
    assert all(sorted(e) == list(range(10, 22)) for e in epochs)
    assert len({tuple(e) for e in epochs}) == 3


def test_an_epoch_holds_every_text_even_if_the_last_batch_is_smaller():
    batches = SequenceBatches([[1, 10 + i, 2] for i in range(5)], batch_size=2)
    for epoch in range(3):
        sizes = [len(batches(3 * epoch + k)[0]) for k in range(3)]
        seen = [int(i) for k in range(3) for i in batches(3 * epoch + k)[0][:, 1]]
        assert sizes == [2, 2, 1] and sorted(seen) == [10, 11, 12, 13, 14]


def test_a_step_is_the_same_whatever_came_before():
    texts = [[1, *range(10, 10 + n), 2] for n in range(1, 30)]
    one, other = (SequenceBatches(texts, batch_size=4, seed=5) for _ in range(2))
    for step in range(40):
        one(step)
    assert torch.equal(one(17)[0], other(17)[0])
    assert not torch.equal(one(17)[0], SequenceBatches(texts, 4, seed=6)(17)[0])


def test_context_cuts_long_texts():
    inputs, targets = SequenceBatches([[1, *range(10, 40), 2]], 1, context=8)(0)
    assert inputs.shape == (1, 8) and targets[0, -1] == inputs[0, -1] + 1


def test_windows_of_a_stream_cover_it_evenly():
    batches = StreamBatches(list(range(20)), batch_size=64, context=4, seed=0)
    starts = collections.Counter(int(i) for step in range(40) for i in batches(step)[0][:, 0])
    assert sorted(starts) == list(range(16))  # the last window ends with the last token as its target
    assert max(starts.values()) < 2 * min(starts.values())


@pytest.mark.parametrize(
    "make",
    [
        lambda: SequenceBatches([], 4),
        lambda: SequenceBatches([[1]], 4),
        lambda: StreamBatches([1, 2, 3], 1, context=3),
    ],
)
def test_nothing_to_predict_is_refused(make):
    with pytest.raises(InputError):
        make()


def test_a_text_in_half_the_memory_trains_and_is_evaluated_alike():
    ids = torch.arange(60) * 7 % 11
    results = []
    for text in (ids, ids.int()):
        torch.manual_seed(0)
        model = GPT(GPTConfig(vocab_size=11, d_model=8, n_heads=2))
        losses = train(model, StreamBatches(text, 2, 8), TrainConfig(3, progress=False)).losses
        results.append((losses, evaluate_stream(model, text, context=8)))
    assert results[0] == results[1]


def test_batches_go_to_another_process_and_a_copy_has_its_own_order():
    batches = SequenceBatches([[1, 10 + i, 2] for i in range(9)], batch_size=3, seed=1)
    there = pickle.loads(pickle.dumps(batches))
    assert all(torch.equal(there(step)[0], batches(step)[0]) for step in range(6))
    other = copy.deepcopy(batches)
    other.epochs.seed = 2
    assert [other.epochs(step) for step in range(3)] != [batches.epochs(step) for step in range(3)]


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        (torch.full((2, 4), 12), "Target 12 is no id of a vocabulary of 12"),
        (torch.full((2, 4), -3), "Target -3 is no id of a vocabulary of 12"),
    ],
)
def test_targets_that_do_not_fit_the_predictions_are_refused(targets, words):
    model = GPT(GPTConfig(vocab_size=12, d_model=8, n_heads=2))
    before = model.embedding.weight.detach().clone()
    with pytest.raises(InputError, match=words):
        train(model, lambda step: (torch.ones(2, 4, dtype=torch.long), targets), TrainConfig(2))
    assert torch.equal(model.embedding.weight, before)


def test_batches_that_run_out_are_told():
    model, few = GPT(GPTConfig(vocab_size=12, d_model=8, n_heads=2)), iter([torch.ones(2, 3).long()])
    with pytest.raises(InputError, match="There is no batch 1"):
        train(model, lambda step: (ids := next(few), ids), TrainConfig(3))
