"""Options that several commands share; those for reading files are in `data_options`."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Beam", "Decode", "Json", "Models", "NBest", "Out", "Threads", "Weights", "set_threads"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Threads = Annotated[int | None, typer.Option(min=1, help="CPU threads; all cores by default.")]
Models = Annotated[
    str, typer.Argument(metavar="MODEL", help="Model folder; several, separated by commas, act as one mixture.")
]
Decode = Annotated[str | None, typer.Option("--decode", help="greedy, beam or exact.")]
NBest = Annotated[int, typer.Option("--n-best", min=1, help="Candidates for each source, each string once.")]
Beam = Annotated[int, typer.Option(min=1, help="Prefixes that beam keeps.")]
Out = Annotated[str | None, typer.Option("-o", "--out", help="File in place of standard output.")]
Weights = Annotated[str | None, typer.Option(help="Weights of a mixture's models, with commas.")]


def set_threads(threads: int | None) -> None:
    """Limit torch to that many CPU threads."""
    if threads is not None:
        import torch

        torch.set_num_threads(threads)
