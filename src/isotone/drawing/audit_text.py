"""Findings of an audit as lines of text, and as a table for notebooks."""

from __future__ import annotations

import math
from html import escape

from isotone.drawing.symbols import spelled, visible
from isotone.results.alignment import END
from isotone.results.audited import Audit
from isotone.results.display import to_html, to_text
from isotone.results.finding import Finding

__all__ = ["Piece", "audit_table", "audit_text", "finding_line", "finding_pieces", "pieces_of"]

Piece = tuple[str, bool]
"""A stretch of text, and whether it is suspicious."""
MOST = 30
"""Findings that are shown in a notebook or by print()."""


def pieces_of(symbols: tuple[str, ...], segment: tuple[int, int], glue: str, *, end: bool = False) -> list[Piece]:
    """The symbols as text in up to three pieces, the segment being the suspicious one; with `end`, the end may be."""
    shown = [visible(symbol) if symbol != " " else " " for symbol in symbols]
    if end and segment[1] > len(symbols):
        shown.append(END)
    first, last = segment
    parts = [(shown[:first], False), (shown[first:last], True), (shown[last:], False)]
    pieces: list[Piece] = []
    for part, marked in parts:
        if part:
            if pieces and glue:
                pieces.append((glue, False))
            pieces.append((glue.join(part), marked))
    return pieces


def finding_pieces(finding: Finding) -> tuple[list[Piece], list[Piece]]:
    """Source and target of a finding, the suspicious segments apart."""
    glue = " " if any(len(symbol) > 1 for symbol in finding.target_symbols) or " " in finding.target.strip() else ""
    glue = "" if " " in finding.target_symbols else glue
    verdict = finding.verdict
    if verdict is None:
        return pieces_of(finding.source_symbols, (0, 0), ""), pieces_of(finding.target_symbols, (0, 0), glue)
    return (
        pieces_of(finding.source_symbols, verdict.source_segment, ""),
        pieces_of(finding.target_symbols, verdict.segment, glue, end=True),
    )


def finding_line(finding: Finding) -> str:
    """One line, the suspicious segments in square brackets."""
    source, target = ("".join(f"[{text}]" if marked else text for text, marked in p) for p in finding_pieces(finding))
    place = "" if finding.line is None else f"line {finding.line}: "
    tags = f" ({spelled(';'.join(finding.tags))})" if finding.tags else ""
    return f"{finding.score:6.1f}  {place}{source}{tags} → {target}  {spelled(_remark(finding))}"


def _remark(finding: Finding) -> str:
    """What kinds, what the model would write, and what speaks for the entry."""
    verdict = finding.verdict
    reasons = "; ".join(reason.text for reason in finding.reasons if reason.kind != "improbable")
    best = f"model: {verdict.best} ({math.exp(verdict.best_logprob):.2f})" if verdict else ""
    rescued = f"{verdict.rescued}" if verdict and verdict.rescued else ""
    return "  ".join(filter(None, (",".join(finding.kinds), best, reasons, rescued)))


@to_text.register
def audit_text(audit: Audit) -> str:
    """The worst findings, a line each."""
    lines = [finding_line(finding) for finding in audit.findings[:MOST]]
    more = [f"… and {len(audit) - MOST:,} more"] if len(audit) > MOST else []
    return "\n".join([f"{audit.name}: {len(audit):,} suspicious of {len(audit.scores):,} entries", *lines, *more])


@to_html.register
def audit_table(audit: Audit) -> str:
    """The worst findings as an HTML table."""
    rows = []
    for finding in audit.findings[:MOST]:
        source, target = ("".join(map(_marked, pieces)) for pieces in finding_pieces(finding))
        cells = [
            "" if finding.line is None else str(finding.line),
            f"{finding.score:.1f}",
            f"<bdi>{source}</bdi>",
            escape(spelled(";".join(finding.tags))),
            f"<bdi>{target}</bdi>",
            escape(spelled(finding.verdict.best)) if finding.verdict else "",
            escape(", ".join(finding.kinds)),
        ]
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    heads = "".join(f"<th>{name}</th>" for name in ("line", "score", "source", "tags", "target", "model", "kinds"))
    title = f"{escape(audit.name)}: {len(audit):,} suspicious of {len(audit.scores):,} entries"
    return f"<table><caption>{title}</caption><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _marked(piece: Piece) -> str:
    text, marked = piece
    return f"<u>{escape(text)}</u>" if marked else escape(text)
