"""Every error that Isotone raises on purpose.

IsotoneError            the user can do something about it; the command line prints one line and exits with 2
├── DataError           a data file does not fit: names the file, the line and what was expected
├── ConfigError         a setting or a combination of settings does not make sense
├── MissingExtraError   an optional package is not installed: names the extra that brings it
├── ModelError          a model folder is missing, damaged, or from another version
├── DivergedError       training diverged (NaN or infinity): the learning rate is too high
└── LostWorkerError     a process of a distributed run ended; `--resume` goes on. Exit code 1: nobody's mistake
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = [
    "ConfigError",
    "DataError",
    "DivergedError",
    "IsotoneError",
    "LostWorkerError",
    "MissingExtraError",
    "ModelError",
    "first_problem",
]


class IsotoneError(Exception):
    """The root of the tree above."""


class DataError(IsotoneError):
    """A data file does not fit its format."""


class ConfigError(IsotoneError):
    """A setting does not make sense."""


class MissingExtraError(IsotoneError):
    """An optional package is not installed."""


class ModelError(IsotoneError):
    """A model folder cannot be used."""


class DivergedError(IsotoneError):
    """A gradient or what the weights give is infinite or not a number."""


class LostWorkerError(IsotoneError):
    """A process of a distributed run ended before its work was done."""


def first_problem(error: ValidationError) -> str:
    """The first mistake that pydantic found, as `recipe.rate: Input should be greater than 0`."""
    mistake = error.errors()[0]
    reason = mistake["msg"].removeprefix("Value error, ")
    place = ".".join(map(str, mistake["loc"]))
    return f"{place}: {reason}" if place else reason
