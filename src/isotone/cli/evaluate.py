"""isotone evaluate."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Annotated

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import Beam, Budget, Decode, Json, Known, MaxLength, Models, Threads, Weights
from isotone.errors import ConfigError

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
    calibration: Annotated[
        bool, typer.Option("--calibration", help="Also the expected calibration error, and a reliability diagram.")
    ] = False,
    bins: Annotated[int, typer.Option(min=1, help="Equal-width bins of probability for --calibration.")] = 10,
    plot: Annotated[
        str | None, typer.Option(help="Write the reliability diagram to this file (.svg or .html).")
    ] = None,
    analysis: Annotated[
        bool, typer.Option("--analysis", help="What goes wrong, in place of metrics: the tables of `isotone errors`.")
    ] = False,
    bootstrap: Annotated[int, typer.Option(min=0, help="Resamples for the 95 % intervals.")] = 1000,
    known: Known = None,
    weights: Weights = None,
    data: DataOptions,
    threads: Threads = None,
) -> None:
    """The task's metrics on a test set, with 95 % bootstrap intervals."""
    from isotone.api import decoder_named
    from isotone.api.data import format_for
    from isotone.cli.opening import open_models

    decoder = decoder_named(decode, beam=beam, budget=budget, max_length=max_length)
    if plot is not None and not plot.endswith((".svg", ".html")):
        raise ConfigError(f"--plot {plot}: expected a name that ends in .svg or .html")
    if analysis and (calibration or plot is not None or errors is not None):
        raise ConfigError("--analysis prints what isotone errors prints, without --errors, --calibration and --plot")
    measured = bins if calibration or plot else None
    transducer = open_models(model, weights, inputs=test, threads=threads)

    from isotone.cli.output import out_console, output, table
    from isotone.drawing import reliability_file, reliability_text
    from isotone.results import MISTAKE_COLUMNS, json_line, tsv_line

    shape = format_for(transducer, data.named_format(), test)
    if known is not None:
        transducer = transducer.with_known(data.read(known, shape))
    examples = list(data.read(test, shape))
    if analysis:
        from isotone.cli.errors import show

        show(transducer.errors(examples, decoder), json=json)
        return
    with output(errors) if errors else nullcontext() as listing, output(plot) if plot else nullcontext() as drawing:
        report = transducer.evaluate(examples, decoder, bootstrap=bootstrap, calibration=measured)
        if drawing and report.calibration is not None:
            drawing.write(
                reliability_file(report.calibration, title=f"{model} on {test}", html=not str(plot).endswith(".svg"))
            )
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
        if report.calibration is not None:
            console.print(reliability_text(report.calibration), markup=False, soft_wrap=True)
    else:
        sys.stdout.writelines(map(tsv_line, [columns, *rows]))
