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
SourceColumn = Annotated[int | None, typer.Option(min=1, help="Column of the source, from 1 (for any other table).")]
TargetColumn = Annotated[int | None, typer.Option(min=1, help="Column of the target.")]
TagsColumn = Annotated[int | None, typer.Option(min=1, help="Column of the tags.")]
ColumnSeparator = Annotated[str | None, typer.Option(help="What stands between columns; a tab by default.")]
TagSeparator = Annotated[str | None, typer.Option(help="What stands between tags; a semicolon by default.")]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Leave out lines that do not fit, and say how many.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Threads = Annotated[int | None, typer.Option(min=1, help="CPU threads; all cores by default.")]
Models = Annotated[
    str, typer.Argument(metavar="MODEL", help="Model folder; several, separated by commas, act as one mixture.")
]
Decode = Annotated[str | None, typer.Option("--decode", help="greedy, beam or exact.")]
NBest = Annotated[int, typer.Option("--n-best", min=1, help="Candidates for each source, each string once.")]


def data_format(
    name: str | None,
    source: int | None,
    target: int | None,
    tags: int | None,
    separator: str | None,
    tag_separator: str | None,
) -> DataFormat | None:
    """What the options say about the files' format; None if they say nothing."""
    from isotone.text.readers.selection import DataFormat

    silent = all(option is None for option in (source, target, tags, separator, tag_separator))
    if silent and name != "columns":
        return None if name is None else DataFormat(name=name)
    if name not in {None, "columns"}:
        raise ConfigError("give either --format or columns and separators, not both")
    return DataFormat(
        name="columns",
        source=source or 1,
        target=target or next(place for place in (2, 1, 3) if place not in {source or 1, tags}),
        tags=tags,
        separator=_unescaped(separator, "\t"),
        tag_separator=_unescaped(tag_separator, ";"),
    )


def _unescaped(separator: str | None, default: str) -> str:
    """A tab is hard to type: `\\t` will do."""
    return default if separator is None else separator.replace("\\t", "\t")


def read_examples(
    path: str, format: DataFormat, *, skip_bad: bool, targets: bool = True, may_be_empty: bool = False
) -> Iterator[Example]:
    """Stream a file's examples; afterwards say on stderr how many lines were left out."""
    from isotone.text.readers import read

    reading = read(path, format.format(), skip_bad=skip_bad, targets=targets, may_be_empty=may_be_empty)
    yield from reading
    if reading.skipped:
        left_out = "1 line" if reading.skipped == 1 else f"{reading.skipped} lines"
        sys.stderr.write(f"isotone: {path}: left out {left_out}; the first: {reading.first_skipped}\n")


def set_threads(threads: int | None) -> None:
    """Limit torch to that many CPU threads."""
    if threads is not None:
        import torch

        torch.set_num_threads(threads)
