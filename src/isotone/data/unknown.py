"""Training UNK: rare source symbols are now and then read as unknown, so that UNK means "some symbol", not nothing.

A symbol that occurs c times is hidden with probability α/(α + c) in each example that has it: about α times an
epoch for every symbol of the alphabet. Where the same symbol stands in the target it is hidden there too, and so the
model learns to copy what it does not know (where the alphabets share symbols; otherwise targets stay as they are).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from isotone.text.codec import Encoded
from isotone.text.vocabulary import FIRST, UNK, Vocabulary

__all__ = ["UnknownTraining", "copied_share"]


@dataclass(frozen=True)
class UnknownTraining:
    """Which source ids to hide how often, and what they are called in the target."""

    rates: dict[int, float]
    """Source id → probability of being hidden in one example."""
    same_in_target: dict[int, int]
    """Source id → the target id of the same symbol; empty where unknown symbols are not copied."""

    @classmethod
    def build(
        cls, vocabulary: Vocabulary, source_counts: dict[str, int], *, strength: float, copies: bool
    ) -> UnknownTraining:
        """`strength` is α; `copies` says whether targets take part."""
        rates = {vocabulary.source.id(s): strength / (strength + count) for s, count in source_counts.items()}
        shared = [s for s in vocabulary.source.symbols if copies and s in vocabulary.target]
        return cls(rates, {vocabulary.source.id(s): vocabulary.target.id(s) for s in shared})

    def hide(self, example: Encoded, generator: random.Random) -> Encoded:
        """The example with some symbols unknown; most come back as they are."""
        hidden = {
            id_ for id_ in dict.fromkeys(example.source) if id_ >= FIRST and generator.random() < self.rates.get(id_, 0)
        }
        if not hidden:
            return example
        in_target = {self.same_in_target[id_] for id_ in hidden if id_ in self.same_in_target}
        target = example.target and tuple(UNK if id_ in in_target else id_ for id_ in example.target)
        return replace(example, source=tuple(UNK if id_ in hidden else id_ for id_ in example.source), target=target)


def copied_share(examples: Sequence[Encoded], vocabulary: Vocabulary) -> float:
    """The share of source symbols that stand in their own target too: near 1 for inflection, 0 across scripts."""
    same = {
        vocabulary.source.id(s): vocabulary.target.id(s) for s in vocabulary.source.symbols if s in vocabulary.target
    }
    seen = copied = 0
    for example in examples:
        target = set(example.target or ())
        seen += len(example.source) - 2
        copied += sum(same.get(id_, -1) in target for id_ in example.source[1:-1])
    return copied / max(1, seen)
