"""The third section: is a prediction of probability 0.8 right eight times in ten?"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from isotone.drawing import reliability_diagram
from isotone.drawing.report import Section, charts, fold, note, table
from isotone.evaluation import Reliability, reliability
from isotone.experiments.report.assess import Assessment
from isotone.experiments.report.missing import Pairs, untested

__all__ = ["calibration_section"]

HOW = (
    "Bars: how often predictions are right, by their exact probability under the model; marks stand at the mean "
    "probability of each bar; on the dashed line confidence is accuracy, below it the model is too sure of itself. "
    "ECE, the expected calibration error, is the mean distance between the two, weighted by the counts below the bars."
)


def calibration_section(pairs: Pairs) -> Section:
    """A reliability diagram for each model, over all its data sets and seeds, and the error on each data set."""
    models = list(dict.fromkeys(run.model for run, _ in pairs))
    by_model = {model: [found for run, found in pairs if found and run.model == model] for model in models}
    known = {model: _pooled(several) for model, several in by_model.items() if several}
    diagrams = [
        reliability_diagram(each.bins, title=model, error=each.expected_calibration_error, place=models.index(model))
        for model, each in known.items()
    ]
    numbers = [f'<div class="beside">{_numbers(model, each)}</div>' for model, each in known.items()]
    parts = [note(HOW), charts([*diagrams, *(numbers if len(known) == 1 else [])])] if known else []
    data = list(dict.fromkeys(run.data for run, found in pairs if found))
    if len(data) > 1:
        parts.append(_by_data(pairs, data, list(known)))
    if len(known) > 1:
        parts.append(fold("The same in numbers", charts(numbers), open=False))
    return Section("calibration", "Calibration", "".join([*parts, untested(pairs)]))


def _pooled(several: Sequence[Assessment]) -> Reliability:
    confidences = [value for each in several for value in each.confidences]
    return reliability(confidences, [right for each in several for right in each.right])


def _by_data(pairs: Pairs, data: Sequence[str], models: Sequence[str]) -> str:
    rows = []
    for name in data:
        row = [escape(name)]
        for model in models:
            several = [found for run, found in pairs if found and (run.data, run.model) == (name, model)]
            row.append(f"{_pooled(several).expected_calibration_error:.1%}" if several else "–")
        rows.append(row)
    return table("ECE by data set", ["", *models], rows)


def _numbers(model: str, each: Reliability) -> str:
    rows = [
        [
            f"{bin.lower:.0%} – {bin.upper:.0%}",
            f"{bin.count:,}",
            "–" if bin.confidence is None else f"{bin.confidence:.1%}",
            "–" if bin.accuracy is None else f"{bin.accuracy:.1%}",
        ]
        for bin in each.bins
    ]
    caption = f"{model}: ECE {each.expected_calibration_error:.2%} over {each.n:,} predictions"
    return table(caption, ["probability", "words", "confidence", "right"], rows)
