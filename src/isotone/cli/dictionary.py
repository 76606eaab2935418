"""isotone dictionary."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import IO, TYPE_CHECKING, Annotated

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import Budget, FoldCase, Mass, MinProbability, Models, NBest, Out, Threads, Unknown, Weights
from isotone.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from isotone.results import Prediction

__all__ = ["command"]


@reads_data()
def command(
    *,
    model: Models,
    words: Annotated[str, typer.Argument(help="Words, one per line; - is standard input.")],
    out: Out = None,
    style: Annotated[str, typer.Option(help="{styles}")] = "cmudict",
    n_best: NBest = None,
    mass: Mass = None,
    min_probability: MinProbability = None,
    lexicon: Annotated[
        str | None, typer.Option(help="Pairs for words that are known; they are taken as they are.")
    ] = None,
    report: Annotated[
        str | None, typer.Option(help="Write the words worth a look to this file: unseen symbols, low probability.")
    ] = None,
    doubtful: Annotated[float, typer.Option(min=0, max=1, help="--report: a best variant below this is listed.")] = 0.5,
    unknown: Unknown = None,
    fold_case: FoldCase = False,
    budget: Budget = None,
    weights: Weights = None,
    data: DataOptions,
    threads: Threads = None,
) -> None:
    """A pronunciation dictionary: every word once, sorted, with its variants."""
    from isotone.api import decoder_named
    from isotone.cli.opening import open_models
    from isotone.results import dictionary_lines, style_named

    style_named(style)
    decoder = decoder_named("exact", n_best=n_best, mass=mass, min_probability=min_probability, budget=budget)
    if report is not None and report == out:
        raise ConfigError(f"{report}: the report and the dictionary cannot be the same file")
    transducer = open_models(model, weights, inputs=words, threads=threads)

    from isotone.api import Lexicon
    from isotone.api.data import format_for
    from isotone.api.dictionary import REPORT_COLUMNS, pronounce
    from isotone.cli.output import output
    from isotone.results import tsv_line

    shape = format_for(transducer, data.named_format(), words)
    known = (
        None if lexicon is None else Lexicon(data.read(lexicon, format_for(transducer, data.named_format(), lexicon)))
    )
    asked = data.read(words, shape, targets=False)
    with output(out) as file, output(report) if report else nullcontext() as listing:
        if listing:
            listing.write(tsv_line(REPORT_COLUMNS))
        counts = _Counts(listing, doubtful)
        asking = {"decoder": decoder, "lexicon": known, "unknown": unknown, "fold_case": fold_case}
        found = counts.watch(pronounce(transducer, asked, **asking))
        file.writelines(dictionary_lines(found, style, on_left_out=counts.left_out))
    counts.say(report)


class _Counts:
    """What the user should hear after the run, and the lines of the report."""

    def __init__(self, listing: IO[str] | None, doubtful: float) -> None:
        self._listing = listing
        self._below = doubtful
        self._words = self._doubted = 0
        self._left: list[str] = []

    def watch(self, predictions: Iterable[Prediction]) -> Iterator[Prediction]:
        """The predictions as they pass; doubtful ones go into the report."""
        from isotone.api.dictionary import doubts
        from isotone.results import cell, tsv_line

        for prediction in predictions:
            self._words += 1
            if reasons := doubts(prediction, below=self._below):
                self._doubted += 1
                row = [prediction.source, "; ".join(reasons), prediction.target, f"{prediction.probability:.4f}"]
                if self._listing:
                    self._listing.write(tsv_line(map(cell, row)))
            yield prediction

    def left_out(self, prediction: Prediction, reason: str) -> None:
        """A word that the dictionary cannot hold."""
        self._left.append(f"{prediction.source!r}: {reason}")

    def say(self, report: str | None) -> None:
        """One line on stderr, and one for words that were left out."""
        where = f"listed in {report}" if report else "--report FILE lists them"
        doubted = f", {self._doubted:,} worth a look ({where})" if self._doubted else ""
        sys.stderr.write(f"isotone: {self._words:,} words{doubted}\n")
        if self._left:
            first, count = self._left[0], len(self._left)
            sys.stderr.write(f"isotone: left out {count:,} word{'s' if count > 1 else ''}; the first: {first}\n")
