"""Cells of paradigms that the training pairs leave empty: lemmas with tags that were seen with other lemmas."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from isotone.text.example import Example

__all__ = ["empty_cells"]


def empty_cells(examples: Sequence[Example], limit: int) -> list[Example]:
    """Sources without targets: every lemma with every set of tags of its kind that it has no form for.

    A lemma is of the kinds that its forms' first tags name, as in `N;DAT;PL`. Of more than `limit`, as many are drawn,
    the same ones every time. Pairs without tags have no cells.
    """
    known = {(example.source, frozenset(example.tags)) for example in examples if example.tags}
    columns: dict[str, dict[frozenset[str], tuple[str, ...]]] = {}
    kinds: dict[str, dict[str, None]] = {}
    for example in examples:
        if example.tags:
            columns.setdefault(example.tags[0], {}).setdefault(frozenset(example.tags), example.tags)
            kinds.setdefault(example.source, {})[example.tags[0]] = None
    rows = [(lemma, list(columns[kind].values())) for lemma, own in kinds.items() for kind in own]
    ends = list(accumulate(len(cells) for _, cells in rows))
    places = range(ends[-1] if ends else 0)
    found: dict[int, Example] = {}
    for place in random.Random("cells").sample(places, min(len(places), limit + len(known))):
        row = bisect_right(ends, place)
        lemma, cells = rows[row]
        tags = cells[place - ends[row]]  # counted from the row's end
        if (lemma, frozenset(tags)) not in known and len(found) < limit:
            found[place] = Example(lemma, None, tags)
    return [found[place] for place in sorted(found)]
