"""Answers without a search, from engines that write a whole greedy string in one go.

Such an engine has a method `trails(memory, unknowns=None)`, a `Trail` for each source, or None where it has none after
all; `unknowns` (source,) says which sources may write UNK, None that all may. A trail that proves its own answer, or in
greedy decoding is the answer, saves the search. All other sources are searched, as if there were no trails.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from isotone.decoding.hypothesis import Decoded, Hypothesis
from isotone.decoding.protocol import Trail
from isotone.decoding.space import SearchSpace
from isotone.text.vocabulary import EOS

__all__ = ["Answer", "greedy_answer", "proven_answer", "with_shortcuts"]

TOLERANCE = 1e-5
"""What may be missing from an answer's probability, as a share of it: no more than fp32 arithmetic leaves open."""
LOST = 1e-30
"""Probability that an engine may lose by underflow."""
Answer = Callable[[Trail, int], Decoded | None]
"""A trail's answer within a limit of symbols; None where only search can tell."""


def with_shortcuts(
    space: SearchSpace, *, answer: Answer, search: Callable[[SearchSpace], Sequence[Decoded]]
) -> list[Decoded]:
    """The answers of all sources: from their trails, and by `search` where those do not suffice."""
    trails = getattr(space.model, "trails", None)
    found = None if trails is None or space.constraint is not None else trails(space.memory, space.copies)
    if found is None:
        return list(search(space))
    answers = [answer(trail, limit) for trail, limit in zip(found, space.limits.tolist(), strict=True)]
    if left := [row for row, one in enumerate(answers) if one is None]:
        rest = search(space if len(left) == len(answers) else space.select(np.array(left, dtype=np.int64)))
        for row, one in zip(left, rest, strict=True):
            answers[row] = one
    return [one for one in answers if one is not None]


def greedy_answer(trail: Trail, limit: int) -> Decoded | None:
    """The trail itself, where it ends within the limit."""
    lost, mass = LOST, 1.0
    for length, (symbols, probabilities) in enumerate(zip(trail.symbols, trail.probabilities, strict=True)):
        lost += trail.negligible * mass
        mass = probabilities[0]
        if symbols[0] == EOS:
            return Decoded((_hypothesis(trail, length, mass),)) if lost <= TOLERANCE * mass else None
        if length == limit:
            return None
    return None


def proven_answer(trail: Trail, limit: int) -> Decoded | None:
    """The best string that ends on the trail, where no other string can have more.

    Every string leaves the trail somewhere, so that it has no more than the second best continuation there, or else
    ends on it, or goes on where the trail was left because its whole mass could not beat the best end.
    """
    lost, mass = LOST, 1.0
    best, place, bound = 0.0, 0, 0.0
    for length, (symbols, probabilities) in enumerate(zip(trail.symbols, trail.probabilities, strict=True)):
        lost += trail.negligible * mass
        mass, second, third = probabilities
        end = 0.0  # or below the third, and so below the bound
        if symbols[0] == EOS:
            end, mass, second = mass, second, third
        elif symbols[1] == EOS:
            end, second = second, third
        if end > best:
            end, best, place = best, end, length
        bound = max(bound, end, second)
        if mass <= best:
            bound = max(bound, mass) + lost
            sure = bound <= best and lost <= TOLERANCE * best
            return Decoded((_hypothesis(trail, place, best),), True, math.log(bound), length + 1) if sure else None
        if length == limit:
            return None
    return None


def _hypothesis(trail: Trail, length: int, probability: float) -> Hypothesis:
    return Hypothesis(tuple([symbols[0] for symbols in trail.symbols[:length]]), math.log(probability))
