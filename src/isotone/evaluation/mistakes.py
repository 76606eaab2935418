"""The wrong predictions of an evaluation as rows of a table, worst first."""

from collections.abc import Iterable, Iterator

from isotone.evaluation.metrics import METRICS
from isotone.results.report import Judged

__all__ = ["COLUMNS", "mistakes"]

COLUMNS = ("source", "tags", "prediction", "references", "edit_distance")

# Tabs and line ends in the data must not break the table.
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def mistakes(items: Iterable[Judged], *, separator: str = " ") -> Iterator[tuple[str, ...]]:
    """One row of `COLUMNS` per item that equals no reference, most edits first, ties in the given order.

    `separator` joins symbols: a space for phones, nothing for characters.
    """
    distance = METRICS["mld"]
    measured = [(int(distance.best(item.prediction, item.references)), item) for item in items]
    measured.sort(key=lambda pair: -pair[0])
    for edits, item in measured:
        if edits:
            references = " | ".join(separator.join(reference) for reference in item.references)
            cells = (
                item.source,
                ";".join(item.tags),
                separator.join(item.prediction),
                references,
                str(edits),
            )
            yield tuple(cell.translate(_ESCAPES) for cell in cells)
