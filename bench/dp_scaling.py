"""The dynamic program, forward + backward: each aligner's fast path against the dense twin, as strings grow.

Timed: from scores to transition to log-likelihood to the gradients of scores and emissions, in float32 on one thread,
|x| = |y| = n, batch 4. No network: its cost is the same for both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from bench.report import Result
from bench.timing import alternate, exponent
from isotone.dp import Banded, Chain, Dense, Independent, Monotone, Transition, log_likelihood, masked_log_softmax

BATCH, WIDTH = 4, 4
CELLS = 32_000_000
"""Entries that a dense transition may have at once: 128 MB. Rows past that are taken in turn."""


@dataclass(frozen=True)
class Kind:
    """A kind of transition as its aligner makes it, from random scores."""

    scores: Callable[[int], tuple[int, ...]]
    """(target, …) of the scores for length n."""
    states: Callable[[int], int]
    build: Callable[[Tensor], Transition]


def _mask(scores: Tensor) -> Tensor:
    return torch.ones(scores.shape[0], scores.shape[2], dtype=torch.bool)


def _banded(scores: Tensor) -> Banded:
    """Jumps of 0…w for w + 1 columns, −w…w for 2w + 1."""
    state, jumps = scores.shape[2:]
    first = 0 if jumps == WIDTH + 1 else -WIDTH
    landing = torch.arange(state)[:, None] + torch.arange(first, first + jumps)
    return Banded(masked_log_softmax(scores, ((landing >= 0) & (landing < state))[None, None]), first)


KINDS = {
    "soft": Kind(lambda n: (n, 1), lambda n: 1, lambda s: Independent(0 * s)),
    "0-hard": Kind(lambda n: (n, n), lambda n: n, lambda s: Independent(masked_log_softmax(s, _mask(s)[:, None]))),
    "0-mono": Kind(lambda n: (n, n), lambda n: n, lambda s: Monotone.from_scores(s, _mask(s))),
    "1-mono": Kind(lambda n: (n, n, WIDTH + 1), lambda n: n, _banded),
    "1-hard": Kind(lambda n: (n, n, 2 * WIDTH + 1), lambda n: n, _banded),
}


def _pass(emission: Tensor, scores: Tensor, build: Callable[[Tensor], Transition]) -> Tensor:
    """One forward and backward pass; the value."""
    lengths = torch.full((emission.shape[0],), emission.shape[1])
    value = log_likelihood(Chain(emission, build(scores), lengths))
    torch.autograd.grad(value.sum(), (emission, scores))
    return value.detach()


def _contestants(kind: Kind, n: int) -> dict[str, Callable[[], Tensor]]:
    emission = torch.randn(BATCH, n, kind.states(n)).requires_grad_()
    scores = torch.randn(BATCH, *kind.scores(n)).requires_grad_()
    rows = max(1, min(BATCH, CELLS // (n * kind.states(n) ** 2)))

    def written(part: Tensor) -> Transition:
        return Dense(kind.build(part).dense())

    def fast() -> Tensor:
        return _pass(emission, scores, kind.build)

    def dense() -> Tensor:
        parts = [slice(start, start + rows) for start in range(0, BATCH, rows)]
        return torch.cat([_pass(emission[part], scores[part], written) for part in parts])

    torch.testing.assert_close(fast(), dense(), rtol=1e-4, atol=1e-3)  # a ratio only between equals
    return {"fast": fast, "dense": dense}


def run(quick: bool) -> Result:
    """Times, ratios and fitted exponents for every kind and size."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    sizes, repeats = ((10, 20, 40), 2) if quick else ((50, 100, 200, 400), 5)
    upper = sizes[1:]  # below, calls cost more than the numbers in them
    rows: list[tuple[str | int | float, ...]] = []
    headline: dict[str, float] = {}
    for name, kind in KINDS.items():
        times = [alternate(_contestants(kind, n), repeats) for n in sizes]
        rows += [
            (name, n, 1000 * time["fast"], 1000 * time["dense"], time["dense"] / time["fast"])
            for n, time in zip(sizes, times, strict=True)
        ]
        headline[f"{name}: dense / fast at n = {sizes[-1]}"] = times[-1]["dense"] / times[-1]["fast"]
        for path in ("fast", "dense"):
            slope = exponent(upper, [time[path] for time in times[1:]])
            headline[f"{name}: exponent of {path}, n = {upper[0]}…{upper[-1]}"] = slope
    return Result(
        title=f"DP forward + backward, |x| = |y| = n, batch {BATCH}, w = {WIDTH}, float32, 1 thread",
        columns=("aligner", "n", "fast ms", "dense ms", "dense / fast"),
        rows=tuple(rows),
        headline=headline,
        notes=(
            f"median of {repeats}, contestants in turn, after one warm-up each",
            "by operations: fast n², dense n³ for the hard aligners; SOFT's chain has one state, n for both",
            "a step is a handful of calls whatever its size, so measured exponents stay below those of the operations "
            f"until the work outweighs the calls; they are fitted over n ≥ {upper[0]}",
            f"dense transitions of more than {CELLS:,} entries are taken a few rows at a time, so memory stays flat",
        ),
    )
