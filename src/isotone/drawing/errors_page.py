"""What goes wrong, as a page of its own and for a notebook: confusions, accuracy by group, two models head to head."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from html import escape

from isotone.drawing.correspondences import DEEPEST
from isotone.drawing.errors import OUTCOMES, edit_text, error_tables
from isotone.drawing.notebook import table_of_texts
from isotone.drawing.report import Section, fold, note, report_page, table
from isotone.drawing.symbols import spelled, visible
from isotone.results.display import to_html
from isotone.results.errors import Edit, ErrorReport, Group

__all__ = ["errors_notebook", "errors_page"]

EDITS, GROUPS, SOURCES = 200, 200, 500
"""Rows of each kind on a page; the tables that the command writes have all."""
SYMBOLS = 30
"""Symbols on each side of the map of confusions, the most frequent ones."""
HOW = {
    "confusions": (
        "Each prediction is compared with its nearest reference. Rows: what the reference has; columns: what was "
        "written in its place; ∅: nothing. Right symbols are not counted."
    ),
    "groups": "Accuracy in percent with its 95 % Wilson interval, and the mean number of edits per source.",
    "against": (
        "Fixed: only this model is right; broken: only the other one is. McNemar's exact test is over those two; "
        "permutation tests are over all sources, and a difference is this model's mean minus the other's."
    ),
}
_NAMES = {"tags": "bundle of tags", "source": "source seen in training", "tag set": "tag set seen in training"}


@to_html.register
def errors_notebook(report: ErrorReport) -> str:
    """The tables that a terminal shows, one below the other."""
    return "".join(table_of_texts(title, columns, rows) for title, columns, rows in error_tables(report))


def errors_page(report: ErrorReport, *, title: str, model: str = "this model", other: str = "the other model") -> str:
    """The page, complete in one string: nothing is fetched, and nothing in the data is taken for markup."""
    lead = [f"{report.right:,} of {report.n:,} sources right ({report.right / report.n:.1%}); task {report.task}."]
    if report.train:
        lead.append(f"Seen and unseen sources are not told apart: {report.train}.")
    sections = [_confusions(report), _groups(report)]
    if report.against is not None:
        lead.append(f"{model} against {other}.")
        sections.insert(0, _head_to_head(report, model, other))
    return report_page(title, lead, [*sections, _mistakes(report)])


def _confusions(report: ErrorReport) -> Section:
    if not report.edits:
        return Section("confusions", "Confusions", note("Nothing is wrong."))
    rows = [
        [_word(edit_text(edit)), f"{edit.count:,}", f"{edit.sources:,}", _examples(edit)]
        for edit in report.edits[:EDITS]
    ]
    heads = ("written → expected", "edits", "sources", "examples: written / expected")
    listed = table("", heads, rows, stacked=True) + _cut(len(report.edits), EDITS)
    return Section("confusions", "Confusions", note(HOW["confusions"]) + _map(report.edits) + listed)


def _map(edits: Sequence[Edit]) -> str:
    """Expected symbols as rows, written ones as columns, the count as depth of colour."""
    rows, columns = Counter[str | None](), Counter[str | None]()
    counts = {(edit.expected, edit.predicted): edit.count for edit in edits}
    for (expected, written), count in counts.items():
        rows[expected] += count
        columns[written] += count
    shown = [[symbol for symbol, _ in side.most_common(SYMBOLS)] for side in (rows, columns)]
    expected_ones, written_ones = (sorted(side, key=lambda symbol: (symbol is None, symbol or "")) for side in shown)
    most = max(counts.values())
    lines = []
    for expected in expected_ones:
        cells = []
        for written in written_ones:
            count = counts.get((expected, written), 0)
            tip = f"{_symbol(written)} → {_symbol(expected)}: {count:,}"
            depth = math.sqrt(count / most)  # so that rare ones can be seen beside frequent ones
            style = f' style="background:rgb(47 125 225/{depth * DEEPEST:.2f})" title="{escape(tip)}"' if count else ""
            cells.append(f"<td{style}>{count:,}</td>" if count else "<td></td>")
        lines.append(f'<tr><th scope="row">{_word(_symbol(expected))}</th>{"".join(cells)}</tr>')
    heads = "".join(f'<th scope="col">{_word(_symbol(written))}</th>' for written in written_ones)
    corner = '<th scope="col"><small>expected \\ written</small></th>'
    body = f"<thead><tr>{corner}{heads}</tr></thead><tbody>{''.join(lines)}</tbody>"
    cut = note(f"The {SYMBOLS} most frequent symbols of each side.") if max(len(rows), len(columns)) > SYMBOLS else ""
    scroll = '<div class="wide confusions" role="group" aria-label="Map of confusions" tabindex="0">'
    return f"{scroll}<table>{body}</table></div>{cut}"


def _groups(report: ErrorReport) -> Section:
    parts = [note(HOW["groups"])]
    drawn = []
    for by in dict.fromkeys(group.by for group in report.groups):
        groups = [group for group in report.groups if group.by == by]
        rows = [_group(group) for group in groups[:GROUPS]]
        heads = (by, "sources", "accuracy", "", "95 %", "edits")
        drawn.append(table(f"By {_NAMES.get(by, by)}", heads, rows, stacked=True) + _cut(len(groups), GROUPS))
    parts.append(f'<div class="tables">{"".join(f"<div>{each}</div>" for each in drawn)}</div>')
    return Section("groups", "By tag, length and novelty", "".join(parts))


def _group(group: Group) -> list[str]:
    bar = f'<span class="share" aria-hidden="true"><span style="width:{group.accuracy:.1f}%"></span></span>'
    span = f"{group.low:.1f}–{group.high:.1f}"
    return [_word(group.key), f"{group.n:,}", f"{group.accuracy:.1f}", bar, span, f"{group.edit_distance:.2f}"]


def _head_to_head(report: ErrorReport, model: str, other: str) -> Section:
    assert report.against is not None  # the caller has asked
    duel = report.against
    counts = [[escape(name), f"{duel.outcomes.count(name):,}"] for name in OUTCOMES]
    tests = [["McNemar", "", f"{duel.mcnemar:.4f}"]]
    for name, test in duel.permutation.items():
        tests.append([escape(name.replace("_", " ")), f"{test['difference']:+.4g}", f"{test['p_value']:.4f}"])
    parts = [note(HOW["against"]), '<div class="tables">', table("Sources", ("outcome", "n"), counts)]
    parts += [table("Tests", ("", "difference", "p"), tests), "</div>"]
    for outcome in ("fixed", "broken"):
        rows = [
            [
                _source(report, place),
                _word(_spelled(report, item.prediction)),
                _word(_spelled(report, duel.others[place].prediction)),
                _word(_references(report, place)),
            ]
            for place, item in enumerate(report.items)
            if duel.outcomes[place] == outcome
        ]
        if rows:
            listed = table("", ("source", model, other, "expected"), rows[:SOURCES], stacked=True)
            parts.append(fold(f"{outcome}: {len(rows):,}", listed + _cut(len(rows), SOURCES), open=False))
    return Section("against", "Head to head", "".join(parts))


def _mistakes(report: ErrorReport) -> Section:
    wrong = [place for place, distance in enumerate(report.distances) if distance]
    if not wrong:
        return Section("mistakes", "Mistakes", note("None."))
    wrong.sort(key=lambda place: -(report.items[place].confidence or 0.0))
    rows = [
        [
            _source(report, place),
            _word(_spelled(report, report.items[place].prediction)),
            _word(_references(report, place)),
            _word(report.item_edits[place]),
            _probability(report.items[place].confidence),
        ]
        for place in wrong[:SOURCES]
    ]
    heads = ("source", "written", "expected", "edits", "p")
    listed = table("The surest first", heads, rows, stacked=True) + _cut(len(wrong), SOURCES)
    return Section("mistakes", "Mistakes", fold(f"{len(wrong):,} sources", listed, open=len(wrong) <= 50))


def _word(text: str) -> str:
    return f'<bdi dir="auto">{escape(spelled((text,)) if text else visible(text))}</bdi>'


def _source(report: ErrorReport, place: int) -> str:
    item = report.items[place]
    tags = f" <small>{escape(spelled((';'.join(item.tags),)))}</small>" if item.tags else ""
    return f"{_word(item.source)}{tags}"


def _spelled(report: ErrorReport, symbols: Sequence[str]) -> str:
    return report.separator.join(symbols)


def _references(report: ErrorReport, place: int) -> str:
    return " | ".join(_spelled(report, reference) for reference in report.items[place].references)


def _examples(edit: Edit) -> str:
    shown = (
        f"{_word(example['source'])}: {_word(example['prediction'])} / {_word(example['reference'])}"
        for example in edit.examples
    )
    return f'<span class="many">{"<br>".join(shown)}</span>'


def _symbol(symbol: str | None) -> str:
    return "∅" if symbol is None else visible(symbol)


def _probability(confidence: float | None) -> str:
    return "" if confidence is None else f"{math.exp(min(confidence, 0.0)):.3f}"


def _cut(count: int, shown: int) -> str:
    return note(f"The first {shown:,} of {count:,}.") if count > shown else ""
