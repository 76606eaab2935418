"""What a saved run holds of the random generators: the GPU's too, or resuming there would not be bit for bit."""

import torch

from isotone.training import state

CPU_STATE, GPU_STATE = torch.get_rng_state(), torch.arange(16, dtype=torch.uint8)


def test_the_cpu_alone():
    assert set(state.random_states(torch.device("cpu"))) == {"random"}


def test_a_gpu_is_saved_and_restored(monkeypatch):
    """There is no GPU on the machines of our tests: torch's two functions are stood in for."""
    restored = []
    monkeypatch.setattr(torch.cuda, "get_rng_state", lambda device: GPU_STATE)
    monkeypatch.setattr(torch.cuda, "set_rng_state", restored.append)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    saved = state.random_states(torch.device("cuda"))
    assert set(saved) == {"random", "random.cuda"}
    state._restore_random_states(saved)
    assert len(restored) == 1 and torch.equal(restored[0], GPU_STATE)


def test_a_state_of_a_gpu_resumes_on_a_machine_without_one(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    state._restore_random_states({"random": CPU_STATE, "random.cuda": GPU_STATE})
    assert torch.equal(torch.get_rng_state(), CPU_STATE)
