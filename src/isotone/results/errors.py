"""What goes wrong on a test set: edits, accuracy by group, and two models head to head."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NotRequired

from typing_extensions import TypedDict

from isotone.results.display import to_html, to_text
from isotone.results.lines import cell
from isotone.results.report import Judged

__all__ = [
    "ERROR_COLUMNS",
    "ITEM_COLUMNS",
    "Edit",
    "EditJson",
    "ErrorReport",
    "ErrorReportJson",
    "ExampleJson",
    "Group",
    "GroupJson",
    "HeadToHead",
    "HeadToHeadJson",
    "PairedTestJson",
]

ERROR_COLUMNS = ("table", "key", "n", "right", "accuracy", "low", "high", "edit_distance", "examples")
"""The header of the tables as one: an edit's `n` is how often it occurs."""
ITEM_COLUMNS = ("source", "tags", "prediction", "references", "right", "edit_distance", "probability", "edits")
"""The header of a line per source; with a second model its prediction, right, edit distance and the outcome follow."""


class ExampleJson(TypedDict):
    """A source with an edit in it."""

    source: str
    tags: list[str]
    prediction: str
    reference: str


class EditJson(TypedDict):
    """One kind of edit between predictions and their nearest references."""

    kind: str
    """substituted, missing (the reference has a symbol more) or extra (the prediction has)."""
    predicted: str | None
    """The symbol written; null where it is missing."""
    expected: str | None
    """The symbol that should stand there; null for an extra one."""
    count: int
    sources: int
    """Sources with this edit."""
    examples: list[ExampleJson]


class GroupJson(TypedDict):
    """Accuracy over a part of the sources."""

    by: str
    """tag, tags, length, source, tag set, or source and tag set."""
    key: str
    n: int
    right: int
    accuracy: float
    """In percent."""
    low: float
    """95 % Wilson interval."""
    high: float
    edit_distance: float
    """Mean over the group."""


class PairedTestJson(TypedDict):
    """A paired permutation test over the sources."""

    difference: float
    """Mean of this model − mean of the other."""
    p_value: float
    exact: bool


class HeadToHeadJson(TypedDict):
    """Two models on the same sources."""

    both_right: int
    fixed: int
    """Wrong in the other model, right in this one."""
    broken: int
    """Right in the other model, wrong in this one."""
    both_wrong: int
    mcnemar: float
    """p-value of the exact McNemar test on fixed and broken."""
    permutation: dict[str, PairedTestJson]
    """By metric; edit_distance is among them."""


class ErrorReportJson(TypedDict):
    """What `isotone errors --json` prints."""

    task: str
    n: int
    right: int
    edits: list[EditJson]
    groups: list[GroupJson]
    train: NotRequired[str]
    """Why nothing is said about seen and unseen sources, where that is not known."""
    against: NotRequired[HeadToHeadJson]


@dataclass(frozen=True)
class Edit:
    """One kind of edit, with how often it occurs and the first sources where it does."""

    predicted: str | None
    expected: str | None
    count: int
    sources: int
    examples: tuple[ExampleJson, ...]

    @property
    def kind(self) -> str:
        """substituted, missing or extra."""
        return "missing" if self.predicted is None else "extra" if self.expected is None else "substituted"

    def __str__(self) -> str:
        return (
            f"{'∅' if self.predicted is None else self.predicted} → {'∅' if self.expected is None else self.expected}"
        )

    def to_json(self) -> EditJson:
        """As in `isotone errors --json`."""
        return {
            "kind": self.kind,
            "predicted": self.predicted,
            "expected": self.expected,
            "count": self.count,
            "sources": self.sources,
            "examples": list(self.examples),
        }


@dataclass(frozen=True)
class Group:
    """The sources that have something in common, and how many were right."""

    by: str
    key: str
    n: int
    right: int
    low: float
    """95 % Wilson interval of the accuracy, in percent."""
    high: float
    edit_distance: float

    @property
    def accuracy(self) -> float:
        """In percent."""
        return 100 * self.right / self.n

    def to_json(self) -> GroupJson:
        """As in `isotone errors --json`."""
        return {
            "by": self.by,
            "key": self.key,
            "n": self.n,
            "right": self.right,
            "accuracy": self.accuracy,
            "low": self.low,
            "high": self.high,
            "edit_distance": self.edit_distance,
        }


