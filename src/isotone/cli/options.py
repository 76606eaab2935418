"""Options that several commands share, and what they mean for reading files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from isotone.errors import ConfigError

if TYPE_CHECKING:
    from isotone.text.example import Example
    from isotone.text.readers.selection import DataFormat

__all__ = [
    "ColumnSeparator",
    "Decode",
    "FormatName",
    "Json",
    "Models",
    "NBest",
    "SkipBad",
    "SourceColumn",
    "TagSeparator",
    "TagsColumn",
    "TargetColumn",
    "Threads",
    "data_format",
    "read_examples",
    "set_threads",
]

FormatName = Annotated[str | None, typer.Option("--format", help="Shape of the data files; see docs/formats.md.")]
SourceColumn = Annotated[int | None, typer.Option(help="Column of the source, from 1 (for any other table).")]
TargetColumn = Annotated[int | None, typer.Option(help="Column of the target.")]
TagsColumn = Annotated[int | None, typer.Option(help="Column of the tags.")]
ColumnSeparator = Annotated[str, typer.Option(help="What stands between columns.")]
TagSeparator = Annotated[str, typer.Option(help="What stands between tags.")]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Leave out lines that do not fit, and say how many.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Threads = Annotated[int | None, typer.Option(min=1, help="CPU threads; all cores by default.")]
Models = Annotated[
    str, typer.Argument(metavar="MODEL", help="Model folder; several, separated by commas, act as one mixture.")
]
Decode = Annotated[str | None, typer.Option("--decode", help="greedy, beam or exact.")]
NBest = Annotated[int, typer.Option("--n-best", min=1, help="Candidates for each source, each string once.")]


def data_format(
    name: str | None, source: int | None, target: int | None, tags: int | None, separator: str, tag_separator: str
) -> DataFormat | None:
    """What the options say about the files' format; None if they say nothing."""
    from isotone.text.readers.selection import DataFormat

    if source is None and target is None and tags is None:
        if name == "columns":
            return DataFormat(name="columns", separator=separator, tag_separator=tag_separator)
        return None if name is None else DataFormat(name=name)
    if name not in {None, "columns"}:
        raise ConfigError("give either --format or columns, not both")
    return DataFormat(
        name="columns",
        source=source or 1,
        target=target or (1 if (source or 1) == 2 else 2),
        tags=tags,
        separator=separator,
        tag_separator=tag_separator,
    )


def read_examples(path: str, format: DataFormat, *, skip_bad: bool, targets: bool = True) -> Iterator[Example]:
    """Stream a file's examples; afterwards say on stderr how many lines were left out."""
    from isotone.text.readers import read

    reading = read(path, format.format(), skip_bad=skip_bad, targets=targets)
    yield from reading
    if reading.skipped:
        left_out = "1 line" if reading.skipped == 1 else f"{reading.skipped} lines"
        sys.stderr.write(f"isotone: {path}: left out {left_out}; the first: {reading.first_skipped}\n")


def set_threads(threads: int | None) -> None:
    """Limit torch to that many CPU threads."""
    if threads is not None:
        import torch

        torch.set_num_threads(threads)
