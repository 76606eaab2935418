"""pandas and polars frames, without depending on either."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotone.errors import ConfigError

__all__ = ["column", "with_columns"]


def column(frame: Any, name: str) -> list[Any]:
    """The values of one column of strings, or of lists of strings; none may be missing."""
    _kind(frame)
    if name not in frame.columns:
        raise ConfigError(f"the frame has no column {name!r}; it has {', '.join(map(str, frame.columns))}")
    values = list(frame[name].to_list())
    for row, value in enumerate(values):
        if value is None or isinstance(value, float) or type(value).__name__ == "NAType":
            raise ConfigError(f"column {name!r}, row {row}: expected text, found {value}; leave such rows out first")
    return values


def with_columns(
    frame: Any, columns: Mapping[str, list[str] | NDArray[np.generic]], *, rows: Sequence[int] | None = None
) -> Any:
    """A new frame of the same kind with `columns` added, none of them there yet; `rows` selects rows, also repeatedly.

    A list holds strings and an array numbers, so that an empty column has a type too.
    """
    kind = _kind(frame)
    if taken_names := [name for name in columns if name in frame.columns]:
        raise ConfigError(f"the frame has a column {taken_names[0]!r} already: rename or drop it first")
    if kind == "pandas":
        taken = frame if rows is None else frame.iloc[list(rows)]
        return taken.assign(**columns)
    polars = sys.modules["polars"]
    taken = frame if rows is None else frame[list(rows)]
    return taken.with_columns(
        *(polars.Series(name, v, dtype=polars.String if isinstance(v, list) else None) for name, v in columns.items())
    )


def _kind(frame: Any) -> str:
    """pandas or polars; a subclass counts as its parent."""
    for base in type(frame).__mro__:
        package = base.__module__.partition(".")[0]
        if package in {"pandas", "polars"} and base.__name__ == "DataFrame":
            return package
    found = f"{type(frame).__module__.partition('.')[0]}.{type(frame).__name__}"
    raise ConfigError(f"expected a pandas or polars DataFrame, found {found}")
