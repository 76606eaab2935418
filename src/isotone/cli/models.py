"""isotone models."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isotone.cli.options import Json
from isotone.errors import ConfigError

if TYPE_CHECKING:
    from isotone.api.listing import Listed

__all__ = ["command"]

COLUMNS = ("model", "where", "task", "aligner", "parameters", "MB", "dev")


def command(
    folder: Annotated[Path, typer.Argument(help="Where to look for model folders.")] = Path(),
    fetch: Annotated[
        str | None, typer.Option(metavar="NAME", help="Fetch a model from the Hugging Face Hub and print its folder.")
    ] = None,
    revision: Annotated[str | None, typer.Option(help="--fetch: a branch, tag or commit.")] = None,
    json: Json = False,
) -> None:
    """Which models there are: those that come with Isotone, those in folders here, those fetched from the Hub."""
    if revision is not None and fetch is None:
        raise ConfigError("--revision: only with --fetch")
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such folder")

    from isotone.api.listing import fetch as download
    from isotone.api.listing import list_models
    from isotone.cli.output import out_console, table
    from isotone.results import json_line, tsv_line

    if fetch is not None:
        sys.stdout.write(f"{download(fetch, revision=revision)}\n")
        return
    found = list(list_models(folder))
    if json:
        sys.stdout.writelines(json_line(model.to_json()) for model in found)
    elif console := out_console():
        console.print(table("Models", list(COLUMNS), [_row(model) for model in found]))
        console.print("Others: isotone models --fetch NAME (from the Hugging Face Hub), or train one: isotone train -h")
    else:
        sys.stdout.writelines(tsv_line(_row(model)) for model in found)


def _row(model: Listed) -> list[str]:
    if model.problem:
        return [model.name, model.where, model.problem, *[""] * 4]
    dev = ", ".join(f"{name} {value:.4g}" for name, value in (model.dev or {}).items() if value is not None)
    aligner = f"{model.model} × {model.members}" if model.members > 1 else str(model.model)
    return [model.name, model.where, str(model.task), aligner, f"{model.parameters:,}", f"{model.megabytes:.1f}", dev]
