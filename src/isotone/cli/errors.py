"""isotone errors."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import Beam, Budget, Decode, Json, MaxLength, Models, Threads, Weights

if TYPE_CHECKING:
    from isotone.results import ErrorReport

__all__ = ["command", "show"]


@reads_data()
def command(
    *,
    model: Models,
    test: Annotated[str, typer.Argument(help="Pairs to look at; - is standard input.")],
    against: Annotated[
        str | None, typer.Option(metavar="MODEL", help="A second model: what the first one fixes and breaks.")
    ] = None,
    train: Annotated[
        str | None,
        typer.Option(help="The training pairs, to tell seen from unseen; by default the file the model names."),
    ] = None,
    out: Annotated[str | None, typer.Option("-o", "--out", help="Write a line for each source to this file.")] = None,
    report: Annotated[str | None, typer.Option(help="Write a page with all tables to this file (.html).")] = None,
    examples: Annotated[int, typer.Option(min=0, help="Examples of each edit.")] = 3,
    json: Json = False,
    decode: Decode = None,
    beam: Beam = None,
    budget: Budget = None,
    max_length: MaxLength = None,
    weights: Weights = None,
    data: DataOptions,
    threads: Threads = None,
) -> None:
    """What goes wrong: edits with examples, accuracy by tag, length and novelty; two models head to head."""
    from isotone.api import decoder_named
    from isotone.api.data import format_for
    from isotone.api.load import existing_folder
    from isotone.cli.opening import open_models

    decoder = decoder_named(decode, beam=beam, budget=budget, max_length=max_length)
    for folder in against.split(",") if against else ():
        existing_folder(folder)
    transducer = open_models(model, weights, inputs=test, threads=threads)
    other = None if against is None else open_models(against, threads=threads)

    from isotone.cli.output import output
    from isotone.drawing import errors_page
    from isotone.results import tsv_line

    pairs = list(data.read(test, format_for(transducer, data.named_format(), test)))
    known = None if train is None else list(data.read(train, format_for(transducer, data.named_format(), train)))
    with output(out) if out else nullcontext() as listing, output(report) if report else nullcontext() as page:
        found = transducer.errors(pairs, decoder, against=other, train=known, examples=examples)
        if listing:
            listing.writelines(map(tsv_line, [found.item_columns(), *found.item_rows()]))
        if page:
            names = {"model": _short(model), "other": _short(against or "")}
            page.write(errors_page(found, title=f"Errors of {names['model']} on {_short(test)}", **names))
    show(found, json=json)


def show(found: ErrorReport, *, json: bool) -> None:
    """The tables for whoever reads stdout: a person, or a program."""
    from isotone.results import ERROR_COLUMNS, json_line, tsv_line

    if found.train:
        sys.stderr.write(f"isotone: seen and unseen sources are not told apart: {found.train}\n")
    if json:
        sys.stdout.write(json_line(found.to_json()))
    elif not _print(found):
        sys.stdout.writelines(map(tsv_line, [ERROR_COLUMNS, *found.rows()]))


def _short(paths: str) -> str:
    """Folders and files by their own names: where they lie on this machine is nobody's business who gets the page."""
    return ", ".join(Path(path).name or path for path in paths.split(","))


def _print(report: ErrorReport) -> bool:
    """Tables, if a person is looking."""
    from rich.markup import escape

    from isotone.cli.output import out_console, table
    from isotone.drawing import error_tables

    if (console := out_console()) is None:
        return False
    for title, columns, rows in error_tables(report):
        drawn = table(title, columns, [[escape(text) for text in row] for row in rows])
        drawn.columns[-1].justify = "left" if columns[-1] == "examples" else "right"
        console.print(drawn)
        console.print()
    return True
