"""An alignment as one self-contained SVG heat map: no script, no font, no outside resource.

Labels take the colour of the surrounding text and cells are one translucent hue, so the same drawing suits
light and dark pages without asking which it is on.
"""

from __future__ import annotations

from html import escape

import numpy as np

from isotone.drawing.symbols import display_width, spelled, visible
from isotone.drawing.text import compact, log_probability
from isotone.results.alignment import Alignment
from isotone.results.display import to_html

__all__ = ["STYLE", "heat_map", "scrolling_map"]

_ROW = 26
_NARROWEST = 24
_CHARACTER = 10.5
_EDGE_CHARACTER = 7.0
_FAINTEST = 0.01
_SMALLEST_SCALE = 0.68
"""A map shrinks to its page's width, but no further than this: letters of 10 pixels can still be read."""
_PHONE = 300
"""Pixels for a map inside a card on a narrow phone; what cannot shrink to it can be scrolled by keyboard too."""

STYLE = (
    ".isotone-map{font:15px ui-sans-serif,system-ui,sans-serif;max-width:100%;height:auto}"
    ".isotone-map text{fill:currentColor;text-anchor:middle;dominant-baseline:central;unicode-bidi:isolate}"
    ".isotone-map .row{text-anchor:end}"
    ".isotone-map .edge{opacity:.45;font-size:12px}"
    ".isotone-map .ground{fill:currentColor;fill-opacity:.05}"
    ".isotone-map .cells{fill:#2f7de1}"
    ".isotone-map .path{fill:none;stroke:#f08c1d;stroke-width:2;stroke-linejoin:round;stroke-opacity:.55}"
    ".isotone-map .step{fill:none;stroke:#f08c1d;stroke-width:2}"
)


@to_html.register
def heat_map(alignment: Alignment, *, style: bool = True) -> str:
    """Target symbols as rows, source symbols as columns, posterior as depth of colour, the best path ringed.

    `style=False` leaves out the style sheet, for pages that hold `STYLE` once for many maps.
    """
    lefts, widths = _columns(alignment)
    margin = _margin(alignment)
    width = margin + lefts[-1] + 2
    height = (len(alignment.target) + 1) * _ROW + 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="isotone-map" role="img"'
        f' width="{width:g}" height="{height}" viewBox="0 0 {width:g} {height}">',
        f"<title>{_text(_title(alignment))}</title><desc>{_text(compact(alignment))}</desc>",
        f"<style>{STYLE}</style>" if style else "",
        *_labels(alignment, lefts, widths, margin),
        f'<g transform="translate({margin:g} {_ROW})">',
        *_cells(alignment, lefts, widths),
        *_path(alignment, lefts, widths),
        "</g></svg>",
    ]
    return "".join(parts)


def scrolling_map(alignment: Alignment) -> str:
    """A heat map for pages that hold `STYLE`: scaled to the width there is, and scrolled where letters would vanish."""
    least = (_margin(alignment) + _columns(alignment)[0][-1] + 2) * _SMALLEST_SCALE
    word = _text(spelled(alignment.source[1:-1]))
    reach = f' tabindex="0" role="group" aria-label="alignment of {word}"' if least > _PHONE else ""
    return f'<div class="map" style="--least:{least:.0f}px"{reach}>{heat_map(alignment, style=False)}</div>'


def _margin(alignment: Alignment) -> float:
    """Pixels left of the cells, for the target's labels."""
    return max(_label_widths(alignment.target, (len(alignment.target) - 1,)), default=0) + 8


def _text(value: str) -> str:
    return escape(value, quote=True)


def _isolated(symbol: str) -> str:
    """A symbol between directional isolates: right-to-left letters must not reorder the line around them."""
    return f"\u2068{visible(symbol)}\u2069"


def _title(alignment: Alignment) -> str:
    source, target = spelled(alignment.source[1:-1]), spelled(alignment.target[:-1])
    return f"\u2068{source}\u2069 → \u2068{target}\u2069, log p = {log_probability(alignment.logprob)}"


def _label_widths(symbols: tuple[str, ...], edges: tuple[int, ...]) -> list[float]:
    """Pixels to keep for each label; those at the `edges` are set smaller."""
    return [
        display_width(visible(symbol)) * (_EDGE_CHARACTER if place in edges else _CHARACTER)
        for place, symbol in enumerate(symbols)
    ]


def _columns(alignment: Alignment) -> tuple[list[float], list[float]]:
    """Left edge of each column, and of the one past the last; width of each."""
    labels = _label_widths(alignment.source, (0, len(alignment.source) - 1))
    widths = [max(_NARROWEST, label + 8) for label in labels]
    lefts = [0.0]
    for width in widths:
        lefts.append(lefts[-1] + width)
    return lefts, widths


def _labels(alignment: Alignment, lefts: list[float], widths: list[float], margin: float) -> list[str]:
    last_source, last_target = len(alignment.source) - 1, len(alignment.target) - 1
    labels = []
    for position, symbol in enumerate(alignment.source):
        kind = ' class="edge"' if position in (0, last_source) else ""
        x = margin + lefts[position] + widths[position] / 2
        labels.append(f'<text x="{x:g}" y="{_ROW / 2:g}"{kind}>{_text(visible(symbol))}</text>')
    for index, symbol in enumerate(alignment.target):
        kind = "row edge" if index == last_target else "row"
        y = _ROW * (index + 1.5)
        labels.append(f'<text x="{margin - 6:g}" y="{y:g}" class="{kind}">{_text(visible(symbol))}</text>')
    return labels


def _cells(alignment: Alignment, lefts: list[float], widths: list[float]) -> list[str]:
    """One translucent rectangle for each link worth seeing, over one ground for them all."""
    height = len(alignment.target) * _ROW
    cells = [f'<rect class="ground" width="{lefts[-1]:g}" height="{height}" rx="6"/><g class="cells">']
    sources = [_text(_isolated(symbol)) for symbol in alignment.source]
    targets = [_text(_isolated(symbol)) for symbol in alignment.target]
    strengths = alignment.strengths()
    for index, position in np.argwhere(strengths >= _FAINTEST).tolist():
        strength = float(strengths[index, position])
        tip = "" if alignment.posterior is None else f": {strength:.1%}"
        cells.append(
            f'<rect x="{lefts[position] + 1:g}" y="{index * _ROW + 1}" width="{widths[position] - 2:g}" '
            f'height="{_ROW - 2}" rx="5" fill-opacity="{strength:.2f}">'
            f"<title>{sources[position]} → {targets[index]}{tip}</title></rect>"
        )
    return [*cells, "</g>"]


def _path(alignment: Alignment, lefts: list[float], widths: list[float]) -> list[str]:
    """A line through the cells of the best path, and a ring on each; neither catches the pointer."""
    if not alignment.path:
        return []
    centres = [
        (lefts[position] + widths[position] / 2, (index + 0.5) * _ROW) for index, position in enumerate(alignment.path)
    ]
    points = " ".join(f"{x:g},{y:g}" for x, y in centres)
    rings = "".join(f'<circle cx="{x:g}" cy="{y:g}" r="4"/>' for x, y in centres)
    return [f'<g pointer-events="none"><polyline class="path" points="{points}"/><g class="step">{rings}</g></g>']
