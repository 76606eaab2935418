"""An axis: values to pixels, linear or logarithmic, with round numbers to label it by."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Scale", "number", "scale_over"]

_ROUND = (1.0, 2.0, 5.0, 10.0)
_TICKS = 5
"""Labels on an axis, about."""
_NOTHING = 1e-200


@dataclass(frozen=True)
class Scale:
    """Maps `low`…`high` to the pixels `start`…`end`, which may run backwards as y does."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Where a value lies, in pixels."""
        low, high, here = (math.log(x) if self.log else x for x in (self.low, self.high, value))
        return self.start + (self.end - self.start) * (here - low) / (high - low)

    def ticks(self, *, whole: bool = False) -> list[float]:
        """Round numbers from low to high; `whole` ones only, for epochs."""
        if self.log:
            decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            found = [factor * 10.0**power for power in decades for factor in (1, 2, 5)]
            inside = [value for value in found if self.low <= value * (1 + 1e-9) and value <= self.high * (1 + 1e-9)]
            tens = [value for value in inside if math.isclose(math.log10(value), round(math.log10(value)))]
            return tens if len(inside) > 2 * _TICKS and len(tens) > 2 else inside
        step = _step((self.high - self.low) / _TICKS)
        step = max(1.0, step) if whole else step
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [float(f"{place * step:.12g}") for place in range(first, last + 1)]


def scale_over(values: Iterable[float], start: float, end: float, *, log: bool = False) -> Scale:
    """A scale that holds all the values, with round ends if it is linear.

    Logarithmic only if asked for and if the values are positive and differ by more than a factor of ten.
    """
    known = list(values)
    low, high = min(known, default=0.0), max(known, default=1.0)
    if log and low > 0 and high / low > 10:
        return Scale(low / 1.15, high * 1.15, start, end, log=True)
    size = max(abs(low), abs(high))
    if high - low <= max(size * 1e-9, _NOTHING):  # all the same
        low, high = (0.0, 1.0) if size <= _NOTHING else (low - size / 2, high + size / 2)
    step = _step((high - low) / _TICKS)
    return Scale(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, start, end)


def number(value: float) -> str:
    """A number for a label: four digits that matter, a true minus sign."""
    return f"{value:.4g}".replace("-", "−")


def _step(least: float) -> float:
    """The round number (1, 2, 5 × 10ⁿ) that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor for factor in _ROUND if factor * power >= least * (1 - 1e-9)) * power
