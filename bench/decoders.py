"""Trained models under every decoder: who misses the most probable string, what the proof costs, what it changes.

    python -m bench.decoders 'German, 1-mono=MODEL:TEST' …

Each argument names a model folder and a test file in the format of its training data, or MODEL:TEST:FORMAT.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from time import process_time
from typing import ClassVar

import isotone
from bench.report import Result, save, show
from isotone import Transducer
from isotone.decoding import Beam, Constraint, Decoded, Decoder, Exact, Greedy, Model
from isotone.evaluation import METRICS, task_named
from isotone.results.prediction import Prediction
from isotone.text.codec import Encoded
from isotone.text.example import Example
from isotone.text.inputs import format_of, pairs_of
from isotone.text.segment import Segmenter

CONTESTANTS: dict[str, Decoder] = {
    "greedy": Greedy(),
    "beam 5": Beam(),
    "exact": Exact(),
    "exact, 10 best": Exact(n_best=10),
}
COLUMNS: tuple[str, ...] = (
    "model",
    "decoder",
    "words/s of a core",
    "metric",
    "right, greedy wrong",
    "wrong, greedy right",
)
COLUMNS += ("best string missed, %", "certified, %", "expansions, median", "p99", "reference listed, %")
SLACK = 1e-4
"""Nats by which a string must fall short to count as less probable: rounding differs from batch to batch."""
WARM_UP = 32

Row = tuple[str | int | float, ...]


@dataclass(frozen=True)
class Outcome:
    """One decoder's answers to all sources."""

    predictions: list[Prediction]
    expansions: list[int]
    """Of each source, in no particular order; none for greedy and beam."""
    seconds: float
    """Of processor time: with one thread, what it takes on a core that nobody else uses."""


class Counting:
    """A decoder that also remembers how many prefixes were expanded."""

    summary: ClassVar[str] = "another decoder, counted"

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        self.several = decoder.several
        self.expansions: list[int] = []

    def decode(self, model: Model, sources: Sequence[Encoded], constraint: Constraint | None = None) -> list[Decoded]:
        """As the decoder does it."""
        found = self._decoder.decode(model, sources, constraint)
        self.expansions += [decoded.expansions for decoded in found if decoded.expansions is not None]
        return found


def answer(model: Transducer, sources: Sequence[Example], decoder: Decoder) -> Outcome:
    """Decode all sources as `isotone predict` does."""
    counting = Counting(decoder)
    start = process_time()
    found = list(model.predict(sources, counting))
    return Outcome(found, counting.expansions, process_time() - start)


def compare(name: str, model: Transducer, examples: Sequence[Example]) -> list[Row]:
    """A row for each decoder."""
    segment = Segmenter(model.config.text.target).split
    references: dict[tuple[str, tuple[str, ...]], list[tuple[str, ...]]] = {}
    for example in examples:
        references.setdefault((example.source, example.tags), []).append(segment(example.target or ""))
    sources = [Example(source, None, tags) for source, tags in references]
    outcomes = {}
    for contestant, decoder in CONTESTANTS.items():
        answer(model, sources[:WARM_UP], decoder)
        outcomes[contestant] = answer(model, sources, decoder)
        sys.stderr.write(f"{name}, {contestant}: {outcomes[contestant].seconds:.0f} s\n")
    return [_row(name, decoder, outcomes, list(references.values()), model.config.task) for decoder in outcomes]


def _row(
    name: str, decoder: str, outcomes: dict[str, Outcome], references: list[list[tuple[str, ...]]], task: str
) -> Row:
    outcome, greedy, exact = outcomes[decoder], outcomes["greedy"], outcomes["exact"]
    count = len(references)
    right, before = (
        [p.best.symbols in r for p, r in zip(o.predictions, references, strict=True)] for o in (outcome, greedy)
    )
    changes = list(zip(right, before, strict=True))
    proved = [(p, e) for p, e in zip(outcome.predictions, exact.predictions, strict=True) if e.certified]
    missed = sum(p.target != e.target and p.logprob < e.logprob - SLACK for p, e in proved)
    metric = task_named(task).metrics[0]
    values = [METRICS[metric].best(p.best.symbols, r) for p, r in zip(outcome.predictions, references, strict=True)]
    listed = sum(
        any(c.symbols in r for c in p.candidates) for p, r in zip(outcome.predictions, references, strict=True)
    )
    ordered = sorted(outcome.expansions)
    return (
        name,
        decoder,
        count / outcome.seconds,
        f"{metric} {statistics.mean(values):.2f}",
        changes.count((True, False)),
        changes.count((False, True)),
        100 * missed / max(1, len(proved)),
        100 * sum(bool(p.certified) for p in outcome.predictions) / count,
        statistics.median(ordered) if ordered else "",
        ordered[int(0.99 * (len(ordered) - 1))] if ordered else "",
        100 * listed / count,
    )


def main() -> None:
    """Read the command line, measure, print, save."""
    if len(sys.argv) == 1:
        raise SystemExit(__doc__)
    rows: list[Row] = []
    notes = []
    for argument in sys.argv[1:]:
        name, _, rest = argument.partition("=")
        folder, test, *format = rest.split(":")
        model = isotone.load(folder)
        named = format_of(test, format[0] if format else model.config.data_format, model.config.task)
        examples = pairs_of(test, named)
        rows += compare(name, model, examples)
        notes.append(f"{name}: {model!r}, {len(examples):,} test pairs")
    result = Result(title="Decoders", columns=COLUMNS, rows=tuple(rows), notes=tuple(notes))
    show(result)
    sys.stderr.write(f"written to {save('decoders', result, quick=False)}\n")


if __name__ == "__main__":
    main()
