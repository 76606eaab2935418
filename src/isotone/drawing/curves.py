"""Learning curves: a value for each epoch, one line for each model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from isotone.drawing.chart import COLOURS, frame, mark, opening
from isotone.drawing.scale import number, scale_over

__all__ = ["Curve", "line_chart"]

WIDTH, HEIGHT = 460, 270
_LEFT, _TOP, _RIGHT, _BOTTOM = 56, 28, 12, 46


@dataclass(frozen=True)
class Curve:
    """One line of a chart."""

    label: str
    """What it is, for those who point at it or have it read to them."""
    points: tuple[tuple[float, float], ...]
    """(x, y), x ascending; a y that is not finite leaves a gap."""
    place: int = 0
    """Which colour and shape."""
    dashed: bool = False
    marked: float | None = None
    """The x of the point to mark: the best epoch."""

    @property
    def finite(self) -> list[tuple[float, float]]:
        """The points that can be drawn."""
        return [(x, y) for x, y in self.points if math.isfinite(y)]


def line_chart(curves: Sequence[Curve], *, title: str, x_label: str = "epoch", log: bool = False) -> str:
    """Lines over epochs as SVG; `log` asks for a logarithmic y axis, which is had where values allow it."""
    known = [point for curve in curves for point in curve.finite]
    x = scale_over([x for x, _ in known], _LEFT, WIDTH - _RIGHT)
    y = scale_over([y for _, y in known], HEIGHT - _BOTTOM, _TOP, log=log)
    parts = [
        opening(WIDTH, HEIGHT, title=title, description="; ".join(map(_described, curves))),
        frame(x, y, x_label=x_label, title=title + (" (log scale)" if y.log else ""), whole=True),
    ]
    for curve in curves:
        colour = COLOURS[curve.place % len(COLOURS)]
        kind = "line dashed" if curve.dashed else "line"
        for run in _runs(curve):
            places = [(x(epoch), y(value)) for epoch, value in run]
            if len(places) == 1:  # a line of one point cannot be seen
                parts.append(f'<circle cx="{places[0][0]:.1f}" cy="{places[0][1]:.1f}" r="2" fill="{colour}"/>')
                continue
            points = " ".join(f"{across:.1f},{down:.1f}" for across, down in places)
            parts.append(f'<polyline class="{kind}" stroke="{colour}" points="{points}"/>')
    for curve in curves:
        for epoch, value in curve.finite:
            if epoch == curve.marked:
                parts.append(mark(curve.place, x(epoch), y(value), f"{curve.label}: {number(value)} at {epoch:g}"))
    return "".join([*parts, "</svg>"])


def _runs(curve: Curve) -> list[list[tuple[float, float]]]:
    """The stretches between gaps."""
    runs: list[list[tuple[float, float]]] = [[]]
    for point in curve.points:
        if math.isfinite(point[1]):
            runs[-1].append(point)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _described(curve: Curve) -> str:
    if not curve.finite:
        return f"{curve.label}: no values"
    (_, first), (epoch, last) = curve.finite[0], curve.finite[-1]
    return f"{curve.label}: from {number(first)} to {number(last)} in {len(curve.points)} epochs up to {epoch:g}"
