"""One of each, added from outside by one record: a metric, a task, a decoder, an aligner, an encoder, a reader and a
recipe. Training, prediction and evaluation through the command line then use all of them, no other file is touched."""

import json
from dataclasses import dataclass
from typing import ClassVar

import pytest
import torch
from pydantic import Field
from torch import nn

import toy
from isotone.api.training import Recipe
from isotone.decoding.decoders import DECODERS, Exact
from isotone.dp import Independent, masked_log_softmax
from isotone.evaluation import METRICS, TASKS, Metric, Task
from isotone.models import ALIGNERS, ENCODERS, Aligner, AlignerPart, Encoder, EncoderPart, Options
from isotone.text.readers import FORMATS, Format
from isotone.text.readers.lines import by_line
from isotone.training.recipe import RECIPES, Preset


class Cool(Aligner):
    """0-hard with a temperature."""

    def __init__(self, *, query, memory, temperature):
        super().__init__(query=query, memory=memory)
        self.temperature = temperature

    def transition(self, query, memory):
        return Independent(masked_log_softmax(self.scores(query, memory) / self.temperature, memory.mask[:, None]))


class CoolOptions(Options):
    """Of `cool`."""

    temperature: float = Field(default=1.0, gt=0)
    """Above 1: flatter."""


class Window(Encoder):
    """Each symbol and its two neighbours."""

    def __init__(self, *, symbols, width):
        super().__init__(memory_size=width)
        self.embedding = nn.Embedding(symbols, width)
        self.mix = nn.Linear(3 * width, width)

    def forward(self, source, lengths):
        real = torch.arange(source.shape[1]) < lengths[:, None]
        states = self.embedding(source) * real[:, :, None]
        padded = nn.functional.pad(states, (0, 0, 1, 1))
        return torch.tanh(self.mix(torch.cat([padded[:, :-2], states, padded[:, 2:]], -1)))


class WindowOptions(Options):
    """Of `window`."""

    width: int = Field(default=48, ge=1, le=65_536)
    """Numbers per symbol."""


@dataclass(frozen=True, kw_only=True)
class Second:
    """Not the best string but the next."""

    summary: ClassVar[str] = "the second best string"
    several: ClassVar[bool] = False

    def decode(self, model, sources, constraint=None):
        found = Exact(n_best=2).decode(model, sources, constraint)
        return [type(each)(each.hypotheses[1:], each.certified) for each in found]


def arrow(line, targets):
    source, _, target = line.partition(" => ")
    return toy.Example(source, target if targets else None)


@pytest.fixture(autouse=True)
def _added(monkeypatch):
    ends = Metric(
        name="ends",
        title="last symbol",
        unit="%",
        digits=1,
        higher_is_better=True,
        summary="the last symbol is right",
        compare=lambda candidate, reference: 100.0 * (candidate[-1:] == reference[-1:]),
    )
    task = Task(name="endings", summary="a word to its ending", metrics=("ends", "acc"), selection="ends")
    arrows = Format(name="arrows", summary="source => target", expected="SOURCE => TARGET", parser=by_line(arrow))
    recipe = Recipe(name="quick", schedule="one-cycle", rate=0.01, epochs=2, batch_size=16, decode="exact")
    for table, name, record in (
        (METRICS, "ends", ends),
        (TASKS, "endings", task),
        (FORMATS, "arrows", arrows),
        (DECODERS, "second", Second),
        (ALIGNERS, "cool", AlignerPart("cool", "0-hard with a temperature", Cool, options=CoolOptions)),
        (ENCODERS, "window", EncoderPart("window", "three symbols at a time", Window, options=WindowOptions)),
        (RECIPES, "quick", Preset(recipe, "two epochs", "tiny")),
    ):
        monkeypatch.setitem(table, name, record)


@pytest.mark.trains
def test_one_of_each(isotone, tmp_path):
    lines = [f"{e.source} => {e.target}\n" for e in toy.examples(120, tags=False)]
    (tmp_path / "data.txt").write_text("".join(lines))
    model = tmp_path / "model"
    parts = ["--set", "encoder.name=window", "--set", "encoder.width=32", "--set", "aligner.temperature=2"]
    options = ["--task", "endings", "--model", "cool", "--recipe", "quick", "--format", "arrows", "--dev", "10%"]
    done = isotone("train", "--train", tmp_path / "data.txt", "--out", model, *options, *parts)
    assert done.code == 0, done.err
    assert "ends " in done.err
    config = json.loads((model / "config.json").read_text())["architecture"]
    assert config["encoder"] == {"name": "window", "width": 32}
    assert config["aligner"] == {"name": "cool", "temperature": 2.0}
    report = json.loads(isotone("evaluate", model, tmp_path / "data.txt", "--json").out)
    assert set(report["metrics"]) == {"ends", "acc", "nll"} and report["task"] == "endings"
    best, second = (isotone("predict", model, "--decode", name, stdin="abc => ?\n").out for name in ("exact", "second"))
    assert best.startswith("abc\t") and second.startswith("abc\t") and best != second
