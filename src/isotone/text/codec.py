"""Examples to numbers, and predicted symbols back to text."""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.text.segment import Segmenter
from isotone.text.vocabulary import BOS, EOS, Vocabulary

__all__ = ["NO_COPY", "WARNINGS", "Codec", "Encoded"]

_LOGGER = logging.getLogger("isotone")

WARNINGS = 50
"""Subjects that a model warns of; a file of another script has thousands of unknown symbols."""
NO_COPY = -1
"""In `Encoded.copies`: nothing can be copied from here."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """One example as a model sees it."""

    source: tuple[int, ...]
    """Source ids, wrapped: BOS … EOS."""

    target: tuple[int, ...] | None
    """Target ids with the final EOS, UNK for symbols that cannot be written; None if there is no target."""

    tags: tuple[int, ...]
    """Indices of the known tags in the vocabulary, ascending, each once."""

    source_symbols: tuple[str, ...]
    """The segmented source, not wrapped, to copy unknowns from: position j of `source` is j − 1 here."""

    unseen: tuple[str, ...]
    """Target symbols neither seen in training nor copyable, each once: the reason for a probability of 0."""

    copies: tuple[int, ...] = ()
    """For a model with a copy gate, what a copy of each position of `source` is in the target: the id of the same
    symbol, or for the k-th symbol of this source that the target alphabet does not have, its own id size + k."""

    alignment: tuple[int, ...] | None = None
    """The position in `source` of each symbol of `target`, if alignments were fixed beforehand."""

    others: tuple["Encoded", ...] = ()
    """Further sources of the same target: known forms of a lemma."""

    def turned(self) -> "Encoded":
        """The same pair from its end to its beginning, as models that read backwards see it; without an alignment."""
        return replace(
            self,
            source=(BOS, *self.source[-2:0:-1], EOS),
            target=None if self.target is None else (*self.target[-2::-1], EOS),
            source_symbols=self.source_symbols[::-1],
            copies=self.copies[::-1],
            alignment=None,
            others=tuple([other.turned() for other in self.others]),
        )


class Codec:
    """Turns examples into ids. Safe to share between threads, and can be pickled."""

    def __init__(self, vocabulary: Vocabulary, texts: Texts, copies: bool = False) -> None:
        """`copies` is for models with a copy gate: encode what can be copied, and number what can only be copied."""
        self.vocabulary = vocabulary
        self.texts = texts
        self.copies = copies
        self._source = Segmenter(texts.source)
        self._target = Segmenter(texts.target)
        self._tags = {tag: place for place, tag in enumerate(vocabulary.tags)}
        self._warned: set[str] = set()
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type["Codec"], tuple[Vocabulary, Texts, bool]]:
        # A lock cannot be pickled; everything else is rebuilt from these three.
        return Codec, (self.vocabulary, self.texts, self.copies)

    def encode(self, example: Example) -> Encoded:
        """The ids of `example`; unknown tags are left out, with one warning per tag."""
        source_symbols = self._source.split(example.source)
        written = self._written(source_symbols) if self.copies else {}
        target: tuple[int, ...] | None = None
        unseen: tuple[str, ...] = ()
        if example.target is not None:
            symbols = self._target.split(example.target)
            alphabet = self.vocabulary.target
            target = (*(written[s] if s in written else alphabet.id(s) for s in symbols), EOS)
            unseen = tuple(dict.fromkeys(s for s in symbols if s not in alphabet and s not in written))
        return Encoded(
            source=(BOS, *self.vocabulary.source.encode(source_symbols), EOS),
            target=target,
            tags=self._known_tags(example.tags),
            source_symbols=source_symbols,
            unseen=unseen,
            copies=(NO_COPY, *(written.get(s, NO_COPY) for s in source_symbols), NO_COPY) if self.copies else (),
        )

    def target_text(self, symbols: Sequence[str]) -> str:
        """The text that the target `symbols` spell."""
        return self._target.join(symbols)

    def _written(self, source_symbols: tuple[str, ...]) -> dict[str, int]:
        """The target id of a copy of each source symbol; symbols that cannot occur in a target are left out."""
        alphabet = self.vocabulary.target
        written: dict[str, int] = {}
        extensions = 0
        for symbol in dict.fromkeys(source_symbols):
            if symbol in alphabet:
                written[symbol] = alphabet.id(symbol)
            elif self._target.split(symbol) == (symbol,):  # or the text would be split differently when read
                written[symbol] = len(alphabet) + extensions
                extensions += 1
        return written

    def _known_tags(self, tags: tuple[str, ...]) -> tuple[int, ...]:
        places: set[int] = set()
        for tag in tags:
            place = self._tags.get(tag)
            if place is None:
                self.warn_once(f"tag {tag}", f"tag {tag!r} was never seen in training and is ignored")
            else:
                places.add(place)
        return tuple(sorted(places))

    def warn_once(self, subject: str, message: str) -> None:
        """Log a warning, the first time that this subject comes up; no more than `WARNINGS` altogether."""
        with self._lock:
            if subject in self._warned or len(self._warned) > WARNINGS:
                return
            self._warned.add(subject)
            if len(self._warned) > WARNINGS:
                message = "more such symbols and tags are not named"
        _LOGGER.warning("%s", message)
