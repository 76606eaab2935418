"""isotone align."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import Json, Models, Out, Threads, Weights

if TYPE_CHECKING:
    from isotone.results import Alignment

__all__ = ["command"]


@reads_data()
def command(
    *,
    model: Models,
    pairs: Annotated[str, typer.Argument(help="Pairs to align; - is standard input.")],
    posterior: Annotated[bool, typer.Option("--posterior", help="Also the exact probability of every link.")] = False,
    html: Annotated[str | None, typer.Option(help="Write a page with a heat map of each pair to this file.")] = None,
    json: Json = False,
    out: Out = None,
    weights: Weights = None,
    data: DataOptions,
    threads: Threads = None,
) -> None:
    """Which source symbol made which target symbol: the best alignment of every pair."""
    from isotone.cli.opening import open_with_pairs

    transducer, examples = open_with_pairs(model, pairs, data, weights=weights, threads=threads)

    from isotone.cli.output import output
    from isotone.drawing import alignments_page

    kept: list[Alignment] = []
    with output(out) as file, output(html) if html else nullcontext() as page:
        shown = True
        for alignment in transducer.alignments(examples):
            if page:
                kept.append(alignment)
            try:
                file.write(_text(alignment, json=json, posterior=posterior) if shown else "")
            except BrokenPipeError:  # `| head` has seen enough, but the page is still wanted
                if not page:
                    raise
                shown = False
        if page:
            page.write(alignments_page(kept, title=f"Alignments: {Path(model).name or model}"))


def _text(alignment: Alignment, *, json: bool, posterior: bool) -> str:
    from isotone.drawing import compact, grid
    from isotone.results import json_line

    if json:
        return json_line((alignment if posterior else replace(alignment, posterior=None)).to_json())
    return f"{grid(alignment)}\n\n" if posterior else f"{alignment.logprob:.4f}\t{compact(alignment)}\n"
