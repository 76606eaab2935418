"""isotone calibrate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import Json, Models, Threads, Weights
from isotone.errors import ConfigError

if TYPE_CHECKING:
    from isotone.api import Transducer

__all__ = ["command"]


@reads_data()
def command(
    *,
    model: Models,
    dev: Annotated[str | None, typer.Argument(help="Dev pairs; - is standard input. Not with --reset.")] = None,
    share: Annotated[float, typer.Option(help="Share of the dev sources to fit on; the others measure it.")] = 0.5,
    bins: Annotated[int, typer.Option(min=1, help="Equal-width bins for the calibration error.")] = 10,
    out: Annotated[
        str | None, typer.Option("-o", "--out", help="Save into this new folder; by default into the model's own.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Measure only; save nothing.")] = False,
    reset: Annotated[bool, typer.Option("--reset", help="Take the model's temperature away.")] = False,
    json: Json = False,
    weights: Weights = None,
    data: DataOptions,
    threads: Threads = None,
) -> None:
    """Fit a temperature on dev pairs, measure what it does on others, and store it with the model."""
    from isotone.api.data import format_for
    from isotone.api.load import existing_folder
    from isotone.api.temperature import check_destination, store
    from isotone.cli.opening import open_models

    if (dev is None) != reset:
        raise ConfigError("name the dev pairs" if dev is None else "--reset: needs no dev pairs")
    if not 0 < share < 1:
        raise ConfigError(f"--share: expected a number between 0 and 1, found {share}")
    if not Path(model).is_dir():
        for name in model.split(","):
            existing_folder(name)
    destination = None if dry_run else check_destination(model, out)
    transducer = open_models(model, weights, inputs=dev or "-", threads=threads)
    if dev is None:
        changed = transducer.with_temperature(None)
    else:
        pairs = list(data.read(dev, format_for(transducer, data.named_format(), dev)))
        changed = transducer.calibrate(pairs, share=share, bins=bins)
    if destination is not None:
        store(changed, destination, own=out is None)
    _say(changed, destination, json=json)


def _say(model: Transducer, destination: Path | None, *, json: bool) -> None:
    from isotone.cli.output import out_console, table
    from isotone.results import json_line, tsv_line

    place = "nothing was saved" if destination is None else f"saved in {destination}"
    if model.temperature is None:
        sys.stderr.write(f"isotone: no temperature; {place}\n")
        return
    if json:
        sys.stdout.write(json_line(model.temperature.to_json()))
        return
    known = model.temperature
    columns = ["", "sources", "before", "after"]
    rows = [
        ["temperature", "", "1", f"{known.value:.4f}"],
        ["nll, fitted on", f"{known.fitted_on}", _number(known.fitted_nll_before), _number(known.fitted_nll_after)],
        ["nll, others", f"{known.measured_on}", _number(known.measured_nll_before), _number(known.measured_nll_after)],
        ["ece, others", f"{known.measured_on}", _number(known.measured_ece_before), _number(known.measured_ece_after)],
    ]
    if console := out_console():
        console.print(table(place, columns, rows))
    else:
        sys.stdout.writelines(map(tsv_line, [["measure", *columns[1:]], *rows]))


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
