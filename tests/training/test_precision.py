"""Every number format trains on every machine: bf16 runs in software where the CPU has none."""

import logging

import pytest
import torch

import isotone
import toy
from isotone.data.batch import collate
from isotone.errors import ConfigError
from isotone.models import precision
from isotone.models.precision import BF16, has_bf16
from isotone.store.folder import load_member
from isotone.text.codec import Codec
from isotone.training import Callback, Recipe, Settings, train
from isotone.training.device import PRECISIONS, fabric_for

DATA, DEV = toy.examples(100), toy.examples(20, seed=9)
CPU = torch.device("cpu")


def settings(number_format, **changes):
    recipe = Recipe(size="tiny", schedule="one-cycle", rate=0.01, epochs=2, batch_size=16, precision=number_format)
    return Settings(**{"task": "inflection", "aligner": "1-mono", "recipe": recipe, "device": "cpu", **changes})


class StopInEpoch2(Callback):
    def on_batch(self, event):
        if (event.epoch, event.batch) == (2, 3):
            raise KeyboardInterrupt


@pytest.mark.parametrize("number_format", PRECISIONS)
def test_every_format_trains_and_resumes_bit_by_bit(tmp_path, number_format):
    chosen = settings(number_format)
    _, whole = train(DATA, DEV, tmp_path / "whole", chosen)
    train(DATA, DEV, tmp_path / "parts", chosen, [StopInEpoch2()])
    _, parts = train(DATA, DEV, tmp_path / "parts", settings(number_format, resume=True))
    assert whole.finished and parts.finished and whole.best.dev_loss < 2.5
    first, second = (load_member(tmp_path / name).network.state_dict() for name in ("whole", "parts"))
    assert all(torch.equal(first[name], second[name]) for name in first)
    loaded = isotone.load(tmp_path / "whole")
    assert loaded.score("abc", "aabc", tags="N;SG") < 0


@pytest.mark.parametrize("number_format", PRECISIONS)
def test_every_format_trains_a_mixture_from_python(number_format):
    model = isotone.train(
        train=DATA, dev=DEV, task="inflection", recipe="small", size="tiny", epochs=1, seeds=2, precision=number_format
    )
    assert len(model.members) == 2 and model("abc", tags="N;SG").candidates


@pytest.mark.parametrize("aligner", ["soft", "0-mono"])
def test_the_fabric_wrapper_takes_our_batches(aligner):
    """What failed on every machine with bf16: mixed precision rebuilds the batch it is given."""
    from isotone.models import Architecture, ModelConfig
    from isotone.store.folder import Member
    from isotone.text.vocabulary import Vocabulary

    vocabulary, _ = Vocabulary.build(DATA, settings("bf16").texts)
    bundle = Member.build(ModelConfig(architecture=Architecture(aligner=aligner, hidden=8, embedding=8)), vocabulary)
    codec = Codec(vocabulary, bundle.config.text)
    batch = collate([codec.encode(example) for example in DATA[:4]], len(vocabulary.tags))
    for number_format in PRECISIONS:
        fabric = fabric_for("cpu", number_format)
        network = fabric.setup_module(bundle.network.float())
        fabric.backward(network(batch).sum())


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


@pytest.mark.parametrize("hardware", [True, False])
def test_bf16_without_hardware_warns_and_goes_on(monkeypatch, caplog, hardware):
    from isotone.training import device

    monkeypatch.setattr(device, "hardware_bf16", lambda _: hardware)
    with caplog.at_level(logging.WARNING, logger="isotone"):
        assert fabric_for("cpu", "bf16") is not None
    assert ("bf16 is slow here" in caplog.text) is not hardware


def test_bf16_in_software_has_the_types_of_the_hardware():
    lstm = torch.nn.LSTM(5, 7, batch_first=True)
    inputs = torch.randn(3, 4, 5, requires_grad=True)
    exact = precision.run_lstm(lstm, inputs)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = precision.run_lstm(lstm, inputs)
    assert rough.dtype == torch.bfloat16
    torch.testing.assert_close(rough.float(), exact, atol=0.01, rtol=0)
    rough.float().sum().backward()
    assert inputs.grad.dtype == torch.float32 and lstm.weight_hh_l0.grad.dtype == torch.float32
