"""isotone evaluate."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Annotated

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import Beam, Decode, Json, Models, Threads, Weights, set_threads

__all__ = ["command"]


@reads_data()
def command(
    *,
    model: Models,
    test: Annotated[str, typer.Argument(help="Pairs to evaluate on; - is standard input.")],
    json: Json = False,
    decode: Decode = None,
    beam: Beam = 5,
    errors: Annotated[str | None, typer.Option(help="Write the mistakes to this file, worst first.")] = None,
    bootstrap: Annotated[int, typer.Option(min=0, help="Resamples for the 95 % intervals.")] = 1000,
    weights: Weights = None,
    data: DataOptions,
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
    examples = list(data.read(test, format_for(transducer, data, test)))
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
