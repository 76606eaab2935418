"""isotone correspondences."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import Json, Models, Out, Threads, Weights

if TYPE_CHECKING:
    from isotone.results import Correspondences

__all__ = ["command"]


@reads_data()
def command(
    *,
    model: Models,
    pairs: Annotated[str, typer.Argument(help="Pairs to count in; - is standard input.")],
    context: Annotated[int, typer.Option(min=0, help="Also by context: this many source symbols on either side.")] = 0,
    minimum: Annotated[float, typer.Option(min=0, help="Leave out what is expected less often than this.")] = 0.5,
    html: Annotated[str | None, typer.Option(help="Write a page with a heat map to this file.")] = None,
    json: Json = False,
    out: Out = None,
    weights: Weights = None,
    data: DataOptions,
    threads: Threads = None,
) -> None:
    """What source symbols turn into: expected counts from exact posteriors, silent symbols, contexts."""
    from isotone.cli.opening import open_with_pairs

    transducer, examples = open_with_pairs(model, pairs, data, weights=weights, threads=threads)

    from isotone.cli.output import out_console, output
    from isotone.drawing import correspondences_page
    from isotone.results import CORRESPONDENCE_COLUMNS, json_line, tsv_line

    with output(out) as file, output(html) if html else nullcontext() as page:
        found = transducer.correspondences(examples, context=context)
        if page:
            page.write(correspondences_page(found, title=f"Correspondences: {model}"))
        if json:
            file.write(json_line(found.to_json(minimum)))
        elif out is None and out_console() is not None:
            _print(found, minimum)
        else:
            file.writelines(map(tsv_line, [CORRESPONDENCE_COLUMNS, *found.rows(minimum)]))


def _print(found: Correspondences, minimum: float) -> None:
    """Tables for a person at a terminal."""
    from rich.markup import escape

    from isotone.cli.output import out_console, table
    from isotone.drawing import correspondence_rows

    columns = ["source", "occurs", "silent", "emits", "targets, per occurrence"]
    for title, sources in ((f"{found.pairs:,} pairs", found.sources), ("in context", found.contexts)):
        rows = correspondence_rows([source for source in sources if source.occurrences >= minimum])
        if rows and (console := out_console()):
            drawn = table(title, columns, [[escape(text) for text in row] for row in rows])
            drawn.columns[-1].justify = "left"
            console.print(drawn)
