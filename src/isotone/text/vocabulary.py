"""Symbols and their numbers.

    0 PAD   1 BOS   2 UNK   3 EOS   4… the data's own symbols

The four specials are numbers only. They have no spelling, so no string of the data is reserved.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from isotone.errors import ModelError
from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.text.segment import Segmenter

__all__ = ["BOS", "EOS", "FIRST", "PAD", "UNK", "Alphabet", "Vocabulary"]

PAD, BOS, UNK, EOS = range(4)
FIRST = 4


@dataclass(frozen=True, slots=True)
class Alphabet:
    """The symbols of one side; symbol k has the id FIRST + k."""

    symbols: tuple[str, ...]
    _ids: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ids = {symbol: number for number, symbol in enumerate(self.symbols, start=FIRST)}
        if len(ids) != len(self.symbols):
            repeated = next(symbol for symbol, count in Counter(self.symbols).items() if count > 1)
            raise ValueError(f"symbol {repeated!r} appears twice")
        if "" in ids:
            raise ValueError("the empty string is not a symbol")
        object.__setattr__(self, "_ids", ids)

    @classmethod
    def build(cls, symbols: Iterable[str]) -> "Alphabet":
        """The distinct `symbols` in code point order, so that the order of the data does not matter."""
        return cls(tuple(sorted(set(symbols))))

    def __len__(self) -> int:
        """Number of ids, the four specials included: the size of an embedding table."""
        return FIRST + len(self.symbols)

    def __contains__(self, symbol: object) -> bool:
        return symbol in self._ids

    def id(self, symbol: str) -> int:
        """The id of `symbol`, UNK if it was never seen."""
        return self._ids.get(symbol, UNK)

    def symbol(self, id: int) -> str:
        """The symbol behind `id`; a special has none and is a ValueError."""
        if not FIRST <= id < len(self):
            raise ValueError(f"id {id} is not a symbol of the data (those are {FIRST} to {len(self) - 1})")
        return self.symbols[id - FIRST]

    def encode(self, symbols: Iterable[str]) -> tuple[int, ...]:
        """The ids of `symbols`, unwrapped."""
        get = self._ids.get
        return tuple([get(symbol, UNK) for symbol in symbols])


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Everything a model knows by number: two alphabets and the tags."""

    source: Alphabet
    target: Alphabet
    tags: tuple[str, ...] = ()

    @classmethod
    def build(cls, examples: Iterable[Example], texts: Texts) -> tuple["Vocabulary", dict[str, int]]:
        """The vocabulary of `examples`, in one pass, and how often each source symbol occurs.

        The counts say which source symbols are rare enough to stand in for UNK while training.
        """
        source, target = Segmenter(texts.source), Segmenter(texts.target)
        source_counts: Counter[str] = Counter()
        target_symbols: set[str] = set()
        tags: set[str] = set()
        for example in examples:
            source_counts.update(source.split(example.source))
            if example.target is not None:
                target_symbols.update(target.split(example.target))
            tags.update(example.tags)
        vocabulary = cls(Alphabet.build(source_counts), Alphabet.build(target_symbols), tuple(sorted(tags)))
        return vocabulary, dict(source_counts)

    def after(self, first: "Vocabulary") -> "Vocabulary":
        """All of `first`, with its numbers, and behind it what only this one has."""
        source, target, tags = (
            (*known, *sorted(set(new) - set(known)))
            for known, new in (
                (first.source.symbols, self.source.symbols),
                (first.target.symbols, self.target.symbols),
                (first.tags, self.tags),
            )
        )
        return Vocabulary(Alphabet(source), Alphabet(target), tags)

    def shared(self) -> dict[int, int]:
        """Source id → target id of every symbol that both alphabets have."""
        return {self.source.id(s): self.target.id(s) for s in self.source.symbols if s in self.target}

    def to_json(self) -> dict[str, list[str]]:
        """What vocabulary.json holds; order is part of it, since it gives the ids."""
        return {
            "source": list(self.source.symbols),
            "target": list(self.target.symbols),
            "tags": list(self.tags),
        }

    @classmethod
    def from_json(cls, data: object) -> "Vocabulary":
        """The inverse of `to_json`; anything else is a ModelError that says what is wrong."""
        if not isinstance(data, dict):
            raise ModelError(f"vocabulary: expected an object, found {type(data).__name__}")
        keys = ("source", "target", "tags")
        if missing := [key for key in keys if key not in data]:
            raise ModelError(f"vocabulary: missing {', '.join(missing)}")
        if unknown := [str(key) for key in data if key not in keys]:
            raise ModelError(f"vocabulary: unknown key {', '.join(unknown)}")
        source, target, tags = (_symbols(data[key], key) for key in keys)
        return cls(source, target, tags.symbols)


def _symbols(value: object, key: str) -> Alphabet:
    """`value` as distinct, non-empty strings; tags obey the same rules as symbols."""
    if not isinstance(value, list):
        raise ModelError(f"vocabulary: {key}: expected a list, found {type(value).__name__}")
    for place, entry in enumerate(value):
        if not isinstance(entry, str):
            raise ModelError(f"vocabulary: {key}[{place}]: expected a string, found {type(entry).__name__}")
    try:
        return Alphabet(tuple(value))
    except ValueError as error:
        raise ModelError(f"vocabulary: {key}: {error}") from None
