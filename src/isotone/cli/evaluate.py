"""isotone evaluate."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Annotated

import typer

from isotone.cli.options import (
    ColumnSeparator,
    Decode,
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
    test: Annotated[str, typer.Argument(help="Pairs to evaluate on; - is standard input.")],
    json: Json = False,
    decode: Decode = None,
    beam: Annotated[int, typer.Option(min=1, help="Prefixes that beam keeps.")] = 5,
    errors: Annotated[str | None, typer.Option(help="Write the mistakes to this file, worst first.")] = None,
    bootstrap: Annotated[int, typer.Option(min=0, help="Resamples for the 95 % intervals.")] = 1000,
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
    """The task's metrics on a test set, with 95 % bootstrap intervals."""
    from isotone.cli.models import format_for, open_models
    from isotone.cli.output import json_line, out_console, output, table
    from isotone.decoding.options import DecodeOptions
    from isotone.evaluation import COLUMNS, evaluate, mistakes

    set_threads(threads)
    options = DecodeOptions.choose(decode=decode, beam=beam)
    transducer = open_models(model, weights)
    given = data_format(format, source_column, target_column, tags_column, column_separator, tag_separator)
    examples = list(read_examples(test, format_for(transducer, given, test), skip_bad=skip_bad))
    with output(errors) if errors else nullcontext() as listing:
        items = transducer.scored(examples, options)
        report = evaluate(items, transducer.config.task, bootstrap=bootstrap)
        if listing:
            glue = " " if transducer.config.text.target.segmentation == "separator" else ""
            listing.write("\t".join(COLUMNS) + "\n")
            listing.writelines("\t".join(row) + "\n" for row in mistakes(items, separator=glue))
    if json:
        sys.stdout.write(json_line(report.to_json()))
        return
    rows = [
        [name, f"{value:.4f}", *(f"{bound:.4f}" for bound in report.intervals.get(name, ()))]
        for name, value in report.metrics.items()
    ]
    columns = ["metric", "value", *(["low", "high"] if report.intervals else [])]
    if console := out_console():
        console.print(table(f"{report.task}, {report.n:,} sources", columns, rows))
    else:
        sys.stdout.writelines("\t".join(row) + "\n" for row in [columns, *rows])
