"""A model on its test data: predictions with their exact probabilities, metrics, and the worst mistakes aligned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from isotone.api import load
from isotone.evaluation import evaluate
from isotone.experiments.report.runs import Run
from isotone.results import Alignment, Judged, Report
from isotone.text.example import Example
from isotone.text.readers import DataFormat, guess_format, read

if TYPE_CHECKING:
    from isotone.api import Transducer

__all__ = ["Assessment", "Mistake", "assess"]

RESAMPLES = 1000
"""For the 95 % intervals, as in `isotone evaluate`."""


@dataclass(frozen=True)
class Mistake:
    """A wrong prediction beside the reference that the model finds most probable."""

    scored: Judged
    prediction: Alignment
    reference: Alignment
    confidence: float
    """log p(prediction | source) in nats."""
    unseen: tuple[str, ...]
    """Symbols of the reference never seen in training: why it has probability 0."""


@dataclass(frozen=True)
class Assessment:
    """How a model does on its test data."""

    report: Report
    total: int
    """Test sources there are; `report.n` of them were predicted."""
    confidences: tuple[float, ...]
    """p(prediction | source) of every source."""
    right: tuple[bool, ...]
    mistakes: tuple[Mistake, ...]
    """The most confident ones, worst first."""
    left_out: str = ""
    """Which lines of the test data were left out because they do not fit."""

    @property
    def wrong(self) -> int:
        """Mistakes in all."""
        return self.right.count(False)


def assess(
    run: Run,
    *,
    errors: int = 10,
    limit: int | None = None,
    format: DataFormat | None = None,
    skip_bad: bool = False,
) -> Assessment | None:
    """Predict the test data, or `limit` of its sources, evenly spaced; None where a run has none."""
    if run.test is None:
        return None
    model = load(run.folder)
    named = format or model.config.data_format or DataFormat(name=guess_format(run.test, run.task))
    reading = read(run.test, named.format(), skip_bad=skip_bad)
    chosen, total = _spaced(list(reading), limit)
    items = model.judge(chosen)
    # A sweep's intervals are over data sets, not over words.
    report = evaluate(items, run.task, bootstrap=0 if run.metrics else RESAMPLES)
    return Assessment(
        report=report,
        total=total,
        confidences=tuple(_confidence(item) for item in items),
        right=tuple(item.right for item in items),
        mistakes=tuple(_mistake(model, item) for item in _worst(items, errors)),
        left_out=reading.left_out or "",
    )


def _spaced(examples: Sequence[Example], limit: int | None) -> tuple[list[Example], int]:
    """Examples of at most `limit` sources; files are often sorted, so the first ones would not do."""
    sources = list(dict.fromkeys((example.source, example.tags) for example in examples))
    if limit is None or limit >= len(sources):
        return list(examples), len(sources)
    kept = {sources[place * len(sources) // limit] for place in range(limit)}
    return [example for example in examples if (example.source, example.tags) in kept], len(sources)


def _confidence(item: Judged) -> float:
    """Rounding may leave a log-probability a hair above 0."""
    return 0.0 if item.confidence is None else math.exp(min(item.confidence, 0.0))


def _worst(items: Sequence[Judged], count: int) -> list[Judged]:
    wrong = [item for item in items if not item.right]
    return sorted(wrong, key=_confidence, reverse=True)[:count]


def _mistake(model: Transducer, item: Judged) -> Mistake:
    spell = model.codec.target_text
    references = [Example(item.source, spell(symbols), item.tags) for symbols in item.references]
    prediction = Example(item.source, spell(item.prediction), item.tags)
    drawn, *aligned = model.alignments([prediction, *references])
    best = max(range(len(aligned)), key=lambda place: aligned[place].logprob)
    confidence = -math.inf if item.confidence is None else item.confidence
    return Mistake(item, drawn, aligned[best], confidence, model.unseen(references[best]))
