"""The reliability diagram: how often predictions of each confidence are right, and how many there are."""

from collections.abc import Sequence
from html import escape
from typing import Protocol

from isotone.drawing.chart import COLOURS, STYLE, frame, mark, opening
from isotone.drawing.document import document
from isotone.drawing.page import THEME
from isotone.drawing.scale import Scale
from isotone.results.calibration import Reliability
from isotone.results.display import to_text

__all__ = ["ReliabilityBin", "reliability_diagram", "reliability_file", "reliability_text"]

WIDTH, HEIGHT = 460, 388
_BAR = 40
"""Characters of a full bar."""
_LEFT, _TOP, _RIGHT, _SIDE, _GAP, _STRIP = 60, 28, 24, 240, 64, 36


class ReliabilityBin(Protocol):
    """Predictions of about the same confidence, as `isotone.evaluation.Bin` has them."""

    @property
    def lower(self) -> float:
        """Least confidence."""

    @property
    def upper(self) -> float:
        """Most confidence."""

    @property
    def count(self) -> int:
        """How many predictions."""

    @property
    def confidence(self) -> float | None:
        """Mean confidence; None in an empty bin."""

    @property
    def accuracy(self) -> float | None:
        """Fraction that is right; None in an empty bin."""


def reliability_diagram(bins: Sequence[ReliabilityBin], *, title: str, error: float, place: int = 0) -> str:
    """Bars of accuracy, a mark at each bin's mean confidence, the diagonal of an honest model, counts below.

    `error` is the expected calibration error; `place` chooses colour and shape, as for curves.
    """
    x, y = Scale(0, 1, _LEFT, WIDTH - _RIGHT), Scale(0, 1, _TOP + _SIDE, _TOP)
    total = sum(each.count for each in bins)
    said = f"Expected calibration error {error:.1%} over {total:,} predictions. " + " ".join(map(_described, bins))
    parts = [
        opening(WIDTH, HEIGHT, title=title, description=said),
        frame(x, y, x_label="confidence: exact probability of the prediction", title=title, percent=True),
        f'<text class="y" x="{x.end:g}" y="9">ECE {error:.1%}</text>',
    ]
    for each in bins:
        if each.accuracy is not None:
            parts.append(_bar(x, y, each, each.accuracy, "bar", place))
    parts.append(f'<line class="ideal" x1="{x.start:g}" y1="{y.start:g}" x2="{x.end:g}" y2="{y.end:g}"/>')
    for each in bins:
        if each.accuracy is not None and each.confidence is not None:
            parts.append(mark(place, x(each.confidence), y(each.accuracy), _described(each)))
    return "".join([*parts, *_counts(bins, x, place), "</svg>"])


def reliability_file(found: Reliability, *, title: str, html: bool) -> str:
    """The diagram as a file of its own: a page, or an SVG with its style inside."""
    drawn = reliability_diagram(found.bins, title="Reliability", error=found.expected_calibration_error)
    if not html:
        return drawn.replace("</desc>", f"</desc><style>{STYLE}</style>", 1) + "\n"
    said = f"<pre>{escape(reliability_text(found))}</pre>"
    style = THEME + STYLE + "main{padding:1rem;max-width:60rem;margin:auto}pre{overflow-x:auto}"
    return document(title, f"<main><h1>{escape(title)}</h1>{drawn}{said}</main>\n", style=style)


@to_text.register
def reliability_text(found: Reliability) -> str:
    """A bar for each bin: how often its predictions are right, with a mark at their mean probability."""
    interval = f" (95 % interval {found.interval[0]:.2%} to {found.interval[1]:.2%})" if found.interval else ""
    lines = [
        f"expected calibration error {found.expected_calibration_error:.2%}{interval}, "
        f"{len(found.bins)} bins of equal width, {found.n:,} predictions",
        f"{'probability':<12}  {'right (bar) and mean p (|)':<{_BAR + 1}}  {'right':>6}  {'mean p':>6}  {'n':>6}",
    ]
    for each in found.bins:
        span = f"{each.lower:.2f}–{each.upper:.2f}"
        if each.accuracy is None or each.confidence is None:
            lines.append(f"{span:<12}  {'':<{_BAR + 1}}  {'–':>6}  {'–':>6}  {0:>6}")
            continue
        full, at = round(each.accuracy * _BAR), round(each.confidence * _BAR)
        bar = "".join("|" if place == at else "█" if place < full else " " for place in range(_BAR + 1))
        lines.append(f"{span:<12}  {bar}  {each.accuracy:>6.1%}  {each.confidence:>6.1%}  {each.count:>6,}")
    return "\n".join(lines)


def _counts(bins: Sequence[ReliabilityBin], x: Scale, place: int) -> list[str]:
    """How many predictions each bar is about."""
    bottom = _TOP + _SIDE + _GAP + _STRIP
    y = Scale(0, max([1, *(each.count for each in bins)]), bottom, bottom - _STRIP)
    parts = [f'<text class="tick y" x="{x.start - 6:g}" y="{bottom - _STRIP / 2:g}">words</text>']
    for each in bins:
        parts.append(_bar(x, y, each, each.count, "count", place))
        middle = x((each.lower + each.upper) / 2)
        parts.append(f'<text class="tick x" x="{middle:.1f}" y="{bottom + 10:g}">{each.count:,}</text>')
    return parts


def _bar(x: Scale, y: Scale, each: ReliabilityBin, value: float, kind: str, place: int) -> str:
    left, right, top = x(each.lower) + 1, x(each.upper) - 1, y(value)
    return (
        f'<rect class="{kind}" x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{y.start - top:.1f}"'
        f' fill="{COLOURS[place % len(COLOURS)]}"><title>{_described(each)}</title></rect>'
    )


def _described(each: ReliabilityBin) -> str:
    span = f"{each.lower:.0%} to {each.upper:.0%}"
    if each.accuracy is None or each.confidence is None:
        return f"{span}: none."
    return f"{span}: {each.count:,} words, {each.accuracy:.1%} right at a mean confidence of {each.confidence:.1%}."
