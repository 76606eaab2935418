"""isotone align."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from isotone.cli.options import (
    ColumnSeparator,
    FormatName,
    Json,
    Models,
    SkipBad,
    SourceColumn,
    TagsColumn,
    TagSeparator,
    TargetColumn,
    Threads,
    data_format,
    read_examples,
    set_threads,
)

if TYPE_CHECKING:
    from isotone.api import Transducer
    from isotone.drawing.alignment import Alignment
    from isotone.text.example import Example

__all__ = ["command"]


def command(
    model: Models,
    pairs: Annotated[str, typer.Argument(help="Pairs to align; - is standard input.")],
    posterior: Annotated[bool, typer.Option("--posterior", help="Also the exact probability of every link.")] = False,
    html: Annotated[str | None, typer.Option(help="Write a page with a heat map for each pair to this file.")] = None,
    json: Json = False,
    out: Annotated[str | None, typer.Option("-o", "--out", help="File in place of standard output.")] = None,
    weights: Annotated[str | None, typer.Option(help="Weights of a mixture's models, with commas.")] = None,
    format: FormatName = None,
    skip_bad: SkipBad = False,
    source_column: SourceColumn = None,
    target_column: TargetColumn = None,
    tags_column: TagsColumn = None,
    column_separator: ColumnSeparator = None,
    tag_separator: TagSeparator = None,
    threads: Threads = None,
) -> None:
    """Which source symbol made which target symbol: the best alignment of every pair."""
    from isotone.cli.models import format_for, open_models
    from isotone.cli.output import output
    from isotone.drawing import alignments_page

    set_threads(threads)
    transducer = open_models(model, weights)
    given = data_format(format, source_column, target_column, tags_column, column_separator, tag_separator)
    examples = read_examples(pairs, format_for(transducer, given, pairs), skip_bad=skip_bad)
    kept: list[Alignment] = []
    with output(out) as file, output(html) if html else nullcontext() as page:
        shown = True
        for alignment in _alignments(transducer, examples):
            if page:
                kept.append(alignment)
            try:
                file.write(_text(alignment, json=json, posterior=posterior) if shown else "")
            except BrokenPipeError:  # `| head` has seen enough, but the page is still wanted
                if not page:
                    raise
                shown = False
        if page:
            page.write(alignments_page(kept, title=f"Alignments: {model}"))


def _text(alignment: Alignment, *, json: bool, posterior: bool) -> str:
    from isotone.cli.output import json_line
    from isotone.drawing import compact, grid

    if json:
        return json_line((alignment if posterior else replace(alignment, posterior=None)).to_json())
    return f"{grid(alignment)}\n\n" if posterior else f"{alignment.logprob:.4f}\t{compact(alignment)}\n"


def _alignments(model: Transducer, examples: Iterator[Example]) -> Iterator[Alignment]:
    while block := list(islice(examples, 256)):
        yield from model.alignments(block)
