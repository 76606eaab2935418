"""Expected counts of what source symbols turn into, summed over the exact posteriors of many pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from isotone.errors import ConfigError
from isotone.results.alignment import Alignment
from isotone.results.correspondences import Correspondences, Emission, SourceSymbol

__all__ = ["count_correspondences"]

Place = tuple[int, str]
"""0 and a symbol; 1 and 2 with the boundaries before and behind, so that data may hold the same strings."""
Key = tuple[tuple[str, ...], Place, tuple[str, ...]]
"""The symbols to the left, the symbol itself, those to the right."""
Example = tuple[str, str]


@dataclass(eq=False)
class _Tally:
    """What one source symbol has emitted so far."""

    occurrences: int = 0
    emitted: float = 0.0
    silent: float | None = 0.0
    targets: dict[tuple[str, ...], float] = field(default_factory=lambda: defaultdict(float))
    runs: dict[tuple[str, ...], float] = field(default_factory=lambda: defaultdict(float))
    examples: dict[tuple[str, ...], tuple[float, Example]] = field(default_factory=dict)

    def add(self, table: dict[tuple[str, ...], float], target: tuple[str, ...], value: float, pair: Example) -> None:
        """Count `value` of a target in `targets` or `runs`; the pair is kept where it is the most certain so far."""
        table[target] += value
        if target not in self.examples or value > self.examples[target][0]:
            self.examples[target] = value, pair


def count_correspondences(alignments: Iterable[Alignment], *, context: int = 0, separator: str = "") -> Correspondences:
    """Expected counts over a stream of alignments with posteriors; `context` symbols on either side, if any.

    `separator` joins the target symbols of examples: a blank for phones.

    Memory grows with the alphabets (with a context, with the contexts that occur), not with the number of pairs.
    """
    if context < 0:
        raise ConfigError(f"context: expected 0 or more symbols, found {context}")
    plain: dict[Key, _Tally] = {}
    in_context: dict[Key, _Tally] = {}
    pairs = impossible = 0
    for alignment in alignments:
        if not alignment.path or alignment.posterior is None:
            impossible += 1
            continue
        pairs += 1
        places = _places(alignment.source)
        keys: list[Key] = [((), place, ()) for place in places]
        tables = [(plain, keys)]
        if context:
            tables.append((in_context, [_key(places, position, context) for position in range(len(places))]))
        for tallies, keys in tables:
            _add(tallies, keys, alignment, separator)
    return Correspondences(
        pairs, impossible, tuple(_symbols(plain)), context, tuple(_symbols(in_context, by_count=True))
    )


def _places(source: Sequence[str]) -> list[Place]:
    last = len(source) - 1
    return [((position == 0) + 2 * (position == last), symbol) for position, symbol in enumerate(source)]


def _key(places: Sequence[Place], position: int, context: int) -> Key:
    """A place between its neighbours; the context ends at the boundaries of the string."""
    left = tuple(symbol for _, symbol in places[max(position - context, 0) : position])
    return left, places[position], tuple(symbol for _, symbol in places[position + 1 : position + 1 + context])


def _add(tallies: dict[Key, _Tally], keys: Sequence[Key], alignment: Alignment, separator: str) -> None:
    """One pair's posteriors; the final boundary of the target is not counted as a symbol."""
    assert alignment.posterior is not None
    target = alignment.target[:-1]
    posterior = alignment.posterior[:-1]
    emitted = posterior.sum(0).tolist()
    own = [tallies.setdefault(key, _Tally()) for key in keys]
    for position, tally in enumerate(own):
        tally.occurrences += 1
        tally.emitted += emitted[position]
        if alignment.silence is None:
            tally.silent = None
        elif tally.silent is not None:
            tally.silent += float(alignment.silence[position])
    pair = "".join(alignment.source[1:-1]), separator.join(target)
    for i, position, value in _cells(posterior):
        own[position].add(own[position].targets, (target[i],), value, pair)
    if alignment.stays is not None:
        for i, position, value in _cells(alignment.stays[:-1]):
            own[position].add(own[position].runs, target[i - 1 : i + 1], value, pair)


def _cells(table: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Iterator[tuple[int, int, float]]:
    """(target, source, value) of what is not zero."""
    rows, columns = table.nonzero()
    return zip(rows.tolist(), columns.tolist(), table[rows, columns].tolist(), strict=True)


def _symbols(tallies: dict[Key, _Tally], *, by_count: bool = False) -> list[SourceSymbol]:
    """The records, boundaries last; with `by_count` the most frequent context of a symbol first."""
    totals: dict[tuple[str, ...], float] = defaultdict(float)
    for tally in tallies.values():
        for table in (tally.targets, tally.runs):
            for target, expected in table.items():
                totals[target] += expected

    def order(item: tuple[Key, _Tally]) -> tuple[object, ...]:
        (left, place, right), tally = item
        return place, -tally.occurrences if by_count else 0, left, right

    found = []
    for (left, (kind, symbol), right), tally in sorted(tallies.items(), key=order):
        found.append(
            SourceSymbol(
                symbol,
                tally.occurrences,
                tally.emitted,
                tally.silent,
                _emissions(tally.targets, totals, tally),
                _emissions(tally.runs, totals, tally),
                boundary=kind > 0,
                left=left if by_count else None,
                right=right if by_count else None,
            )
        )
    return found


def _emissions(
    table: dict[tuple[str, ...], float], totals: dict[tuple[str, ...], float], tally: _Tally
) -> tuple[Emission, ...]:
    ranked = sorted(table.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Emission(target, expected, totals[target], tally.examples[target][1]) for target, expected in ranked)
