"""Paradigms: several known forms of a lemma, each of which may be read in place of the lemma.

A form is read with the tags of the form that is asked for and, marked, with its own: *Häuser* (N;NOM;PL) as a source of
N;DAT;PL has the tags N, DAT, PL, from:N, from:NOM and from:PL. A source without such tags is a lemma.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from isotone.errors import ConfigError
from isotone.text.codec import Codec, Encoded
from isotone.text.config import TextConfig, Texts
from isotone.text.example import Example
from isotone.text.segment import Segmenter
from isotone.text.vocabulary import Vocabulary

__all__ = ["FROM", "KnowingCodec", "Paradigms"]

FROM = "from:"
"""In front of the tags of a form that is read."""


@dataclass(frozen=True)
class Paradigms:
    """The known forms of each lemma, with their tags."""

    forms: dict[str, tuple[Example, ...]]
    """By lemma as the model reads it, its pairs in the order of the data, each once."""
    text: TextConfig
    """The model's source: lemmas are compared as it reads them, so their normal form does not matter."""

    @classmethod
    def of(cls, pairs: Iterable[Example], text: TextConfig | None = None) -> Paradigms:
        """Of lemmas with forms and tags; pairs without a form are left out. Without `text`, lemmas are read in NFC."""
        text = text or TextConfig()
        segmenter = Segmenter(text)
        forms: dict[str, dict[Example, None]] = {}
        for pair in pairs:
            if clash := [tag for tag in pair.tags if tag.startswith(FROM)]:
                raise ConfigError(f"paradigms: the tag {clash[0]!r} begins with {FROM!r}, which marks tags of sources")
            if pair.target is not None:
                forms.setdefault(_read(pair.source, segmenter), {})[pair] = None
        return cls({lemma: tuple(found) for lemma, found in forms.items()}, text)

    def others(self, example: Example) -> list[Example]:
        """The example with each known form of its lemma in place of the lemma, except forms with the very same tags."""
        asked = set(example.tags)
        return [
            Example(known.target or "", example.target, (*example.tags, *(FROM + tag for tag in known.tags)))
            for known in self.forms.get(_read(example.source, Segmenter(self.text)), ())
            if set(known.tags) != asked
        ]


def _read(lemma: str, segmenter: Segmenter) -> str:
    return segmenter.join(segmenter.split(lemma))


class KnowingCodec(Codec):
    """Encodes examples together with the known forms of their lemmas."""

    def __init__(self, vocabulary: Vocabulary, texts: Texts, paradigms: Paradigms) -> None:
        super().__init__(vocabulary, texts)
        self.paradigms = paradigms

    def __reduce__(self) -> tuple[type[KnowingCodec], tuple[Vocabulary, Texts, Paradigms]]:  # type: ignore[override]
        return KnowingCodec, (self.vocabulary, self.texts, self.paradigms)

    def encode(self, example: Example) -> Encoded:
        """The ids of the example, and those of every other source that it has."""
        others = tuple(super(KnowingCodec, self).encode(other) for other in self.paradigms.others(example))
        return replace(super().encode(example), others=others)
