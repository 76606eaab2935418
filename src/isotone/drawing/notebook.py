"""How predictions, reports and models show themselves in a notebook: small tables without a script.

Colours are translucent and the text has that of the page, so the same table suits light and dark notebooks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from isotone.drawing.symbols import visible
from isotone.results.display import to_html
from isotone.results.prediction import Candidate, Prediction, Predictions
from isotone.results.report import Report

__all__ = ["facts_table", "prediction_table", "predictions_table", "report_table", "table_of_texts"]

STYLE = (
    "<style>.isotone-table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    ".isotone-table caption{text-align:left;font-weight:600;padding:.2em 0}"
    ".isotone-table td,.isotone-table th{text-align:left;padding:.2em .9em .2em 0;border-bottom:1px solid #8884;"
    "vertical-align:top}.isotone-table th{font-weight:400;opacity:.75}"
    ".isotone-table .n{text-align:right}.isotone-table small{opacity:.75}"
    ".isotone-bar{display:inline-block;width:8em;height:.7em;border-radius:1em;background:#2f7de126}"
    ".isotone-bar span{display:block;height:100%;border-radius:1em;background:#2f7de1}</style>"
)
ROWS = 100
"""Predictions of a list that are drawn; a notebook with a hundred thousand rows would not open."""


@to_html.register
def prediction_table(prediction: Prediction) -> str:
    """A row for each candidate: its text, its probability as a bar, and below what is certain of them."""
    rows = "".join(
        f"<tr><td>{_word(candidate.target)}</td><td>{_bar(candidate)}</td>"
        f'<td class="n">{_percent(candidate.probability)}</td></tr>'
        for candidate in prediction.candidates
    )
    note = f'<tr><td colspan="3"><small>{escape(_certainty(prediction))}</small></td></tr>'
    return _table(_source(prediction), "", rows + note)


@to_html.register
def predictions_table(predictions: Predictions) -> str:
    """A row for each source with its candidates; of a long list the first hundred."""
    rows = []
    for each in predictions[:ROWS]:
        found = "<br>".join(
            f"{_word(candidate.target)} <small>{_percent(candidate.probability)}</small>"
            for candidate in each.candidates
        )
        rows.append(
            f"<tr><td>{_source(each)}</td><td>{found}</td><td><small>{escape(_certainty(each))}</small></td></tr>"
        )
    if len(predictions) > ROWS:
        rows.append(f'<tr><td colspan="3"><small>… and {len(predictions) - ROWS:,} more</small></td></tr>')
    return _table("", ("source", "predictions", ""), "".join(rows))


@to_html.register
def report_table(report: Report) -> str:
    """A row for each metric with its 95 % interval."""
    rows = []
    for name, value in report.metrics.items():
        low, high = report.intervals.get(name, (None, None))
        span = "" if low is None or high is None else f"[{_number(low)}, {_number(high)}]"
        rows.append(
            f'<tr><td>{escape(name.upper())}</td><td class="n">{_number(value)}</td><td class="n">{span}</td></tr>'
        )
    if report.impossible:
        note = f"{report.impossible:,} references have probability 0; NLL is over the others"
        rows.append(f'<tr><td colspan="3"><small>{note}</small></td></tr>')
    head = ("metric", "value", "95 % interval") if report.intervals else ("metric", "value", "")
    return _table(escape(f"{report.task}, {report.n:,} sources"), head, "".join(rows))


def facts_table(title: str, facts: Mapping[str, str]) -> str:
    """Names and values, all of them plain text: how a model shows itself."""
    rows = (f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in facts.items())
    return _table(escape(title), "", "".join(rows))


def table_of_texts(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of plain text."""
    body = "".join(f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in rows)
    return _table(escape(title), columns, body)


def _table(caption: str, head: Iterable[str], rows: str) -> str:
    """`caption` and `rows` are markup; lone surrogates, which no notebook can store, become question marks."""
    heads = "".join(f"<th>{escape(name)}</th>" for name in head)
    top = f"<thead><tr>{heads}</tr></thead>" if heads else ""
    title = f"<caption>{caption}</caption>" if caption else ""
    page = f'{STYLE}<table class="isotone-table">{title}{top}<tbody>{rows}</tbody></table>'
    return page.encode("utf-8", "replace").decode("utf-8")


def _word(text: str) -> str:
    return f'<bdi dir="auto">{escape(text) or visible(text)}</bdi>'


def _source(prediction: Prediction) -> str:
    tags = f" <small>{escape(';'.join(prediction.tags))}</small>" if prediction.tags else ""
    unseen = ", ".join(map(visible, prediction.unseen))
    note = f" <small>(never seen in training: {escape(unseen)})</small>" if unseen else ""
    return f"{_word(prediction.source)}{tags}{note}"


def _bar(candidate: Candidate) -> str:
    width = 100 * min(candidate.probability, 1.0)
    return f'<span class="isotone-bar"><span style="width:{width:.1f}%"></span></span>'


def _percent(probability: float) -> str:
    return "&lt; 0.01 %" if 0 < probability < 1e-4 else f"{probability:.2%}".replace("%", " %")


def _certainty(prediction: Prediction) -> str:
    if not prediction.candidates:
        return "nothing allowed"
    if prediction.from_lexicon:
        return "from the lexicon"
    return {True: "certified", False: "not certified", None: ""}[prediction.certified]


def _number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "∞"
