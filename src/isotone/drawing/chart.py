"""What charts share: the frame with its grid and labels, colours with a shape each, and the key to them.

As in the heat maps, labels take the colour of the surrounding text, so a chart suits light and dark pages.
"""

from collections.abc import Sequence
from html import escape

from isotone.drawing.scale import Scale, number

__all__ = ["COLOURS", "STYLE", "frame", "key", "mark", "opening"]

COLOURS = ("#2f7de1", "#f08c1d", "#16a06a", "#9b5de5", "#e5484d", "#0ea5b7", "#a9744f", "#7d8694")
"""Of first, second, … models; in the middle between light and dark."""

STYLE = (
    ".isotone-chart{font:12px ui-sans-serif,system-ui,sans-serif;max-width:100%;height:auto;display:block;"
    "font-variant-numeric:tabular-nums}"
    ".isotone-chart text{fill:currentColor;dominant-baseline:central}"
    ".isotone-chart .tick{opacity:.7}"
    ".isotone-chart .name{font-weight:600}"
    ".isotone-chart .x{text-anchor:middle}"
    ".isotone-chart .y{text-anchor:end}"
    ".isotone-chart .grid{stroke:currentColor;stroke-opacity:.13}"
    ".isotone-chart .line{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}"
    ".isotone-chart .dashed{stroke-dasharray:2 4}"
    ".isotone-chart .ideal{stroke:currentColor;stroke-opacity:.6;stroke-dasharray:5 4;pointer-events:none}"
    ".isotone-chart .bar{fill-opacity:.45}"
    ".isotone-key{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:.4rem 0;padding:0;list-style:none;"
    "font-size:.85rem}"
    ".isotone-key svg{vertical-align:-.1em;margin-right:.3rem}"
)

_SHAPES: tuple[str, ...] = (
    "M-4,0a4,4 0 1 0 8,0a4,4 0 1 0 -8,0z",
    "M-4,-4h8v8h-8z",
    "M0,-5.4L5.4,0L0,5.4L-5.4,0z",
    "M0,-5L5,4H-5z",
)
_SHAPES += ("M0,5L5,-4H-5z", "M-1.6,-5h3.2v3.4H5v3.2H1.6V5h-3.2V1.6H-5v-3.2h3.4z")


def opening(width: float, height: float, *, title: str, description: str) -> str:
    """The start of a chart that says what it shows to those who cannot see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="isotone-chart" role="img" width="{width:g}"'
        f' height="{height:g}" viewBox="0 0 {width:g} {height:g}">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
    )


def frame(x: Scale, y: Scale, *, x_label: str, title: str, whole: bool = False, percent: bool = False) -> str:
    """Grid lines with their numbers, the name of the x axis below, the chart's title above."""
    show = (lambda value: f"{value:.0%}") if percent else number
    parts = [f'<text class="name" x="{x.start:g}" y="9">{escape(title)}</text>']
    for value in y.ticks():
        at = y(value)
        parts.append(f'<line class="grid" x1="{x.start:g}" x2="{x.end:g}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text class="tick y" x="{x.start - 6:g}" y="{at:.1f}">{show(value)}</text>')
    for value in x.ticks(whole=whole):
        parts.append(f'<text class="tick x" x="{x(value):.1f}" y="{y.start + 13:g}">{show(value)}</text>')
    middle = (x.start + x.end) / 2
    parts.append(f'<text class="tick x" x="{middle:g}" y="{y.start + 32:g}">{escape(x_label)}</text>')
    return "".join(parts)


def mark(place: int, x: float, y: float, tip: str = "") -> str:
    """The shape of the model at `place`: colour is not the only thing that tells models apart."""
    inside = f"<title>{escape(tip)}</title>" if tip else ""
    shape, colour = _SHAPES[place % len(_SHAPES)], COLOURS[place % len(COLOURS)]
    return f'<path class="mark" d="{shape}" transform="translate({x:.1f} {y:.1f})" fill="{colour}">{inside}</path>'


def key(labels: Sequence[str]) -> str:
    """Which colour and shape is which, as HTML."""
    items = [
        f'<li><svg width="12" height="12" aria-hidden="true">{mark(place, 6, 6)}</svg>{escape(label)}</li>'
        for place, label in enumerate(labels)
    ]
    return f'<ul class="isotone-key">{"".join(items)}</ul>'
