"""isotone sweep."""

from __future__ import annotations

import shlex
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated

import typer

from isotone.errors import ConfigError, IsotoneError
from isotone.extras import require_training

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from isotone.experiments.config import Sweep
    from isotone.experiments.sweep import Progress

__all__ = ["command"]


def command(
    file: Annotated[Path, typer.Argument(metavar="SWEEP.toml", help="The sweep file; see docs/experiments.md.")],
    address: Annotated[str | None, typer.Option(help="A Ray cluster; by default this machine alone.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the results, in place of the file's.")] = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="Only tell how long each cell will take.")] = False,
) -> None:
    """Train models × data sets × seeds on Ray; run it again to go on after an interruption."""
    if not file.exists():  # before anything is imported that takes time
        raise ConfigError(f"{file}: no such file")
    require_training()

    from rich.live import Live
    from rich.markup import escape

    from isotone.cli.output import error_console
    from isotone.experiments.config import load_sweep
    from isotone.experiments.sweep import run_sweep

    sweep = load_sweep(file)
    if out is not None:
        sweep = sweep.model_copy(update={"out": out.resolve()})
    console = error_console()
    if estimate:
        _estimate(sweep, console)
        return
    live = (
        Live(console=console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)
        if console.is_terminal
        else None
    )
    said = shlex.join(["isotone", *sys.argv[1:]])
    with redirect_stdout(sys.stderr), live or nullcontext():  # Ray tells of lost workers on stdout
        for progress in run_sweep(sweep, command=said, address=address):
            for name in progress.news:
                console.print(escape(_line(progress, name)), soft_wrap=True)
            if live:
                live.update(_table(sweep, progress), refresh=True)
    if progress.failed:
        _give_up(progress)
    console.print(f"{len(progress.results)} cells done; results in {sweep.out}", soft_wrap=True, markup=False)


def _estimate(sweep: Sweep, console: Console) -> None:
    """A line for each cell on stdout, and the whole of it for people."""
    from isotone.experiments.estimate import estimates, summary

    sys.stdout.write("cell\tepochs\tminutes\n")
    left = []
    for each in estimates(sweep):
        sys.stdout.write(f"{each.cell.name}\t{each.epochs}\t{each.seconds / 60:.2f}\n")
        sys.stdout.flush()
        left.append(each)
    console.print(summary(sweep, left), soft_wrap=True, markup=False)


def _give_up(progress: Progress) -> None:
    """Exit 2 if all that failed are the user's mistakes, 1 if not; the table of the others is there."""
    if not all(isinstance(error, IsotoneError) for error in progress.failed.values()):
        raise typer.Exit(1)
    name, error = next(iter(progress.failed.items()))
    more = f" (and {len(progress.failed) - 1} more cells failed)" if len(progress.failed) > 1 else ""
    raise IsotoneError(f"{name}: {error}{more}")


def _line(progress: Progress, name: str) -> str:
    """How a cell ended."""
    if name in progress.failed:
        error = progress.failed[name]
        kind = "" if isinstance(error, IsotoneError) else f"{type(error).__name__}: "
        return f"{name}: failed: {kind}{error}"
    result = progress.results[name]
    metrics = "  ".join(f"{key} {value:.4g}" for key, value in result.metrics.items() if value is not None)
    return f"{name}: {metrics}  {result.epochs} epochs  {result.seconds:.1f} s"


def _table(sweep: Sweep, progress: Progress) -> Table:
    """Data sets × models: the mean over finished seeds, or how far the first unfinished one is."""
    from rich.markup import escape

    from isotone.cli.output import table
    from isotone.experiments.sweep import selection_metric

    metric = selection_metric(sweep)
    rows = []
    for corpus in sweep.data:
        row = [escape(corpus.name)]
        for model in sweep.models:
            names = [cell.name for cell in progress.cells if (cell.corpus.name, cell.model) == (corpus.name, model)]
            row.append(_state(progress, names, metric))
        rows.append(row)
    title = f"{sweep.name}: {metric}, {len(progress.results)} of {len(progress.cells)} cells"
    return table(escape(title), ["", *sweep.models], rows)


def _state(progress: Progress, names: list[str], metric: str) -> str:
    found = [progress.results[name].metrics[metric] for name in names if name in progress.results]
    values = [value for value in found if value is not None]
    texts = [f"{fmean(values):.2f}"] if values else []
    texts += ["[red]failed[/red]"] if any(name in progress.failed for name in names) else []
    going = [f"[dim]epoch {progress.running[name]}[/dim]" for name in names if progress.running.get(name)]
    return " ".join(texts + going[:1]) or "[dim]…[/dim]"
