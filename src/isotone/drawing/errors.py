"""What goes wrong, as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from isotone.drawing.symbols import display_width, spelled, visible
from isotone.results.display import to_text
from isotone.results.errors import Edit, ErrorReport

__all__ = ["OUTCOMES", "edit_text", "error_tables", "errors_text"]

MOST = 15
"""Rows of a table for people; JSON and TSV have all."""

OUTCOMES = ("both right", "fixed", "broken", "both wrong")
"""What two models can do with a source."""

Table = tuple[str, list[str], list[list[str]]]
"""A title, columns and rows."""


def error_tables(report: ErrorReport, *, most: int = MOST) -> list[Table]:
    """Tables for people: edits, groups and the comparison, at most `most` rows of each kind."""
    share = f"{report.right:,} of {report.n:,} right ({report.right / report.n:.1%})"
    edits = [[edit_text(edit), f"{edit.count:,}", f"{edit.sources:,}", _examples(edit)] for edit in report.edits[:most]]
    tables: list[Table] = [
        (_more(f"Edits: {share}", report.edits, most), ["written → expected", "n", "sources", "examples"], edits)
    ]
    for by in dict.fromkeys(group.by for group in report.groups):
        groups = [group for group in report.groups if group.by == by]
        rows = [
            [spelled((g.key,)), f"{g.n:,}", f"{g.accuracy:.1f}", f"{g.low:.1f}–{g.high:.1f}", f"{g.edit_distance:.2f}"]
            for g in groups[:most]
        ]
        tables.append((_more(f"By {by}", groups, most), [by, "n", "accuracy", "95 %", "edits"], rows))
    if report.against is not None:
        counts = [[name, f"{report.against.outcomes.count(name):,}"] for name in OUTCOMES]
        counts.append(["McNemar p", f"{report.against.mcnemar:.4f}"])
        for name, test in report.against.permutation.items():
            counts.append([f"{name}: difference {test['difference']:+.4g}, p", f"{test['p_value']:.4f}"])
        tables.append(("Against the other model", ["", "sources"], counts))
    return tables


@to_text.register
def errors_text(report: ErrorReport) -> str:
    """The tables one below the other."""
    blocks = []
    for title, columns, rows in error_tables(report):
        widths = [max(display_width(row[place]) for row in [columns, *rows]) for place in range(len(columns))]
        lines = [
            "  ".join(text + " " * (width - display_width(text)) for text, width in zip(row, widths, strict=True))
            for row in [columns, *rows]
        ]
        blocks.append("\n".join([title, *(line.rstrip() for line in lines)]))
    return "\n\n".join(blocks)


def edit_text(edit: Edit) -> str:
    """`written → expected`, with ∅ for nothing."""
    return " → ".join("∅" if symbol is None else visible(symbol) for symbol in (edit.predicted, edit.expected))


def _examples(edit: Edit) -> str:
    return ", ".join(f"{e['source']}: {e['prediction']} / {e['reference']}" for e in edit.examples)


def _more(title: str, rows: Sequence[object], most: int) -> str:
    return f"{title}; the first {most} of {len(rows):,}" if len(rows) > most else title
