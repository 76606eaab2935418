"""Every number format trains on every machine: bf16 runs in software where the CPU has none."""

import logging

import pytest
import torch

import isotone
import tiny
import toy
from isotone.errors import ConfigError
from isotone.models import precision
from isotone.models.precision import BF16, Instructions, has_bf16
from isotone.store.folder import load_member
from isotone.training.device import PRECISIONS, fabric_for
from quick import Stop, fit

DATA, DEV = toy.examples(100), toy.examples(20, seed=9)
CPU = torch.device("cpu")


@pytest.mark.parametrize("number_format", PRECISIONS)
def test_every_format_trains_and_resumes_bit_by_bit(tmp_path, number_format):
    options = {"precision": number_format, "epochs": 2}
    whole = fit(DATA, DEV, tmp_path / "whole", **options)
    fit(DATA, DEV, tmp_path / "parts", **options, callbacks=[Stop(2, 3)])
    parts = fit(DATA, DEV, tmp_path / "parts", **options, mode="resume")
    assert whole.finished and parts.finished and whole.best.dev_loss < 2.5
    first, second = (load_member(tmp_path / name).network.state_dict() for name in ("whole", "parts"))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert isotone.load(tmp_path / "whole").score("abc", "aabc", tags="N;SG") < 0


@pytest.mark.parametrize("number_format", PRECISIONS)
def test_every_format_trains_a_mixture_from_python(number_format):
    model = isotone.train(
        train=DATA, dev=DEV, task="inflection", recipe="small", size="tiny", epochs=1, seeds=2, precision=number_format
    )
    assert len(model.members) == 2 and model("abc", tags="N;SG").candidates


@pytest.mark.parametrize("aligner", ["soft", "0-mono"])
def test_the_fabric_wrapper_takes_our_batches(aligner):
    """What failed on every machine with bf16: mixed precision rebuilds the batch it is given."""
    network = tiny.model(aligner, dtype=torch.float32)
    batch = tiny.random_batch([6, 3, 8], [7, 2, 5])
    for number_format in PRECISIONS:
        fabric = fabric_for("cpu", number_format)
        wrapped = fabric.setup_module(network.float())
        fabric.backward(wrapped(batch).sum())


@pytest.mark.parametrize(("forced", "expected"), [("1", True), ("0", False)])
def test_the_environment_decides_what_auto_means(monkeypatch, forced, expected):
    for hardware in (True, False):
        monkeypatch.setattr(precision, "hardware_bf16", lambda _, answer=hardware: answer)
        monkeypatch.setenv(BF16, forced)
        assert has_bf16(CPU) is expected
        monkeypatch.delenv(BF16)
        assert has_bf16(CPU) is hardware


def test_the_environment_takes_nothing_else(monkeypatch):
    monkeypatch.setenv(BF16, "yes")
    with pytest.raises(ConfigError, match="ISOTONE_BF16=yes: expected 1 or 0"):
        has_bf16(CPU)


@pytest.mark.parametrize(
    ("cpu", "fast", "lstm"),
    [
        (Instructions(x86=True, onednn_bf16=True, avx512=True, avx512_bf16=True, amx=True), True, True),
        (Instructions(x86=True, onednn_bf16=True, avx512=True, avx512_bf16=True, amx=False), True, True),
        (Instructions(x86=True, onednn_bf16=True, avx512=True, avx512_bf16=False, amx=True), True, True),
        # emulated by oneDNN: it works, and takes twice the time of fp32
        (Instructions(x86=True, onednn_bf16=True, avx512=True, avx512_bf16=False, amx=False), False, True),
        # AVX2 with conversions of bf16: oneDNN says yes, and has no backward pass there
        (Instructions(x86=True, onednn_bf16=True, avx512=False, avx512_bf16=False, amx=False), False, False),
        (Instructions(x86=True, onednn_bf16=False, avx512=False, avx512_bf16=False, amx=False), False, False),
        (Instructions(x86=False, onednn_bf16=True, avx512=False, avx512_bf16=False, amx=False), True, True),
        (Instructions(x86=False, onednn_bf16=False, avx512=False, avx512_bf16=False, amx=False), False, False),
    ],
)
def test_auto_means_bf16_only_where_the_cpu_has_instructions_for_it(monkeypatch, cpu, fast, lstm):
    monkeypatch.delenv(BF16, raising=False)
    monkeypatch.setattr(precision, "this_cpu", lambda: cpu)
    assert precision.hardware_bf16(CPU) is has_bf16(CPU) is fast
    assert precision.bf16_lstm(CPU) is lstm


@pytest.mark.parametrize("hardware", [True, False])
def test_bf16_without_hardware_warns_and_goes_on(monkeypatch, caplog, hardware):
    from isotone.training import device

    monkeypatch.setattr(device, "hardware_bf16", lambda _: hardware)
    with caplog.at_level(logging.WARNING, logger="isotone"):
        assert fabric_for("cpu", "bf16") is not None
    assert ("bf16 is slow here" in caplog.text) is not hardware


@pytest.mark.parametrize("onednn", [True, False])
def test_bf16_in_software_has_the_types_of_the_hardware(monkeypatch, onednn):
    own = precision.bf16_lstm(CPU)
    monkeypatch.setattr(precision, "bf16_lstm", lambda _: onednn and own)
    lstm = torch.nn.LSTM(5, 7, batch_first=True)
    inputs = torch.randn(3, 4, 5, requires_grad=True)
    exact = precision.run_lstm(lstm, inputs)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = precision.run_lstm(lstm, inputs)
    assert rough.dtype == torch.bfloat16
    torch.testing.assert_close(rough.float(), exact, atol=0.01, rtol=0)
    rough.float().sum().backward()
    assert inputs.grad.dtype == torch.float32 and lstm.weight_hh_l0.grad.dtype == torch.float32
