"""What source symbols turn into: expected counts over many pairs, from exact posteriors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict

from isotone.results.display import to_html, to_text
from isotone.results.lines import cell

__all__ = [
    "CORRESPONDENCE_COLUMNS",
    "Correspondences",
    "CorrespondencesJson",
    "Emission",
    "EmissionJson",
    "SourceSymbol",
    "SourceSymbolJson",
]

CORRESPONDENCE_COLUMNS = (
    "left",
    "source",
    "right",
    "kind",
    "target",
    "expected",
    "per_source",
    "per_target",
    "example",
)
"""The header of the table: `kind` is emits, run (two symbols in a row from one place) or silent."""


class EmissionJson(TypedDict):
    """What a source symbol turns into, one of several."""

    target: list[str]
    """One target symbol; in `runs` two that follow each other."""
    expected: float
    """Expected count over all pairs."""
    per_source: float
    """Expected count per occurrence of the source symbol."""
    per_target: float
    """Share of the target symbol's expected count that comes from this source symbol; for runs, of the run's."""
    example: tuple[str, str] | None
    """The pair where this is most certain."""


class SourceSymbolJson(TypedDict):
    """A source symbol, everywhere or in one context."""

    source: str
    boundary: bool
    """True for the boundaries ⟨s⟩ and ⟨/s⟩, which may emit too."""
    left: NotRequired[list[str]]
    """The symbols before it, in `contexts`."""
    right: NotRequired[list[str]]
    """The symbols after it, in `contexts`."""
    occurrences: int
    emitted: float
    """Expected number of target symbols from all its occurrences, the final boundary not counted."""
    silent: float | None
    """Expected number of occurrences that emit nothing; null where the model cannot tell."""
    targets: list[EmissionJson]
    runs: list[EmissionJson]
    """Target symbols next to each other that come from the same occurrence; empty where the model cannot tell."""


class CorrespondencesJson(TypedDict):
    """What `isotone correspondences --json` prints."""

    pairs: int
    impossible: int
    """Pairs of probability 0, which have no alignment and are not counted."""
    sources: list[SourceSymbolJson]
    context: NotRequired[int]
    """Symbols of context on either side."""
    contexts: NotRequired[list[SourceSymbolJson]]


@dataclass(frozen=True)
class Emission:
    """What a source symbol turns into, with its expected count."""

    target: tuple[str, ...]
    """One symbol, or two that follow each other."""
    expected: float
    total: float
    """Expected count of the same target from any source symbol."""
    example: tuple[str, str] | None = None
    """Source and target of the pair where this is most certain."""


@dataclass(frozen=True)
class SourceSymbol:
    """A source symbol and what it turns into, everywhere or in one context."""

    symbol: str
    occurrences: int
    emitted: float
    """Expected number of target symbols from all occurrences, the final boundary not counted."""
    silent: float | None
    """Expected number of occurrences that emit nothing; None where the model cannot tell."""
    targets: tuple[Emission, ...]
    """Most frequent first."""
    runs: tuple[Emission, ...] = ()
    """Two symbols in a row from one occurrence, most frequent first."""
    boundary: bool = False
    left: tuple[str, ...] | None = None
    right: tuple[str, ...] | None = None

    def to_json(self, minimum: float = 0.0) -> SourceSymbolJson:
        """As in `isotone correspondences --json`, without what is expected less than `minimum` times."""
        values: SourceSymbolJson = {
            "source": self.symbol,
            "boundary": self.boundary,
            "occurrences": self.occurrences,
            "emitted": self.emitted,
            "silent": self.silent,
            "targets": self._emissions(self.targets, minimum),
            "runs": self._emissions(self.runs, minimum),
        }
        if self.left is not None and self.right is not None:
            values["left"], values["right"] = list(self.left), list(self.right)
        return values

    def _emissions(self, emissions: Iterable[Emission], minimum: float) -> list[EmissionJson]:
        return [
            {
                "target": list(emission.target),
                "expected": emission.expected,
                "per_source": emission.expected / self.occurrences,
                "per_target": emission.expected / emission.total if emission.total else 0.0,
                "example": emission.example,
            }
            for emission in emissions
            if emission.expected >= minimum
        ]

    def rows(self, minimum: float = 0.0) -> Iterator[list[str]]:
        """Rows of `CORRESPONDENCE_COLUMNS`; symbols of a context or a run have blanks between them."""
        start = [cell(" ".join(self.left or ())), cell(self.symbol), cell(" ".join(self.right or ()))]
        for kind, emissions in (("emits", self.targets), ("run", self.runs)):
            for emission in self._emissions(emissions, minimum):
                numbers = [f"{emission['expected']:.4f}", f"{emission['per_source']:.4f}"]
                example = "" if emission["example"] is None else " → ".join(emission["example"])
                target = cell(" ".join(emission["target"]))
                yield [*start, kind, target, *numbers, f"{emission['per_target']:.4f}", cell(example)]
        if self.silent is not None and self.silent >= max(minimum, 5e-5):
            numbers = [f"{self.silent:.4f}", f"{self.silent / self.occurrences:.4f}"]
            yield [*start, "silent", "", *numbers, "", ""]


@dataclass(frozen=True)
class Correspondences:
    """Every source symbol of many pairs, and what it turns into."""

    pairs: int
    """Pairs that were counted."""
    impossible: int
    """Pairs of probability 0, left out."""
    sources: tuple[SourceSymbol, ...]
    """In order of code points, the boundaries last."""
    context: int = 0
    """Symbols of context on either side; 0: none asked for."""
    contexts: tuple[SourceSymbol, ...] = ()
    """The same by context, the most frequent first within a symbol."""

    def __getitem__(self, symbol: str) -> SourceSymbol:
        """The source symbol of this name; KeyError where it does not occur."""
        for source in self.sources:
            if source.symbol == symbol and not source.boundary:
                return source
        raise KeyError(symbol)

    def __str__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        """A heat map, for notebooks."""
        return to_html(self)

    def to_json(self, minimum: float = 0.0) -> CorrespondencesJson:
        """What `isotone correspondences --json` prints."""
        values: CorrespondencesJson = {
            "pairs": self.pairs,
            "impossible": self.impossible,
            "sources": [source.to_json(minimum) for source in self.sources],
        }
        if self.context:
            values["context"] = self.context
            values["contexts"] = [source.to_json(minimum) for source in self.contexts]
        return values

    def rows(self, minimum: float = 0.0) -> Iterator[list[str]]:
        """Rows of `CORRESPONDENCE_COLUMNS`: all sources, then all contexts."""
        for source in (*self.sources, *self.contexts):
            yield from source.rows(minimum)
