"""core: the small things that every subpackage relies on."""

import signal
import textwrap

import pytest
import torch
from forked import forked

from support.core import InputError, atomic_write, device, optional, pick, progress, scale, seed_everything


def test_input_error_is_a_value_error():
    assert issubclass(InputError, ValueError)


def test_seed_everything_repeats_all_three_generators():
    import random

    import numpy as np

    def draw():
        return random.random(), float(np.random.rand()), float(torch.rand(1))

    seed_everything(3)
    first = draw()
    second = draw()
    seed_everything(3)
    assert draw() == first != second


def test_seed_everything_sets_threads(monkeypatch):
    before = torch.get_num_threads()
    try:
        seed_everything(0, threads=2)
        assert torch.get_num_threads() == 2
        monkeypatch.setenv("OMP_NUM_THREADS", "1")
        seed_everything(0)
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


def test_device_can_be_chosen_by_the_environment(monkeypatch):
    monkeypatch.setenv("SUPPORT_DEVICE", "cpu")
    assert device() == torch.device("cpu")
    assert scale() == "cpu"
    assert pick(cpu="small", cuda="large") == "small"


def test_a_large_gpu_gets_the_large_scale_and_a_small_one_does_not(monkeypatch):
    from types import SimpleNamespace

    monkeypatch.setenv("SUPPORT_DEVICE", "cuda")
    for gib, expected in ((16, "cuda"), (4, "cpu")):
        card = SimpleNamespace(total_memory=gib * 2**30)
        monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _, card=card: card)
        assert scale() == expected


def test_optional_names_the_extra():
    with pytest.raises(ImportError, match=r"neuron-to-assistant\[maps\]"):
        optional("surely_not_installed", extra="maps")


def test_optional_does_not_hide_a_broken_library(tmp_path, monkeypatch):
    (tmp_path / "broken_library.py").write_text("import surely_not_installed")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="surely_not_installed"):
        optional("broken_library", extra="maps")


def test_progress_is_silent_without_a_terminal(capsys):
    assert list(progress(range(3), what="steps")) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")


def test_atomic_write_keeps_the_old_file_when_the_body_fails(tmp_path):
    target = tmp_path / "model.bin"
    target.write_text("old")
    with pytest.raises(RuntimeError), atomic_write(target) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["model.bin"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="SIGKILL exists on POSIX only")
def test_atomic_write_survives_a_kill(tmp_path):
    target = tmp_path / "model.bin"
    target.write_text("old")
    body = f"""
        import os, signal
        from support.core.files import atomic_write
        with atomic_write({str(target)!r}) as temporary:
            temporary.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    """
    killed = forked(textwrap.dedent(body))
    assert killed.returncode == -signal.SIGKILL
    assert target.read_text() == "old"
