"""Data files for the command line and for scripts: `read` streams the examples of one; which format it has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from isotone.text.example import Example
from isotone.text.readers import DataFormat, Reading, guess_format, read

if TYPE_CHECKING:
    from isotone.api.transducer import Transducer

__all__ = ["DataFormat", "Example", "Reading", "format_for", "format_of_folder", "read", "read_lines"]


def format_for(model: Transducer, given: DataFormat | None, path: str | Path) -> DataFormat:
    """The format given, else that of the model's training data, else a guess where only one is possible."""
    return given or model.config.data_format or DataFormat(name=guess_format(path, model.config.task))


def format_of_folder(folder: str | Path, path: str | Path) -> DataFormat:
    """`format_for` where no format is given and the model is not loaded."""
    from isotone.store.describe import read_folder

    config = read_folder(Path(folder)).config
    return config.data_format or DataFormat(name=guess_format(path, config.task))


def read_lines(path: str | Path) -> list[str]:
    """The strings of a file with one per line."""
    return [example.source for example in read(path, "pairs", targets=False)]
