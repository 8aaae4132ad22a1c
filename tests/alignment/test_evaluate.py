"""Losses and answers on transcripts, and distillation, against plain loops."""

import pytest
import torch
import torch.nn.functional as F

from support.alignment import Distilled, Transcript, first_words, transcript_loss
from support.core import InputError
from support.model import GPT, GPTConfig
from support.text import Vocabulary
from support.training import SequenceBatches, TrainConfig, evaluate_loss, train

WORDS = Vocabulary([f"w{i}" for i in range(9)])
SAID = [
    Transcript(["w1", "w4", "w5", "w2"], [False, False, True, True]),
    Transcript(["w1", "w7"], [False, True]),
]


def model(seed: int = 0) -> GPT:
    torch.manual_seed(seed)
    return GPT(GPTConfig(vocab_size=9, d_model=16, n_heads=2, init_std=0.3)).double().eval()


def test_the_loss_is_the_mean_over_learned_tokens():
    net, nats = model(), []
    for said in SAID:
        ids = WORDS.encode(said.tokens)
        table = net(torch.tensor([ids]))[0].log_softmax(-1).detach()
        nats += [-float(table[i - 1, ids[i]]) for i in range(1, len(ids)) if said.learned[i]]
    assert abs(transcript_loss(net, SAID, WORDS) - sum(nats) / 3) < 1e-12
    whole = evaluate_loss(net, [WORDS.encode(said.tokens) for said in SAID])
    assert abs(transcript_loss(net, SAID, WORDS, mask="all", batch_size=1) - whole) < 1e-12


def test_evaluation_leaves_every_module_in_its_mode():
    net = GPT(GPTConfig(vocab_size=9, d_model=16, n_heads=2, dropout=0.5)).train()
    net.blocks[0].eval()  # a frozen part
    before = [module.training for module in net.modules()]
    assert transcript_loss(net, SAID, WORDS) == transcript_loss(net, SAID, WORDS)  # without dropout
    assert first_words(net, SAID, WORDS) == first_words(net, SAID, WORDS)
    assert [module.training for module in net.modules()] == before


def test_transcripts_without_a_token_to_predict_are_refused():
    silent = [Transcript(["w1", "w2"], [True, False])]
    with pytest.raises(InputError, match="no token to predict"):
        transcript_loss(model(), silent, WORDS)


def test_first_words_are_those_of_each_prompt_alone():
    net = model()
    alone = [WORDS.token(int(net(torch.tensor([WORDS.encode(s.tokens)]))[0, -1].argmax())) for s in SAID]
    assert first_words(net, SAID, WORDS) == alone


def test_the_divergence_is_added_to_the_loss():
    student, teacher = model(1), model(2)
    inputs, targets = torch.tensor([[1, 4, 0]]), torch.tensor([[4, 5, -100]])
    both = Distilled(student, teacher, lambda step: (inputs, targets), weight=0.5).train()
    both(inputs)
    p, q = teacher(inputs).log_softmax(-1)[0, :2], student(inputs).log_softmax(-1)[0, :2]
    assert torch.allclose(both.extra_loss(), 0.5 * (p.exp() * (p - q)).sum(-1).mean())
    assert not any(parameter is weight for parameter in both.parameters() for weight in teacher.parameters())


def test_distillation_alone_makes_the_student_the_teacher():
    student, teacher = model(1), model(2)
    texts = torch.randint(9, (64, 8), generator=torch.Generator().manual_seed(0)).tolist()
    batches = SequenceBatches(texts, 32)
    x = torch.tensor(texts[:8])
    before = F.kl_div(
        student(x).log_softmax(-1), teacher(x).log_softmax(-1), log_target=True, reduction="batchmean"
    ).item()
    both = Distilled(student, teacher, batches, weight=100.0)
    train(both, batches, TrainConfig(150, lr=1e-2, weight_decay=0.0, progress=False))
    after = F.kl_div(
        student(x).log_softmax(-1), teacher(x).log_softmax(-1), log_target=True, reduction="batchmean"
    ).item()
    assert after < before / 5
