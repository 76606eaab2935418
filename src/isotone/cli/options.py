"""Options that several commands share; those for reading files are in `data_options`."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = [
    "Beam",
    "Budget",
    "Decode",
    "FoldCase",
    "Json",
    "Known",
    "Mass",
    "MaxLength",
    "MinProbability",
    "Models",
    "NBest",
    "Out",
    "Threads",
    "Unknown",
    "Weights",
]

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Known = Annotated[
    str | None,
    typer.Option("--known", help="Pairs of lemmas with known forms: sources too, for models trained with --paradigm."),
]
Threads = Annotated[int | None, typer.Option(min=1, help="CPU threads; all cores by default.")]
Models = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="Model folder, or a name that `isotone models` lists; several, separated by commas, act as one mixture.",
    ),
]
Decode = Annotated[str | None, typer.Option("--decode", help="{decoders}")]
NBest = Annotated[
    int | None, typer.Option("--n-best", min=1, help="beam, exact: candidates per source at most, 1 by default.")
]
Beam = Annotated[int | None, typer.Option(min=1, help="beam: prefixes kept at a time, 5 by default.")]
Mass = Annotated[float | None, typer.Option(help="exact: stop when this much probability is covered.")]
MinProbability = Annotated[
    float | None, typer.Option("--min-probability", help="exact: no candidates below this, the best one excepted.")
]
Budget = Annotated[int | None, typer.Option(min=1, help="exact: expansions per source, 10,000 by default.")]
MaxLength = Annotated[int | None, typer.Option(min=0, help="Symbols of a target at most.")]
Unknown = Annotated[
    str | None,
    typer.Option(help="Sources with symbols never seen in training: error, skip, drop the symbols, or copy them."),
]
FoldCase = Annotated[bool, typer.Option("--fold-case", help="Read capitals as lower case.")]
Out = Annotated[str | None, typer.Option("-o", "--out", help="File in place of standard output.")]
Weights = Annotated[str | None, typer.Option(help="Weights of a mixture's models, with commas.")]
