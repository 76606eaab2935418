"""Other entries that speak for a suspicious one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from isotone.auditing.entries import Entry
from isotone.auditing.folds import word_key

__all__ = ["Readings"]

Symbols = tuple[str, ...]
PIECES = 12
"""Pieces of a compound or an abbreviation at most."""


class Readings:
    """The lexicon by word and by source, to look up what supports an entry."""

    def __init__(self, entries: Sequence[Entry], symbols: Callable[[str], Symbols]) -> None:
        """`symbols` cuts a target."""
        self._symbols = symbols
        self._words: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
        self._targets: dict[str, set[Symbols]] = defaultdict(set)
        for entry in entries:
            self._words[word_key(entry.example)].append(entry)
            self._targets[entry.example.source.casefold().rstrip(".")].add(symbols(entry.target))
        self._longest = max(map(len, self._targets), default=0)

    def variant(self, entry: Entry, best: str) -> str | None:
        """Says so where the model's own answer is another reading of the same word in the lexicon."""
        wanted = self._symbols(best)
        others = [o for o in self._words[word_key(entry.example)] if o.number != entry.number]
        return "variant" if any(self._symbols(other.target) == wanted for other in others) else None

    def composed(self, entry: Entry) -> str | None:
        """ "data + base" where the target is exactly that of other entries whose sources spell this; also c + b + s.

        Not for entries with tags: parts of a form have other tags than the whole.
        """
        if entry.example.tags:
            return None
        pieces = self._pieces(entry.example.source.casefold().rstrip("."), self._symbols(entry.target), PIECES, {})
        return None if pieces is None else " + ".join(pieces)

    def _pieces(self, source: str, target: Symbols, most: int, failed: dict[tuple[int, int], int]) -> list[str] | None:
        """Two or more sources of entries that spell the source, their targets the target; the longest first."""
        if failed.get((len(source), len(target)), -1) >= most:
            return None
        whole = not failed  # the entry itself is no piece of itself
        failed[len(source), len(target)] = -1
        for length in range(min(len(source) - whole, self._longest), 0, -1):
            head, rest = source[:length], source[length:].lstrip("-.' ")
            for own in self._targets.get(head, ()):
                if not own or target[: len(own)] != own:
                    continue
                if not rest and len(own) == len(target):
                    return [head]
                if rest and most > 1 and (more := self._pieces(rest, target[len(own) :], most - 1, failed)) is not None:
                    return [head, *more]
        failed[len(source), len(target)] = most
        return None
