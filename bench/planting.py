"""Lexicons with planted errors: some targets corrupted in five ways, and how well a ranking finds them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from isotone.text.example import Example

KINDS = ("substitution", "deletion", "insertion", "swap", "other word")
Symbols = tuple[str, ...]


@dataclass(frozen=True)
class Planted:
    """One corrupted target."""

    kind: str
    places: frozenset[int]
    """Target symbols, the end counted, of which a marked segment should hold at least one."""


def plant(
    examples: Sequence[Example],
    split: Callable[[str], Symbols],
    join: Callable[[Sequence[str]], str],
    *,
    seed: int,
    share: float = 0.02,
) -> tuple[list[Example], dict[int, Planted]]:
    """The examples with a share of their targets corrupted, as many in each way, and which ones they are."""
    generator = random.Random(seed)
    targets = [split(example.target or "") for example in examples]
    counts = Counter(symbol for target in targets for symbol in target)
    symbols, weights = zip(*sorted(counts.items()), strict=True)
    corrupted, planted = list(examples), dict[int, Planted]()
    rows = generator.sample(range(len(examples)), round(share * len(examples)))
    for number, row in enumerate(rows):
        kind = KINDS[number % len(KINDS)]
        for _ in range(100):
            symbol, other = generator.choices(symbols, weights)[0], generator.choice(targets)
            target, places = _corrupted(targets[row], kind, symbol, other, generator)
            if target and target != targets[row]:
                corrupted[row] = replace(examples[row], target=join(target))
                planted[row] = Planted(kind, places)
                break
    return corrupted, planted


def _corrupted(
    target: Symbols, kind: str, symbol: str, other: Symbols, generator: random.Random
) -> tuple[Symbols, frozenset[int]]:
    place = generator.randrange(len(target) + (kind == "insertion") - (kind == "swap" and len(target) > 1))
    before, after = target[:place], target[place:]
    if kind == "substitution":
        return (*before, symbol, *after[1:]), frozenset({place})
    if kind == "deletion":
        return (*before, *after[1:]), frozenset({place - 1, place})
    if kind == "insertion":
        return (*before, symbol, *after), frozenset({place})
    if kind == "swap":
        return (*before, *after[1::-1], *after[2:]), frozenset({place, place + 1})
    return other, frozenset(range(len(other) + 1))


def average_precision(scores: Sequence[float], planted: Mapping[int, Planted]) -> float:
    """The mean precision at the rank of each planted error; ties keep the order of the lexicon."""
    order = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")
    hits = np.array([row in planted for row in order.tolist()])
    precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    return float(precision[hits].mean())


def found(scores: Sequence[float], planted: Mapping[int, Planted]) -> list[int]:
    """The planted errors among as many of the worst as there are planted ones."""
    order = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")[: len(planted)]
    return [row for row in order.tolist() if row in planted]
