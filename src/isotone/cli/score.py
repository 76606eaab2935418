"""isotone score."""

from __future__ import annotations

import math
import sys
from itertools import islice
from typing import Annotated

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

__all__ = ["command"]


def command(
    model: Models,
    pairs: Annotated[str, typer.Argument(help="Pairs to score; - is standard input.")],
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
    """Exact log p(target | source) of every pair, in nats, over all alignments."""
    from isotone.api import BLOCK
    from isotone.cli.models import format_for, open_models
    from isotone.cli.output import cell, json_line, output

    set_threads(threads)
    transducer = open_models(model, weights)
    given = data_format(format, source_column, target_column, tags_column, column_separator, tag_separator)
    examples = read_examples(pairs, format_for(transducer, given, pairs), skip_bad=skip_bad)
    with output(out) as file:
        while block := list(islice(examples, BLOCK)):
            for example, value in zip(block, transducer.log_probs(block), strict=True):
                unseen = transducer.unseen(example)
                reason = f"never seen in training: {', '.join(map(repr, unseen))}" if unseen else None
                if value == -math.inf and not unseen:
                    reason = "no alignment copies all the symbols that were never seen in training"
                if json:
                    row = {"source": example.source, "target": example.target, "tags": list(example.tags)}
                    extra = {"reason": reason} if reason else {}
                    file.write(json_line({**row, "logprob": value, **extra}))
                    continue
                tags = [cell(";".join(example.tags))] if example.tags else []
                file.write("\t".join([cell(example.source), *tags, cell(example.target or ""), f"{value:.6f}"]) + "\n")
                if reason:
                    sys.stderr.write(f"isotone: {cell(example.source)}: {reason}\n")
