"""Odd characters: what is rare or irregular in this lexicon, and what is never right.

Nothing is odd by itself that most of the lexicon does: a lexicon in NFD, with slashes or with two scripts is left
alone, and the few entries that do otherwise are reported.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Literal

import regex  # type: ignore[import-untyped]

from isotone.auditing.confusables import look_alikes
from isotone.auditing.entries import Entry
from isotone.results.finding import Reason

__all__ = ["odd_characters", "scripts"]

RARE = 0.01
"""Share of entries up to which something is unusual."""
SELDOM = 2
"""Occurrences up to which a symbol is reported as seen once or twice …"""
ENOUGH = 200
"""… in lexicons of at least this many entries."""
MUCH_RARER = 20
"""A character is taken for a look-alike where the other one is this many times as frequent."""
JOINERS = {"\u200c", "\u200d"}
"""Needed to write Persian, Hindi and others."""
MARKS = {"quote": "\"'“”‘’„‚«»`´", "slash": "/\\|", "bracket": "[](){}<>"}
_SCRIPTS = (
    *("Latin", "Cyrillic", "Greek", "Arabic", "Hebrew", "Devanagari", "Han", "Hiragana", "Katakana", "Hangul"),
    *("Armenian", "Georgian", "Thai", "Ethiopic", "Bengali", "Tamil", "Telugu", "Cherokee"),
)
_SCRIPT = regex.compile("|".join(rf"(?P<{name}>\p{{Script={name}}})" for name in _SCRIPTS))

Split = Callable[[str], tuple[str, ...]]


def odd_characters(
    entries: Sequence[Entry], *, source: Split, target: Split, spaced: bool
) -> Iterator[tuple[int, Reason]]:
    """(entry, reason) of everything odd; `source` and `target` cut symbols, targets that are `spaced` at spaces."""
    for name, texts, split in (
        ("source", [entry.example.source for entry in entries], source),
        ("target", [entry.target for entry in entries], target),
    ):
        side = _Side(texts, split, spaced=spaced and name == "target")
        for entry, text in zip(entries, texts, strict=True):
            for finding in side.odd(text):
                yield entry.number, Reason("characters", f"{name}: {finding}")


class _Side:
    """All sources, or all targets, and what is usual among them."""

    def __init__(self, texts: Sequence[str], split: Split, *, spaced: bool) -> None:
        self._split, self._spaced = split, spaced
        self._few = max(1.0, RARE * len(texts))
        self._symbols = Counter(symbol for text in texts for symbol in split(text))
        self._seldom = SELDOM if len(texts) >= ENOUGH else 0
        self._characters = Counter(character for text in texts for character in text)
        self._texts_with = Counter(character for text in texts for character in set(text))
        self._scripts = Counter(map(scripts, texts))
        composed = sum(not unicodedata.is_normalized("NFD", text) for text in texts)
        apart = sum(not unicodedata.is_normalized("NFC", text) for text in texts)
        self._form: Literal["NFC", "NFD"] = "NFD" if apart > max(composed, self._few) else "NFC"
        self._inner = sum(" " in text.strip() for text in texts)

    def odd(self, text: str) -> Iterator[str]:
        """Everything odd about one text."""
        yield from self._invisible(text)
        yield from self._spaces(text)
        if not unicodedata.is_normalized(self._form, text):
            yield f"not in {self._form}"
        mixed = scripts(text)
        if len(mixed) > 1 and self._scripts[mixed] <= self._few:
            yield f"mixes {' and '.join(sorted(mixed))} letters"
        yield from self._marks(text)
        yield from self._look_alikes(text)
        for symbol in dict.fromkeys(self._split(text)):
            if self._symbols[symbol] <= self._seldom:
                yield f"{_shown(symbol)} is seen {('once', 'twice')[self._symbols[symbol] - 1]} only"

    def _invisible(self, text: str) -> Iterator[str]:
        for character in dict.fromkeys(text):
            kind = unicodedata.category(character)
            if kind in {"Cc", "Cs", "Co", "Cn"} or (kind == "Cf" and character not in JOINERS):
                what = {"Cc": "control", "Cs": "half a", "Co": "private-use", "Cn": "unassigned", "Cf": "invisible"}
                yield f"{what[kind]} character U+{ord(character):04X}"

    def _spaces(self, text: str) -> Iterator[str]:
        if text != text.strip():
            yield "space at the beginning or end"
        inner = text.strip()
        if any(character.isspace() and character != " " for character in inner):
            yield "unusual space"
        if "  " in inner:
            yield "two spaces in a row"
        elif " " in inner and not self._spaced and self._inner <= self._few:
            yield "space inside"

    def _marks(self, text: str) -> Iterator[str]:
        for name, marks in MARKS.items():
            for mark in dict.fromkeys(character for character in text if character in marks):
                if self._texts_with[mark] <= self._few:
                    yield f"{name} {mark}"

    def _look_alikes(self, text: str) -> Iterator[str]:
        for character in dict.fromkeys(text):
            count = self._characters[character]
            for other in look_alikes(character):
                if self._characters[other] >= MUCH_RARER * count:
                    yield f"{_shown(character)} looks like {_shown(other)}"
                    break


@cache
def scripts(text: str) -> frozenset[str]:
    """The scripts of a text's letters; those of the Japanese and Korean writing systems count as one."""
    found = {match.lastgroup for match in _SCRIPT.finditer(text)}
    together = {"Han", "Hiragana", "Katakana"}
    return frozenset("Japanese" if name in together and found & (together - {"Han"}) else name for name in found)


def _shown(symbol: str) -> str:
    points = "+".join(f"{ord(character):04X}" for character in symbol)
    return f"{symbol} (U+{points})" if len(symbol) == 1 else symbol
