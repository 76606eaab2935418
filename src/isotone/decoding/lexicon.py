"""A lexicon looked up before anything is predicted."""

from __future__ import annotations

from collections.abc import Iterable

from isotone.text.config import TextConfig
from isotone.text.example import Example
from isotone.text.segment import Segmenter

__all__ = ["Lexicon"]

_Key = tuple[tuple[str, ...], frozenset[str]]


class Lexicon:
    """Known targets by source and tags; a source may have several.

    Sources are compared as the model reads them, so their normal form does not matter; tags are compared as a set.
    """

    def __init__(self, examples: Iterable[Example]) -> None:
        self._pairs = [(example, example.target) for example in examples if example.target is not None]
        self._indices: dict[TextConfig, dict[_Key, dict[str, None]]] = {}

    def __len__(self) -> int:
        """How many pairs there are."""
        return len(self._pairs)

    def targets(self, example: Example, text: TextConfig) -> tuple[str, ...]:
        """The targets of an example's source and tags, in the order they were listed; `text` is the model's source."""
        if text not in self._indices:
            self._indices[text] = self._index(text)
        return tuple(self._indices[text].get(_key(example, Segmenter(text)), ()))

    def _index(self, text: TextConfig) -> dict[_Key, dict[str, None]]:
        index: dict[_Key, dict[str, None]] = {}
        segmenter = Segmenter(text)
        for example, target in self._pairs:
            index.setdefault(_key(example, segmenter), {})[target] = None
        return index


def _key(example: Example, segmenter: Segmenter) -> _Key:
    return segmenter.split(example.source), frozenset(example.tags)
