"""pandas and polars frames, without depending on either."""

from collections.abc import Mapping, Sequence
from typing import Any

from isotone.errors import ConfigError

__all__ = ["column", "with_columns"]


def column(frame: Any, name: str) -> list[Any]:
    """The values of one column."""
    if name not in frame.columns:
        raise ConfigError(f"the frame has no column {name!r}; it has {', '.join(map(str, frame.columns))}")
    return list(frame[name])


def with_columns(frame: Any, columns: Mapping[str, Sequence[Any]]) -> Any:
    """A new frame of the same kind with `columns` added or replaced."""
    match type(frame).__module__.partition(".")[0]:
        case "pandas":
            return frame.assign(**columns)
        case "polars":
            series = type(frame[frame.columns[0]])
            return frame.with_columns(*(series(name, list(values)) for name, values in columns.items()))
        case other:
            raise ConfigError(f"expected a pandas or polars frame, found one of {other}")