@dataclass(frozen=True)
class HeadToHead:
    """Two models on the same sources: what this one fixed and broke, and whether that may be chance."""

    outcomes: tuple[str, ...] = field(repr=False)
    """For each source "both right", "fixed", "broken" or "both wrong"."""
    mcnemar: float
    """p-value of the exact McNemar test."""
    permutation: dict[str, PairedTestJson]
    """By metric, permutation tests over the sources."""
    others: tuple[Judged, ...] = field(repr=False, compare=False, default=())
    """The other model's predictions, in the order of the sources."""
    distances: tuple[int, ...] = field(repr=False, compare=False, default=())
    """The other model's edits to the nearest reference."""

    def to_json(self) -> HeadToHeadJson:
        """As in `isotone errors --json`."""
        count = self.outcomes.count
        return {
            "both_right": count("both right"),
            "fixed": count("fixed"),
            "broken": count("broken"),
            "both_wrong": count("both wrong"),
            "mcnemar": self.mcnemar,
            "permutation": self.permutation,
        }


@dataclass(frozen=True)
class ErrorReport:
    """What goes wrong on a test set."""

    task: str
    edits: tuple[Edit, ...]
    """Most frequent first."""
    groups: tuple[Group, ...]
    items: tuple[Judged, ...] = field(repr=False, compare=False)
    distances: tuple[int, ...] = field(repr=False, compare=False)
    """Edits to the nearest reference, by source."""
    item_edits: tuple[str, ...] = field(repr=False, compare=False)
    """The edits of each source as text."""
    separator: str = field(default="", repr=False)
    """What joins target symbols: a blank for phones."""
    train: str = ""
    """Why seen and unseen sources cannot be told apart; empty where they can."""
    against: HeadToHead | None = None

    @property
    def n(self) -> int:
        """Sources, each counted once."""
        return len(self.items)

    @property
    def right(self) -> int:
        """Sources whose prediction is one of the references."""
        return self.distances.count(0)

    def __str__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        """The tables, for notebooks."""
        return to_html(self)

    def to_json(self) -> ErrorReportJson:
        """What `isotone errors --json` prints."""
        values: ErrorReportJson = {
            "task": self.task,
            "n": self.n,
            "right": self.right,
            "edits": [edit.to_json() for edit in self.edits],
            "groups": [group.to_json() for group in self.groups],
        }
        if self.train:
            values["train"] = self.train
        if self.against is not None:
            values["against"] = self.against.to_json()
        return values

    def rows(self) -> Iterator[list[str]]:
        """Rows of `ERROR_COLUMNS`: the edits, the groups, the comparison."""
        for edit in self.edits:
            shown = " | ".join(f"{e['source']}: {e['prediction']} / {e['reference']}" for e in edit.examples)
            yield ["edit", cell(str(edit)), str(edit.count), "", "", "", "", "", cell(shown)]
        for group in self.groups:
            numbers = [f"{value:.2f}" for value in (group.accuracy, group.low, group.high, group.edit_distance)]
            yield [group.by, cell(group.key), str(group.n), str(group.right), *numbers, ""]
        if self.against is not None:
            for outcome in ("both right", "fixed", "broken", "both wrong"):
                yield ["against", outcome, str(self.against.outcomes.count(outcome)), *[""] * 6]
            yield ["against", f"McNemar p = {self.against.mcnemar:.4g}", *[""] * 7]
            for name, test in self.against.permutation.items():
                said = f"{name}: difference {test['difference']:.4g}, permutation p = {test['p_value']:.4g}"
                yield ["against", said, *[""] * 7]

    def item_columns(self) -> tuple[str, ...]:
        """The header of `item_rows`."""
        more = ("other_prediction", "other_right", "other_edit_distance", "outcome")
        return ITEM_COLUMNS if self.against is None else ITEM_COLUMNS + more

    def item_rows(self) -> Iterator[list[str]]:
        """A row of `item_columns` for each source, in the order of the file."""
        for place, (item, edits) in enumerate(zip(self.items, self.item_edits, strict=True)):
            start = list(item.mistake_row(self.distances[place], self.separator))
            probability = "" if item.confidence is None else f"{math.exp(min(item.confidence, 0.0)):.6g}"
            row = [*start[:-1], _yes(item.right), start[-1], probability, cell(edits)]
            if self.against is not None:
                other = self.against.others[place]
                distance = self.against.distances[place]
                written = cell(self.separator.join(other.prediction))
                row += [written, _yes(other.right), str(distance), self.against.outcomes[place]]
            yield row


def _yes(value: bool) -> str:
    return "yes" if value else "no"
