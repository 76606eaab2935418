"""A metric and a task that are added from outside are evaluated, compared and shown like those in the tables."""

import csv
import io
import json
import math
from typing import Any

import pytest

from isotone.errors import ConfigError
from isotone.evaluation import METRICS, NLL, TASKS, Metric, Task, evaluate, measure_named, measures, task_named
from isotone.experiments.compare import compare
from isotone.experiments.results import read_scores
from isotone.experiments.styles import STYLES
from isotone.results import Judged
from isotone.training.recipe import Recipe

FIRST = Metric(
    name="first",
    title="first symbol",
    unit="%",
    digits=2,
    higher_is_better=True,
    summary="share of sources whose first predicted symbol is right",
    compare=lambda candidate, reference: 100.0 * (candidate[:1] == reference[:1]),
)
INITIALS = Task(
    name="initials", summary="a word to its initial", metrics=("first", "mld"), selection="first", batch_size=7
)


@pytest.fixture(autouse=True)
def _added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, FIRST.name, FIRST)
    monkeypatch.setitem(TASKS, INITIALS.name, INITIALS)


def test_they_are_found() -> None:
    assert task_named("initials") is INITIALS and measure_named("first") is FIRST
    assert list(measures()) == ["acc", "mld", "wer", "per", "mfs", "first", "nll"]
    with pytest.raises(ConfigError, match=r"unknown task 'x': expected one of .*, initials$"):
        task_named("x")
    with pytest.raises(ConfigError, match=r"unknown metric 'x': expected one of acc, .*, first, nll$"):
        measure_named("x")


def test_evaluation_uses_them() -> None:
    items = [Judged("a", (), ("A",), (("A", "B"),)), Judged("b", (), ("C",), (("D",), ("C", "D")))]
    report = evaluate(items, "initials", bootstrap=10)
    assert report.metrics == {"first": 100, "mld": 1}
    assert list(report.to_json()["intervals"]) == ["first", "mld"]
    assert INITIALS.improves(50, 40) and not INITIALS.improves(40, 40)


def test_training_uses_the_batch_size() -> None:
    assert Recipe().batch_size_for("initials") == 7
    assert [Recipe().batch_size_for(task) for task in ("inflection", "transliteration")] == [20, 50]


def test_compare_shows_it(tmp_path: Any) -> None:
    (tmp_path / "results.csv").write_text("data,model,first\na,soft,10\na,1-mono,20\n")
    (tmp_path / "one.json").write_text(json.dumps({"metrics": {"first": 30}}))
    comparison = compare(read_scores([str(tmp_path / "results.csv"), f"0-mono/a={tmp_path}/one.json"]))
    assert comparison.metric == "first" and comparison.measure.label == "FIRST (%)"
    assert comparison.best(comparison.row("a")) == {"0-mono"}
    assert "| a | 10.00 | **30.00** | 20.00 |" in STYLES["markdown"](comparison)
    rows = list(csv.DictReader(io.StringIO(STYLES["csv"](comparison))))
    assert rows[0]["metric"] == "first"


@pytest.mark.parametrize(
    ("name", "value", "text", "full", "label"),
    [
        ("acc", 94.44, "94.4", "94.4 %", "ACC (%)"),
        ("wer", 28.25, "28.2", "28.2 %", "WER (%)"),
        ("mld", 0.12345, "0.123", "0.123 edits", "MLD (edits)"),
        ("per", 0.0672, "0.067", "0.067", "PER"),
        ("nll", 3.0, "3.000", "3.000 nats", "NLL (nats)"),
        ("nll", math.inf, "∞", "∞ nats", "NLL (nats)"),
        ("first", 5.0, "5.00", "5.00 %", "FIRST (%)"),
    ],
)
def test_values_are_shown_with_their_digits_and_units(
    name: str, value: float, text: str, full: str, label: str
) -> None:
    measure = measure_named(name)
    assert (measure.show(value), measure.show(value, unit=True), measure.label) == (text, full, label)


def test_every_record_is_complete() -> None:
    for name, measure in measures().items():
        assert measure.name == name and measure.title and measure.summary
    for name, task in TASKS.items():
        assert task.name == name and task.summary and task.batch_size > 0
        assert set(task.metrics) <= set(METRICS)
    assert not NLL.higher_is_better
    assert TASKS["g2p"].formats == ("g2p", "cmudict", "mfa", "nettalk")
    assert "conll2017" in TASKS["inflection"].formats and INITIALS.formats == ()


def test_a_task_selects_by_one_of_its_metrics() -> None:
    with pytest.raises(ConfigError, match="selection 'wer' is not one of its metrics"):
        Task(name="x", summary="x", metrics=("acc",), selection="wer")
