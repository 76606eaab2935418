"""Entries that repeat or contradict others."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from rapidfuzz.distance import Levenshtein

from isotone.auditing.entries import Entry
from isotone.results.finding import Reason

__all__ = ["repeats"]

Symbols = tuple[str, ...]
FAR = 0.6
"""Edits per symbol from which on two readings of one word are too different to be variants."""


def repeats(entries: Sequence[Entry], symbols: Callable[[str], Symbols]) -> Iterator[tuple[int, Reason]]:
    """(entry, reason) of each duplicate and each conflict; `symbols` cuts a target.

    A duplicate has source, tags and target of an earlier entry. Two forms for the same lemma and tags are a conflict;
    without tags a word may have several readings, and only those that have little in common are.
    """
    words: dict[tuple[str, ...], list[tuple[Entry, Symbols]]] = defaultdict(list)
    for entry in entries:
        source = unicodedata.normalize("NFC", entry.example.source)
        words[source, *sorted(set(entry.example.tags))].append((entry, symbols(entry.target)))
    for same in words.values():
        seen: dict[Symbols, Entry] = {}
        for entry, target in same:
            if target in seen:
                yield entry.number, Reason("duplicate", f"same as {_place(seen[target])}")
            seen.setdefault(target, entry)
        for target, entry in seen.items():
            for other, another in seen.items():
                if other != target and (entry.example.tags or _far(target, other)):
                    yield entry.number, Reason("conflict", f"{_place(another)} has {another.target}")
                    break


def _far(one: Symbols, other: Symbols) -> bool:
    return Levenshtein.distance(one, other) >= FAR * max(len(one), len(other))


def _place(entry: Entry) -> str:
    return f"line {entry.line.number}" if entry.line else f"entry {entry.number + 1}"
