"""Alignments drawn with characters: a shaded grid, and a line that says which symbol made which."""

from __future__ import annotations

import math
from bisect import bisect_right

from isotone.drawing.symbols import centred, display_width, visible
from isotone.results.alignment import Alignment
from isotone.results.display import to_text

__all__ = ["compact", "grid", "log_probability"]

_SHADES = " ·░▒▓█"
_THRESHOLDS = (0.01, 0.1, 0.3, 0.6, 0.9)


def log_probability(value: float) -> str:
    """log p for people: two decimals and a true minus sign."""
    if math.isinf(value):
        return "−∞"
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


@to_text.register
def grid(alignment: Alignment) -> str:
    """Target symbols as rows, source symbols as columns, shaded by probability, the best path in brackets."""
    columns = [visible(symbol) for symbol in alignment.source]
    rows = [visible(symbol) for symbol in alignment.target]
    margin = max(map(display_width, rows), default=0)
    widths = [max(display_width(column), 3) | 1 for column in columns]  # odd, so that a cell has a middle
    certainties = ["" if link.probability is None else f"{link.probability:4.0%}" for link in alignment.links()] or [
        ""
    ] * len(rows)
    heading = " ".join(centred(column, width) for column, width in zip(columns, widths, strict=True))
    overall = f"p = {math.exp(alignment.logprob):.3g}"
    lines = [f"log p = {log_probability(alignment.logprob)}, {overall}", f"{' ' * margin} {heading}"]
    strengths = alignment.strengths().tolist()
    steps = alignment.path or (None,) * len(rows)
    for row, strength, step, certainty in zip(rows, strengths, steps, certainties, strict=True):
        marks = (_mark(value, on_path=position == step) for position, value in enumerate(strength))
        cells = " ".join(centred(mark, width) for mark, width in zip(marks, widths, strict=True))
        lines.append(f"{' ' * (margin - display_width(row))}{row} {cells} {certainty}")
    return "\n".join(line.rstrip() for line in lines)


def _mark(probability: float, *, on_path: bool) -> str:
    shade = _SHADES[bisect_right(_THRESHOLDS, probability)]
    return f"[{shade}]" if on_path else shade


def compact(alignment: Alignment) -> str:
    """`k→_  n→N  i→AY  g→_  h→_  t→T`: each source symbol with what it emitted, _ for a silent one.

    The boundaries of the source are left out unless they emitted something, the target's final one always.
    """
    emitted: list[list[str]] = [[] for _ in alignment.source]
    for link in alignment.links()[:-1]:
        emitted[link.source_index].append(visible(link.target))
    last = len(alignment.source) - 1
    return "  ".join(
        f"{visible(symbol)}→{' '.join(symbols) or '_'}"
        for position, (symbol, symbols) in enumerate(zip(alignment.source, emitted, strict=True))
        if symbols or 0 < position < last
    )
