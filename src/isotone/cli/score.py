"""isotone score."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import Json, Models, Out, Threads, Weights

__all__ = ["command"]


@reads_data()
def command(
    *,
    model: Models,
    pairs: Annotated[str, typer.Argument(help="Pairs to score; - is standard input.")],
    json: Json = False,
    surprisal: Annotated[
        bool, typer.Option("--surprisal", help="Also the surprisal of each target symbol and of the end; they add up.")
    ] = False,
    out: Out = None,
    weights: Weights = None,
    data: DataOptions,
    threads: Threads = None,
) -> None:
    """Exact log p(target | source) of every pair, in nats, over all alignments."""
    from isotone.cli.opening import open_with_pairs

    transducer, examples = open_with_pairs(model, pairs, data, weights=weights, threads=threads)

    from isotone.cli.output import output
    from isotone.results import cell, json_line, tsv_line

    person = out is None and sys.stdout.isatty()
    with output(out) as file:
        for scored in transducer.scores(examples, surprisal=surprisal):
            if json:
                file.write(json_line(scored.to_json()))
                continue
            file.write(tsv_line(scored.row(probability=person)))
            if scored.reason:
                sys.stderr.write(f"isotone: {cell(scored.source)}: {scored.reason}\n")
