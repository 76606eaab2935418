"""isotone export."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from isotone.cli.options import Models, Threads, Weights

__all__ = ["command"]


def command(
    model: Models,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder for the exported model.")],
    int8: Annotated[bool, typer.Option("--int8", help="8-bit weights: a quarter of the size, and faster.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an exported model in the folder.")] = False,
    weights: Weights = None,
    threads: Threads = None,
) -> None:
    """Write a model for ONNX Runtime: it then loads and predicts without PyTorch, faster."""
    from isotone.api.export import check_target, export
    from isotone.cli.opening import open_models

    check_target(folder, overwrite=overwrite)  # before the model is loaded, which takes seconds
    found = export(open_models(model, weights, threads=threads), folder, int8=int8, overwrite=overwrite)
    for difference in found:
        sys.stderr.write(
            f"isotone: {folder}: {difference.same} of {difference.samples} made-up sources get the same string, "
            f"log-probabilities differ by at most {difference.log_prob:.2g} nats per symbol\n"
        )
