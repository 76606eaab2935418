"""The tables of parts: read without torch, extended from outside."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from pydantic import Field

import isotone.models
import tiny
from isotone.dp import Dense, masked_log_softmax
from isotone.errors import ConfigError
from isotone.models import (
    ALIGNERS,
    ENCODERS,
    Aligner,
    AlignerPart,
    Architecture,
    Encoder,
    EncoderPart,
    Network,
    Options,
)

SOURCE = Path(__file__).parents[2] / "src"


@pytest.mark.parametrize(
    "statement",
    [
        "import isotone.models.config",
        "from isotone.models import ALIGNERS, ENCODERS, SIZES, Architecture, ModelConfig",
        "from isotone.models import Architecture; Architecture(aligner='1-mono').with_changes({'aligner.width': 2})",
    ],
)
def test_tables_and_configurations_need_no_torch(statement):
    code = f"import sys; sys.modules['torch'] = None; {statement}; assert 'safetensors' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": str(SOURCE)})


def test_every_public_name_is_there():
    for name in isotone.models.__all__:
        assert getattr(isotone.models, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Gru'"):
        isotone.models.Gru  # noqa: B018


@pytest.mark.parametrize("table", [ALIGNERS, ENCODERS], ids=["aligners", "encoders"])
def test_entries_are_complete(table):
    for name, part in table.items():
        assert part.name == name and part.summary and not part.summary.endswith(".")
        assert issubclass(part.options, Options)
        for field, info in part.options.model_fields.items():
            assert part.options.summaries().get(field), f"{name}: {field} has no docstring"
            assert field == "name" or not info.is_required(), f"{name}: {field} has no default"


class NoStay(Aligner):
    """Any jump of at least `least`, or staying at the end; written out in full."""

    def __init__(self, *, query, memory, least):
        super().__init__(query=query, memory=memory)
        self.least = least

    def transition(self, query, memory):
        scores = self.scores(query, memory)[:, :, None]
        place = torch.arange(scores.shape[-1])
        far = place - place[:, None] >= self.least
        last = memory.mask.sum(1)[:, None, None] - 1
        allowed = (
            (far | (place == last)) & (place >= place[:, None]) & memory.mask[:, None, :] & memory.mask[:, :, None]
        )
        return Dense(masked_log_softmax(scores.expand(-1, -1, len(place), -1), allowed[:, None]))


class NoStayOptions(Options):
    """Of NoStay."""

    least: int = Field(default=1, ge=0, le=9)
    """The shortest jump."""


class Window(Encoder):
    """Each position sees itself and its neighbours, nothing else; an odd size of memory."""

    def __init__(self, *, symbols, channels):
        super().__init__(memory_size=channels)
        self.embedding = torch.nn.Embedding(symbols, channels)
        self.mix = torch.nn.Conv1d(channels, channels, 3, padding=1)

    def forward(self, source, lengths):
        real = torch.arange(source.shape[1]) < lengths[:, None]
        return self.mix((self.embedding(source) * real[:, :, None]).transpose(1, 2)).transpose(1, 2)


class WindowOptions(Options):
    """Of Window."""

    channels: int = Field(default=7, ge=1, le=100)
    """Numbers per position."""


@pytest.fixture
def extended(monkeypatch):
    monkeypatch.setitem(
        ALIGNERS, "no-stay", AlignerPart("no-stay", "always on to the right", NoStay, options=NoStayOptions)
    )
    monkeypatch.setitem(ENCODERS, "window", EncoderPart("window", "a convolution", Window, options=WindowOptions))


def test_one_record_adds_an_aligner_or_an_encoder(extended):
    architecture = Architecture().with_changes(
        {"encoder.name": "window", "aligner.name": "no-stay", "aligner.least": "2", "decoder.hidden": 5}
    )
    assert architecture.model_dump()["encoder"] == {"name": "window", "channels": 7}
    assert Architecture.model_validate_json(architecture.model_dump_json()) == architecture
    network = Network.build(architecture, tiny.vocabulary())
    assert network.aligner.least == 2 and network.emission.memory.in_features == 7
    batch = tiny.random_batch([4, 3, 4], [2, 2, 1])
    optimizer = torch.optim.Adam(network.parameters(), 0.02)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = -network(batch).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2
    network.eval()
    for row in range(3):
        alone = network.log_prob(tiny.row(batch, row))
        torch.testing.assert_close(alone[0], network.log_prob(batch)[row], atol=1e-5, rtol=0)


def test_new_names_are_in_the_generated_lists(extended):
    with pytest.raises(ConfigError, match=r"no aligner called 'x'; there are soft, .*, no-stay$"):
        Architecture().with_changes({"aligner.name": "x"})
    with pytest.raises(ConfigError, match=r"no encoder called 'x'; there are lstm, transformer, convolution, window$"):
        Architecture().with_changes({"encoder.name": "x"})
    changed = Architecture(aligner="no-stay", encoder="window")
    with pytest.raises(
        ConfigError, match=r"encoder.layers: .* there are encoder.name, encoder.channels, .*aligner.least"
    ):
        changed.with_changes({"encoder.layers": 2})


def test_presets_fit_new_encoders(extended):
    from isotone.models import SIZES

    architecture = Architecture(encoder="window").with_preset(SIZES["tiny"])
    assert architecture.decoder.hidden == 96 and architecture.encoder.model_dump() == {"name": "window", "channels": 7}
