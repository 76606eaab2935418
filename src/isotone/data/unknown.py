"""Training UNK: rare source symbols are now and then read as unknown, so that UNK means "some symbol", not nothing.

A symbol that occurs c times is hidden with probability α/(α + c) in each example that has it: about α times an
epoch for every symbol of the alphabet. Where the same symbol stands in the target it is hidden there too, and so the
model learns to copy what it does not know (where the alphabets share symbols; otherwise targets stay as they are).

A model with a copy gate has no UNK to write. There a hidden symbol gets, in the whole pair, what a symbol gets that
training never saw: an id beyond the alphabet, which can be written by copying only. So the loss stays an exact
log-probability, of a pair that could come. Where no alignment could have copied all of a pair's hidden symbols (an
affix has one too), it could not come: then they are hidden in the source alone.
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
    size: int = 0
    """Ids of the target alphabet: those of symbols that can only be copied begin here."""
    reach: int = 0
    """For a copy gate: how far an alignment may be asked to advance for each target symbol."""

    @classmethod
    def build(
        cls, vocabulary: Vocabulary, source_counts: dict[str, int], *, strength: float, copies: bool, reach: int = 0
    ) -> UnknownTraining:
        """`strength` is α; `copies` says whether targets take part; `reach` is the shortest that any aligner has."""
        rates = {vocabulary.source.id(s): strength / (strength + count) for s, count in source_counts.items()}
        return cls(rates, vocabulary.shared() if copies else {}, len(vocabulary.target), reach)

    def hide(self, example: Encoded, generator: random.Random) -> Encoded:
        """The example with some symbols unknown; most come back as they are."""
        hidden = {
            id_ for id_ in dict.fromkeys(example.source) if id_ >= FIRST and generator.random() < self.rates.get(id_, 0)
        }
        if not hidden:
            return example
        in_target = [self.same_in_target[id_] for id_ in sorted(hidden) if id_ in self.same_in_target]
        source = tuple(UNK if id_ in hidden else id_ for id_ in example.source)
        if example.copies:
            return self._renamed(replace(example, source=source), in_target)
        target = example.target and tuple(UNK if id_ in in_target else id_ for id_ in example.target)
        return replace(example, source=source, target=target)

    def _renamed(self, example: Encoded, in_target: Sequence[int]) -> Encoded:
        """The example with these target ids beyond the alphabet, if it can still be written."""
        first = max(self.size, max(example.copies) + 1)
        names = dict(zip(in_target, range(first, first + len(in_target)), strict=True))
        copies = tuple(names.get(id_, id_) for id_ in example.copies)
        target = example.target and tuple(names.get(id_, id_) for id_ in example.target)
        return replace(example, copies=copies, target=target) if self._can_copy(copies, target or ()) else example

    def _can_copy(self, copies: Sequence[int], target: Sequence[int]) -> bool:
        """Can an alignment that never steps back, by at most `reach` a symbol, copy all that must be copied?"""
        places, moves = [0], 0
        for id_ in target:
            moves += self.reach
            if id_ >= self.size:
                same = [j for j, copied in enumerate(copies) if copied == id_]
                places = [j for j in same if any(0 <= j - place <= moves for place in places)]
                moves = 0
        return bool(places)


def copied_share(examples: Sequence[Encoded], vocabulary: Vocabulary) -> float:
    """The share of source symbols that stand in their own target too: near 1 for inflection, 0 across scripts."""
    same = vocabulary.shared()
    seen = copied = 0
    for example in examples:
        target = set(example.target or ())
        seen += len(example.source) - 2
        copied += sum(same.get(id_, -1) in target for id_ in example.source[1:-1])
    return copied / max(1, seen)
