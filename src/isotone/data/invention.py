"""Invented pairs for little data: a stem that source and target share gets other letters, the same ones in both.

*shayela → ngizoshayela* becomes *smulosa → ngizosmulosa*: the affixes are real, the stem is not, and a model that has
seen few words learns that stems are copied whatever they are. (Anastasopoulos & Neubig 2019 call this hallucination.)
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from isotone.text.codec import Encoded
from isotone.text.vocabulary import FIRST, Vocabulary

__all__ = ["Invention", "Stem"]

SHORTEST = 3
"""Shared symbols in a row that are taken for a stem; the outer two stay, next to the affixes."""


@dataclass(frozen=True)
class Stem:
    """Where source and target agree: `size` symbols from `source` on and from `target` on."""

    source: int
    target: int
    size: int


@dataclass(frozen=True)
class Invention:
    """Makes new pairs out of those that have stems, as many for each epoch as asked for, new ones every epoch."""

    pairs: Sequence[Encoded]
    """The pairs with at least one stem."""
    stems: Sequence[tuple[Stem, ...]]
    letters: Sequence[tuple[int, int]]
    """(source id, target id) of the symbols that both alphabets have, as often as they occur in stems."""
    count: int
    """Invented pairs in an epoch."""

    @classmethod
    def build(cls, examples: Sequence[Encoded], vocabulary: Vocabulary, *, rate: float) -> Invention:
        """`rate` invented pairs for each real one; none where no pair has a stem."""
        same = vocabulary.shared()
        found = [(example, _stems(example, same)) for example in examples]
        found = [(example, stems) for example, stems in found if stems]
        letters = [
            (id_, same[id_])
            for example, stems in found
            for stem in stems
            for id_ in example.source[stem.source : stem.source + stem.size]
        ]
        count = round(rate * len(examples)) if found else 0
        return cls([example for example, _ in found], [stems for _, stems in found], letters, count)

    def epoch(self, generator: random.Random) -> list[Encoded]:
        """The invented pairs of an epoch."""
        return [self._invent(generator.randrange(len(self.pairs)), generator) for _ in range(self.count)]

    def _invent(self, row: int, generator: random.Random) -> Encoded:
        example = self.pairs[row]
        source, target, copies = list(example.source), list(example.target or ()), list(example.copies)
        for stem in self.stems[row]:
            for place in range(1, stem.size - 1):
                source[stem.source + place], target[stem.target + place] = generator.choice(self.letters)
                if copies:
                    copies[stem.source + place] = target[stem.target + place]
        return replace(example, source=tuple(source), target=tuple(target), copies=tuple(copies))


def _stems(example: Encoded, same: dict[int, int]) -> tuple[Stem, ...]:
    """Runs of shared symbols, in the order of both strings, none overlapping another."""
    source = [same.get(id_, -1) if id_ >= FIRST else -1 for id_ in example.source]
    blocks = SequenceMatcher(None, source, example.target or (), autojunk=False).get_matching_blocks()
    return tuple(Stem(block.a, block.b, block.size) for block in blocks if block.size >= SHORTEST)
