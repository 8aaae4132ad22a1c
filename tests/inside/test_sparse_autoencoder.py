"""A sparse autoencoder finds the directions that made the data; shift and scale are in its weights."""

import pytest
import torch
import torch.nn.functional as F

from support import zoo
from support.core import InputError
from support.inside import SparseAutoencoder, train_sparse_autoencoder
from support.inside.sparse_autoencoder import SparseCode, sparse_loss


def sparse_data(n_features=20, d=14, n=8000, p=0.05, seed=0):
    """Random directions, more than dimensions; each sample is a sum of a few."""
    torch.manual_seed(seed)
    directions = F.normalize(torch.randn(n_features, d, dtype=torch.float64), dim=1)
    active = (torch.rand(n, n_features) < p) * (0.5 + torch.rand(n, n_features).double())
    return directions, active, active @ directions


def test_it_finds_the_directions_that_made_the_data():
    directions, _, x = sparse_data()
    found = train_sparse_autoencoder(5 + 3 * x, n_features=20, sparsity=0.4, steps=1000, batch_size=256)
    similarity = F.normalize(found.decoder, dim=1) @ directions.T
    assert similarity.max(dim=0).values.mean() > 0.93
    random = F.normalize(torch.randn(20, 14, dtype=torch.float64), dim=1) @ directions.T
    assert random.max(dim=0).values.mean() < 0.8
    # Principal components, of which there are only as many as dimensions, do not.
    axes = torch.linalg.svd(x - x.mean(0), full_matrices=False).Vh
    assert (axes @ directions.T).abs().max(dim=0).values.mean() < 0.85


def test_shift_and_scale_are_folded_in():
    _, _, x = sparse_data(n=500)
    plain = train_sparse_autoencoder(x, n_features=8, steps=30)
    moved = train_sparse_autoencoder(7 * x + 2, n_features=8, steps=30)
    torch.testing.assert_close(moved(7 * x + 2).rebuilt, 7 * plain(x).rebuilt + 2, atol=1e-8, rtol=1e-8)
    torch.testing.assert_close(moved.encode(7 * x + 2), plain.encode(x), atol=1e-8, rtol=1e-8)


def test_loss_and_code_by_hand():
    autoencoder = SparseAutoencoder(2, 3)
    with torch.no_grad():
        autoencoder.encoder.copy_(torch.tensor([[1.0, 0, -1], [0, 1, 0]]))
        autoencoder.decoder.copy_(torch.tensor([[1.0, 0], [0, 1], [-1, 0]]))
        autoencoder.decoder_bias.copy_(torch.tensor([1.0, 0]))
        autoencoder.encoder_bias.copy_(torch.tensor([0.0, -1, 0]))
    x = torch.tensor([[3.0, 2]])
    code = autoencoder(x)
    assert code.features.tolist() == [[2.0, 1.0, 0.0]] and code.rebuilt.tolist() == [[3.0, 1.0]]
    assert sparse_loss(SparseCode(code.features, code.rebuilt), x, 0.5).item() == pytest.approx(1 + 0.5 * 3)


def test_more_sparsity_leaves_fewer_features_active():
    _, _, x = sparse_data(n=4000)
    active = [
        (train_sparse_autoencoder(x, 24, sparsity=s, steps=400)(x).features > 0).double().mean().item()
        for s in (0.02, 0.5)
    ]
    assert active[1] < 0.7 * active[0]


def test_what_cannot_be_coded_is_refused():
    for x, n in ((torch.ones(5, 3), 4), (torch.randn(5, 3), 0)):
        with pytest.raises(InputError, match="at least one feature"):
            train_sparse_autoencoder(x, n)


def test_the_record_of_features(script):
    """Average precision as scikit-learn computes it; and the record holds what the chapter shows."""
    from sklearn.metrics import average_precision_score

    torch.manual_seed(0)
    units, wanted = torch.randn(200, 3), torch.rand(200) < 0.2
    found = script("sparse_features").precision(units, wanted)
    expected = [average_precision_score(wanted.numpy(), u.numpy()) for u in units.T]
    assert found.tolist() == pytest.approx(expected, abs=1e-6)
    record = zoo.record("sparse_features")
    assert len(record["runs"]) == 3 and record["features"] == 384
    assert all(set(run["kinds"]) == set(record["share"]) for run in record["runs"])
