"""isotone evaluate."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Annotated

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import Beam, Budget, Decode, Json, MaxLength, Models, Threads, Weights

__all__ = ["command"]


@reads_data()
def command(
    *,
    model: Models,
    test: Annotated[str, typer.Argument(help="Pairs to evaluate on; - is standard input.")],
    json: Json = False,
    decode: Decode = None,
    beam: Beam = None,
    budget: Budget = None,
    max_length: MaxLength = None,
    errors: Annotated[str | None, typer.Option(help="Write the mistakes to this file, worst first.")] = None,
    bootstrap: Annotated[int, typer.Option(min=0, help="Resamples for the 95 % intervals.")] = 1000,
    weights: Weights = None,
    data: DataOptions,
    threads: Threads = None,
) -> None:
    """The task's metrics on a test set, with 95 % bootstrap intervals."""
    from isotone.api import decoder_named
    from isotone.api.data import format_for
    from isotone.cli.models import open_models

    decoder = decoder_named(decode, beam=beam, budget=budget, max_length=max_length)
    transducer = open_models(model, weights, inputs=test, threads=threads)

    from isotone.cli.output import out_console, output, table
    from isotone.results import MISTAKE_COLUMNS, json_line, tsv_line

    examples = list(data.read(test, format_for(transducer, data.named_format(), test)))
    with output(errors) if errors else nullcontext() as listing:
        report = transducer.evaluate(examples, decoder, bootstrap=bootstrap)
        if listing:
            listing.writelines(map(tsv_line, [MISTAKE_COLUMNS, *transducer.mistakes(report)]))
    if remark := report.remark():
        sys.stderr.write(f"isotone: {remark}\n")
    if json:
        sys.stdout.write(json_line(report.to_json()))
        return
    columns, rows = report.rows()
    if console := out_console():
        console.print(table(f"{report.task}, {report.n:,} sources", columns, rows))
    else:
        sys.stdout.writelines(map(tsv_line, [columns, *rows]))
