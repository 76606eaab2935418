"""isotone compare."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isotone.errors import ConfigError

if TYPE_CHECKING:
    from isotone.experiments.compare import Comparison

__all__ = ["command"]


def command(
    results: Annotated[
        list[str],
        typer.Argument(help="results.csv, results.json or folders of sweeps; MODEL/DATA=FILE for evaluate --json."),
    ],
    metric: Annotated[str | None, typer.Option(help="acc, mld, wer, per, mfs or nll.")] = None,
    style: Annotated[
        str | None, typer.Option(help="table, markdown, latex or csv; by default a table on a terminal, csv in a pipe.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Also draw the table into this file (.svg, .pdf, .png).")] = None,
) -> None:
    """Models side by side: each data set, the average, and tests over data sets and over words."""
    from isotone.experiments.compare import compare, remarks
    from isotone.experiments.plot import plot as draw
    from isotone.experiments.results import read_scores
    from isotone.experiments.styles import STYLES

    chosen = style or ("table" if sys.stdout.isatty() else "csv")
    if chosen not in {"table", *STYLES}:
        raise ConfigError(f"--style {chosen}: expected one of table, {', '.join(STYLES)}")
    comparison = compare(read_scores(results), metric)
    if plot is not None:
        draw(comparison, plot)
    if chosen == "table":
        _print(comparison)
    else:
        sys.stdout.write(STYLES[chosen](comparison))
    for remark in remarks(comparison):
        sys.stderr.write(f"isotone: {remark}\n")


def _print(comparison: Comparison) -> None:
    from rich.console import Console
    from rich.markup import escape

    from isotone.cli.output import table
    from isotone.experiments.styles import cells, legend, p_values

    def bold(text: str) -> str:
        return f"[bold]{text}[/bold]"

    console = Console(highlight=False)
    models = [escape(model) for model in comparison.models]
    rows = cells(comparison, bold=bold, mark=str, empty="–")
    drawn = table("", [comparison.metric.upper(), *models], [[escape(row[0]), *row[1:]] for row in rows])
    if len(rows) > len(comparison.data):
        drawn.rows[-2].end_section = True
    console.print(drawn)
    if note := legend(comparison):
        console.print(note)
    if comparison.contests:
        console.print()
        square = [[escape(row[0]), *row[1:]] for row in p_values(comparison, bold=bold)]
        console.print(table("p-values", ["", *models], square))
