"""How sources are read: capitals folded, and what becomes of symbols that training never saw."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from isotone.errors import ConfigError, DataError
from isotone.text.codec import Codec, Encoded
from isotone.text.example import Example
from isotone.text.vocabulary import UNK

__all__ = ["Read", "SourceReader", "Unknown", "check_unknown", "encode_pair", "unseen_symbols"]

Unknown = Literal["error", "skip", "copy", "drop"]
"""What to do with a source that has symbols never seen in training."""

FAR = 2
"""A source this many times as long as the longest one in training is read with a warning."""
SHORT = 20
"""Sources of up to this many symbols are never too long."""
SHOWN = 30
"""Characters of a source in a message."""


@dataclass(frozen=True, slots=True)
class Read:
    """One source, ready for search."""

    encoded: Encoded | None
    """None where the source is to get no answer."""
    unseen: tuple[str, ...]
    """Symbols never seen in training, each once, also where they were dropped."""
    long: bool
    """Much longer than anything in training?"""


class SourceReader:
    """Reads sources for one model, and warns once of each symbol that training never saw."""

    def __init__(self, codec: Codec, *, unknown: Unknown | None = None, longest: int | None = None) -> None:
        """`unknown` None: such symbols are read as unknown, and copied where the model does that by itself.

        `longest` is the number of symbols of the longest source in training, where that is known.
        """
        self._codec = codec
        self._unknown = unknown
        self._longest = longest

    def read(self, example: Example) -> Read:
        """Encode one source; DataError where an unknown symbol is an error."""
        asked = example if example.target is None else Example(example.source, None, example.tags)
        encoded = self._codec.encode(asked)
        unseen = unseen_symbols(encoded)
        long = self._is_long(example.source, len(encoded.source_symbols))
        if not unseen:
            return Read(encoded, (), long)
        if self._unknown == "error":
            raise DataError(f"{_short(example.source)}: never seen in training: {', '.join(map(repr, unseen))}")
        fate = {"skip": ", such sources get no answer", "drop": ", it is left out"}.get(self._unknown or "", "")
        for symbol in unseen:
            lower = symbol.lower()
            folds = symbol != lower and UNK not in self._codec.vocabulary.source.encode(lower)
            advice = f", but {lower!r} was: --fold-case reads capitals as lower case" if folds else fate
            _tell(self._codec, symbol, example.source, advice)
        if self._unknown == "skip":
            return Read(None, unseen, long)
        return Read(_without_unknowns(encoded) if self._unknown == "drop" else encoded, unseen, long)

    def _is_long(self, source: str, symbols: int) -> bool:
        if self._longest is None or symbols <= max(SHORT, FAR * self._longest):
            return False
        self._codec.warn_once(
            "long source",
            f"{_short(source)} has {symbols:,} symbols, but no source in training had more than {self._longest:,}: "
            "do not expect a good answer",
        )
        return True


def encode_pair(codec: Codec, example: Example) -> Encoded:
    """A pair to be scored or aligned; warns once of each source symbol that training never saw."""
    encoded = codec.encode(example)
    for symbol in unseen_symbols(encoded):
        _tell(codec, symbol, example.source)
    return encoded


def _tell(codec: Codec, symbol: str, source: str, advice: str = "") -> None:
    codec.warn_once(f"unseen {symbol}", f"{symbol!r} was never seen in training (first in {_short(source)}){advice}")


def check_unknown(unknown: str | None, *, copies: bool) -> Unknown | None:
    """`unknown` as one of the four words; ConfigError for another one, and for a copy that the model cannot make."""
    if unknown is not None and unknown not in get_args(Unknown):
        raise ConfigError(f"unknown symbols: expected one of {', '.join(get_args(Unknown))}, found {unknown!r}")
    if unknown == "copy" and not copies:
        raise ConfigError("unknown symbols: this model cannot copy: its targets are not made of source symbols")
    return unknown  # type: ignore[return-value]


def unseen_symbols(encoded: Encoded) -> tuple[str, ...]:
    """Source symbols never seen in training, each once."""
    if UNK not in encoded.source:
        return ()
    letters = zip(encoded.source_symbols, encoded.source[1:-1], strict=True)
    return tuple(dict.fromkeys(symbol for symbol, id_ in letters if id_ == UNK))


def _without_unknowns(encoded: Encoded) -> Encoded | None:
    """The source without its unknown symbols; None where nothing is left."""
    kept = [place for place, id_ in enumerate(encoded.source) if id_ != UNK]
    symbols = tuple(encoded.source_symbols[place - 1] for place in kept[1:-1])
    if not symbols:
        return None
    copies = tuple(encoded.copies[place] for place in kept) if encoded.copies else ()
    return replace(
        encoded, source=tuple(encoded.source[place] for place in kept), source_symbols=symbols, copies=copies
    )


def _short(source: str) -> str:
    return repr(source if len(source) <= SHOWN else f"{source[:SHOWN]}…")
