"""Data files for the command line and for scripts: which format, and a stream of examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from isotone.text.example import Example
from isotone.text.readers import DataFormat, guess_format, read

if TYPE_CHECKING:
    from isotone.api.transducer import Transducer

__all__ = ["DataFormat", "Example", "format_for", "format_of_folder", "read_examples", "read_lines"]


def format_for(model: Transducer, given: DataFormat | None, path: str | Path) -> DataFormat:
    """The format given, else that of the model's training data, else a guess where only one is possible."""
    return given or model.config.data_format or DataFormat(name=guess_format(path, model.config.task))


def format_of_folder(folder: str | Path, path: str | Path) -> DataFormat:
    """`format_for` where no format is given and the model is not loaded."""
    from isotone.store.describe import read_folder

    config = read_folder(Path(folder)).config
    return config.data_format or DataFormat(name=guess_format(path, config.task))


def read_examples(
    path: str | Path,
    format: DataFormat,
    *,
    targets: bool = True,
    may_be_empty: bool = False,
    skip_bad: bool = False,
    on_left_out: Callable[[str], None] = lambda _: None,
    on_skip: Callable[[str], None] = lambda _: None,
) -> Iterator[Example]:
    """Stream a file's examples (`-` is standard input); at the end `on_left_out` hears of lines that did not fit.

    `on_skip` hears of each of those lines.

    With `targets=False`, for prediction, a target is neither needed nor returned.
    """
    chosen = format.format()
    reading = read(path, chosen, skip_bad=skip_bad, targets=targets, may_be_empty=may_be_empty, on_skip=on_skip)
    yield from reading
    if reading.skipped:
        left_out = "1 line" if reading.skipped == 1 else f"{reading.skipped} lines"
        on_left_out(f"{path}: left out {left_out}; the first: {reading.first_skipped}")


def read_lines(path: str | Path) -> list[str]:
    """The strings of a file with one per line."""
    return [example.source for example in read(path, "pairs", targets=False)]
