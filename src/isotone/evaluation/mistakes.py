"""The wrong predictions of an evaluation as rows of a table, worst first."""

from collections.abc import Iterable, Iterator

from isotone.evaluation.metrics import METRICS
from isotone.results.report import MISTAKE_COLUMNS, Judged

__all__ = ["COLUMNS", "mistakes"]

COLUMNS = MISTAKE_COLUMNS


def mistakes(items: Iterable[Judged], *, separator: str = " ") -> Iterator[tuple[str, ...]]:
    """One row of `COLUMNS` per item that equals no reference, most edits first, ties in the given order.

    `separator` joins symbols: a space for phones, nothing for characters.
    """
    distance = METRICS["mld"]
    measured = [(int(distance.best(item.prediction, item.references)), item) for item in items]
    measured.sort(key=lambda pair: -pair[0])
    yield from (item.mistake_row(edits, separator) for edits, item in measured if edits)
