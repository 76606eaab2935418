"""isotone report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import Threads
from isotone.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isotone.experiments.report import Assessment, Run

__all__ = ["command"]


@reads_data()
def command(
    *,
    models: Annotated[list[Path], typer.Argument(metavar="MODEL…", help="Model folders, or folders of sweeps.")],
    test: Annotated[Path | None, typer.Option(help="Test pairs for the model folders.")] = None,
    out: Annotated[str, typer.Option("-o", "--out", help="The page; - is standard output.")] = "report.html",
    errors: Annotated[int, typer.Option(min=0, help="Mistakes to show for each model.")] = 10,
    limit: Annotated[int | None, typer.Option(min=1, help="Test sources to predict for each model, at most.")] = None,
    data: DataOptions,
    threads: Threads = None,
) -> None:
    """One page about models or a sweep: results, learning curves, calibration, errors with their alignments."""
    for model in models:  # before anything is imported that takes time
        if not model.exists():
            expected = "expected model.safetensors, mixture.json, cells/ or results.json"
            raise DataError(f"{model}: no such folder ({expected})")

    from isotone.api.threads import set_threads
    from isotone.cli.output import error_console, output
    from isotone.experiments.report import build_page, find_runs

    set_threads(threads)
    given = data.named_format()
    runs = find_runs(models, test)
    with output(out) as file:
        assessments = _assess(runs, errors=errors, limit=limit, format=given, skip_bad=data.skip_unlisted())
        file.write(build_page(runs, assessments, title=f"Report: {', '.join(_title(model) for model in models)}"))
    if out != "-":
        done = "1 model" if len(runs) == 1 else f"{len(runs)} models"
        error_console().print(f"{done} in {out}", soft_wrap=True, markup=False)


def _title(folder: Path) -> str:
    """A folder's own name: where it lies on this machine is nobody's business who gets the page."""
    return folder.resolve().name or str(folder)


def _assess(runs: Sequence[Run], **options: Any) -> list[Assessment | None]:
    """Every model on its test data, with a bar on a terminal."""
    from rich.markup import escape
    from rich.progress import Progress

    from isotone.cli.output import error_console
    from isotone.experiments.report import assess

    console = error_console()
    found = []
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=len(runs))
        for run in runs:
            progress.update(task, description=escape(run.name))
            found.append(assess(run, **options))
            progress.advance(task)
    for line in dict.fromkeys(each.left_out for each in found if each and each.left_out):
        console.print(f"isotone: {line}", soft_wrap=True, markup=False)
    return found
