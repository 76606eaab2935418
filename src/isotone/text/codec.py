"""Examples to numbers, and predicted symbols back to text."""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.text.segment import Segmenter
from isotone.text.vocabulary import BOS, EOS, Vocabulary

__all__ = ["Codec", "Encoded"]

_LOGGER = logging.getLogger("isotone")


@dataclass(frozen=True, slots=True)
class Encoded:
    """One example as a model sees it."""

    source: tuple[int, ...]
    """Source ids, wrapped: BOS … EOS."""

    target: tuple[int, ...] | None
    """Target ids with the final EOS, UNK where a symbol was never seen; None where there is no target."""

    tags: tuple[int, ...]
    """Places of the known tags in the vocabulary, ascending, each once."""

    source_symbols: tuple[str, ...]
    """The segmented source, not wrapped, to copy unknowns from: position j of `source` is j − 1 here."""

    unseen: tuple[str, ...]
    """Target symbols never seen in training, each once: the reason why the target has probability 0."""

    alignment: tuple[int, ...] | None = None
    """The position in `source` of each symbol of `target`, where it was fixed beforehand."""


class Codec:
    """Turns examples into ids. Safe to share between threads, and can be pickled."""

    def __init__(self, vocabulary: Vocabulary, texts: Texts) -> None:
        self.vocabulary = vocabulary
        self.texts = texts
        self._source = Segmenter(texts.source)
        self._target = Segmenter(texts.target)
        self._tags = {tag: place for place, tag in enumerate(vocabulary.tags)}
        self._warned: set[str] = set()
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type["Codec"], tuple[Vocabulary, Texts]]:
        # A lock cannot be pickled; everything else follows from these two.
        return Codec, (self.vocabulary, self.texts)

    def encode(self, example: Example) -> Encoded:
        """The ids of `example`; an unknown tag is left out, with one warning for each such tag."""
        source_symbols = self._source.split(example.source)
        target: tuple[int, ...] | None = None
        unseen: tuple[str, ...] = ()
        if example.target is not None:
            symbols = self._target.split(example.target)
            target = (*self.vocabulary.target.encode(symbols), EOS)
            unseen = tuple(dict.fromkeys(s for s in symbols if s not in self.vocabulary.target))
        return Encoded(
            source=(BOS, *self.vocabulary.source.encode(source_symbols), EOS),
            target=target,
            tags=self._known_tags(example.tags),
            source_symbols=source_symbols,
            unseen=unseen,
        )

    def target_text(self, symbols: Sequence[str]) -> str:
        """The text that the target `symbols` spell."""
        return self._target.join(symbols)

    def _known_tags(self, tags: tuple[str, ...]) -> tuple[int, ...]:
        places: set[int] = set()
        for tag in tags:
            place = self._tags.get(tag)
            if place is None:
                self._warn_once(tag)
            else:
                places.add(place)
        return tuple(sorted(places))

    def _warn_once(self, tag: str) -> None:
        with self._lock:
            if tag in self._warned:
                return
            self._warned.add(tag)
        _LOGGER.warning("tag %r was never seen in training and is ignored", tag)
