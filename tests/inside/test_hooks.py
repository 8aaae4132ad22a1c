"""A named point shows what the pass computes there; what is put there is what the pass goes on with."""

import pytest
import torch

from support.core import InputError
from support.inside import Activations, ablate, hook_points, hooked, only, run_with_cache, run_with_hooks
from support.model import attend

IDS = torch.tensor([[1, 5, 3, 7, 2], [4, 4, 6, 8, 0]])


def test_every_point_of_every_family_by_hand(family):
    (_, seen), model = run_with_cache(family, IDS), family
    assert list(seen) == hook_points(model)
    stream = model.embed(IDS)
    for i, block in enumerate(model.blocks):
        torch.testing.assert_close(seen[f"residual.{2 * i}"], stream)
        read, part = block.norm_1(stream), block.attention
        torch.testing.assert_close(seen[f"blocks.{i}.attention.input"], read)
        write, weights = part.with_weights(read)
        torch.testing.assert_close(seen[f"blocks.{i}.attention.pattern"], weights)
        torch.testing.assert_close(seen[f"blocks.{i}.attention.output"], write)
        values = part.split(read)[2].repeat_interleave(part.n_heads // part.n_kv_heads, dim=1)
        torch.testing.assert_close(seen[f"blocks.{i}.attention.z"], weights @ values)
        stream = stream + write
        torch.testing.assert_close(seen[f"residual.{2 * i + 1}"], stream)
        read = block.norm_2(stream)
        torch.testing.assert_close(seen[f"blocks.{i}.feed_forward.input"], read)
        write = block.feed_forward(read)
        torch.testing.assert_close(seen[f"blocks.{i}.feed_forward.output"], write)
        if hasattr(block.feed_forward, "contract"):
            hidden = seen[f"blocks.{i}.feed_forward.activations"]
            torch.testing.assert_close(block.feed_forward.down(hidden), write)
        stream = stream + write
    torch.testing.assert_close(seen["residual.6"], stream)
    torch.testing.assert_close(seen["logits"], model(IDS))


def test_putting_back_what_was_there_changes_nothing_and_zero_changes_the_answer(family):
    (_, seen), logits = run_with_cache(family, IDS), family(IDS)
    for name in hook_points(family):
        with hooked(family, {name: seen[name]}):
            torch.testing.assert_close(family(IDS), logits)
        with hooked(family, {name: 0.5 * seen[name] + 0.3 * torch.randn_like(seen[name])}):
            assert not torch.allclose(family(IDS), logits, atol=1e-4), name
    assert family(IDS).equal(logits), "nothing stays behind"


def test_a_stream_put_in_place_is_the_one_that_the_rest_reads(family):
    """Half a text from another pass: from there on the answer is that of the other pass."""
    _, seen = run_with_cache(family, IDS.flip(0))
    for stage in (0, 1, 4, 6):
        later = ["logits", *(f"residual.{i}" for i in range(stage, 7))]
        with hooked(family, {f"residual.{stage}": seen[f"residual.{stage}"]}):
            _, there = run_with_cache(family, IDS, later)
        for name in later:
            torch.testing.assert_close(there[name], seen[name])


@pytest.mark.parametrize("changes", [{"norm_first": False}, {"residual": False}])
def test_streams_of_other_blocks_can_be_put_in_place(random_model, changes):
    model = random_model(**changes)
    _, seen = run_with_cache(model, IDS.flip(0))
    for stage in range(7):
        with hooked(model, {f"residual.{stage}": seen[f"residual.{stage}"]}):
            torch.testing.assert_close(model(IDS), seen["logits"])


def test_a_pattern_put_in_place_mixes_with_the_old_values(random_model):
    model = random_model(n_kv_heads=1)
    even = torch.ones(5, 5).tril().double()
    even = even / even.sum(dim=1, keepdim=True)
    block = model.blocks[1]
    read = run_with_cache(model, IDS, ["blocks.1.attention.input"])[1]["blocks.1.attention.input"]
    q, k, v = block.attention.split(read)
    k, v = (t.repeat_interleave(3, dim=1) for t in (k, v))
    heads, _ = attend(q, k, v)
    heads[:, 2] = even @ v[:, 2]
    with hooked(model, {"blocks.1.attention.pattern": only(even, heads=[2])}):
        write = run_with_cache(model, IDS, ["blocks.1.attention.output"])[1]["blocks.1.attention.output"]
    torch.testing.assert_close(write, block.attention.merge(heads))


def test_only_some_heads_and_positions(random_model):
    z = torch.randn(2, 3, 5, 4)
    out = only(torch.zeros(()), heads=[0, 2], positions=[-1])(z)
    assert out[:, [0, 2], -1].eq(0).all()
    assert out[:, 1].equal(z[:, 1]) and out[..., :-1, :].equal(z[..., :-1, :])
    model = random_model()
    _, before = run_with_cache(model, IDS)
    with hooked(model, {"residual.2": only(lambda x: -x, positions=[3])}):
        _, after = run_with_cache(model, IDS, ["logits"])
    # With the causal mask nobody before the place can notice.
    torch.testing.assert_close(after["logits"][:, :3], before["logits"][:, :3])
    assert (after["logits"] - before["logits"])[:, 3:].abs().amax(dim=(0, 2)).gt(1e-3).all()


def test_ablating_z_by_hand_is_ablation(family):
    with ablate(family, heads=[(1, 0), (1, 2)], feed_forward=[2], by="mean", reference=IDS):
        cut = family(IDS)
    names = ["blocks.1.attention.z", "blocks.2.feed_forward.output"]
    _, seen = run_with_cache(family, IDS, names)
    z = seen[names[0]].mean(dim=(0, 2), keepdim=True)
    edits = {names[0]: only(z, heads=[0, 2]), names[1]: seen[names[1]].mean(dim=(0, 1))}
    with hooked(family, edits):
        torch.testing.assert_close(family(IDS), cut)


def test_gradients_flow_through_what_is_put_in_place(random_model):
    model = random_model()
    write = run_with_cache(model, IDS, ["blocks.0.feed_forward.output"])[1][
        "blocks.0.feed_forward.output"
    ].requires_grad_()
    with hooked(model, {"blocks.0.feed_forward.output": write}):
        model(IDS)[0, 2].sum().backward()
    assert write.grad[0, :3].abs().sum() > 0 and write.grad[1].eq(0).all() and write.grad[0, 3:].eq(0).all()


def test_wrong_names_are_answered_with_the_right_ones(random_model):
    model = random_model(n_experts=2)
    for name in ("residual.7", "blocks.3.attention.output", "blocks.0.feed_forward.activations", "stream"):
        with pytest.raises(InputError, match=r"blocks\.0\.attention\.z"):
            run_with_cache(model, IDS, [name])
        with pytest.raises(InputError, match="no hook point"), hooked(model, {name: torch.zeros(())}):
            pass
    _, seen = run_with_cache(model, IDS, ["residual.0"])
    assert isinstance(seen, Activations) and "residual.1" not in seen
    with pytest.raises(InputError, match="not recorded; there are residual"):
        seen["residual.1"]
    cache = model.cache(2)
    with (
        hooked(model, {"blocks.0.attention.pattern": lambda x: x}),
        pytest.raises(InputError, match="cache"),
    ):
        model(IDS, cache)


def test_heads_that_are_not_there_are_refused(random_model):
    model = random_model()
    for point, heads in (
        ("residual.1", [0]),
        ("blocks.0.attention.z", [3]),
        ("blocks.0.attention.pattern", [-4]),
    ):
        with pytest.raises(InputError, match=f"no head {heads[0]} here"):
            run_with_hooks(model, IDS, {point: only(torch.zeros(()), heads=heads)})


def test_positions_that_are_not_there_are_refused(random_model):
    with pytest.raises(InputError, match="no position 7 here: the activation has 3 positions"):
        run_with_hooks(random_model(), [1, 2, 3], {"residual.1": only(torch.zeros(()), positions=[7])})
