"""The handwritten digits against scikit-learn and SciPy."""

import pytest
import torch
from scipy import ndimage
from sklearn.datasets import load_digits
from sklearn.metrics import balanced_accuracy_score

from support.core import InputError
from support.worlds import digits


def test_the_split_holds_every_picture_once():
    found, data = digits.handwritten_digits(), load_digits()
    pictures, labels = (
        torch.cat([found.train, found.test]),
        torch.cat([found.train_labels, found.test_labels]),
    )
    rows = sorted(
        (int(label), *row) for label, row in zip(labels, (16 * pictures).flatten(1).tolist(), strict=True)
    )
    want = sorted((int(label), *row) for label, row in zip(data.target, data.data.tolist(), strict=True))
    assert rows == want
    with pytest.raises(InputError):
        digits.handwritten_digits(train=1797)


def test_the_changes_are_scipys():
    pictures = digits.handwritten_digits().test[:20]
    for k, step in enumerate(digits.STRAIGHT):
        want = ndimage.shift(pictures.numpy(), (0, *step), order=0)
        assert torch.equal(digits.CHANGES["moved by one"](pictures)[20 * k : 20 * k + 20], torch.tensor(want))
    want = ndimage.maximum_filter(pictures.numpy(), (1, 2, 2), mode="constant")
    assert torch.equal(digits.thicker(pictures), torch.tensor(want))
    want = ndimage.rotate(pictures.numpy(), 15, axes=(1, 2), reshape=False, order=1, mode="grid-constant")
    assert torch.allclose(digits.turned(pictures), torch.tensor(want), atol=1e-9)
    assert digits.without_a_row(pictures).view(4, 20, 8, 8)[2, :, 4].abs().max() == 0
    noise = digits.speckled(pictures) - pictures
    assert noise.std().item() == pytest.approx(0.3, abs=0.02)
    for name, change in digits.CHANGES.items():
        assert len(change(pictures)) % 20 == 0, name


def test_balanced_accuracy_is_scikit_learns():
    generator = torch.Generator().manual_seed(0)
    logits, truth = torch.randn(3, 60, generator=generator), torch.rand(60, generator=generator) < 0.2
    want = [100 * balanced_accuracy_score(truth, row > 0) for row in logits]
    assert digits.balanced_accuracy(logits, truth).tolist() == pytest.approx(want)
