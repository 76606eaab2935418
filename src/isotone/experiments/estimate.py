"""How long a sweep will take: a few steps of each kind of network are timed before anything is trained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from isotone.experiments.cell import Cell, cells_of, check_cell, epochs_done, finished
from isotone.experiments.config import Sweep
from isotone.threads import core_count
from isotone.training.cost import epoch_seconds
from isotone.training.device import fabric_for
from isotone.training.events import duration
from isotone.training.job import new_request
from isotone.training.ranks import Ranks

__all__ = ["Estimate", "estimates", "seconds_on", "summary"]


@dataclass(frozen=True)
class Estimate:
    """What is left to do of a cell."""

    cell: Cell
    epochs: int
    """Of all its networks."""
    seconds: float


def estimates(sweep: Sweep) -> Iterator[Estimate]:
    """One for each cell, as it becomes known; nothing is written. Cells that differ by their seed take the same time.

    The epochs of a halving schedule are counted to the last, though it may stop early.
    """
    known: dict[tuple[str, str], tuple[int, float]] = {}
    for cell in cells_of(sweep, ""):
        check_cell(cell)
        if finished(cell) is not None:
            yield Estimate(cell, 0, 0.0)
            continue
        kind = (cell.corpus.name, cell.label)
        if kind not in known:
            known[kind] = _whole(cell)
        epochs, seconds = known[kind]
        left = max(0, epochs - epochs_done(cell))
        yield Estimate(cell, left, seconds * left / epochs)


def seconds_on(slots: int, left: Sequence[Estimate]) -> float:
    """How long all of them take with that many running at a time; never less than the longest one alone."""
    return max(sum(each.seconds for each in left) / slots, max((each.seconds for each in left), default=0.0))


def summary(sweep: Sweep, left: Sequence[Estimate]) -> str:
    """A sentence for people: the whole, one cell after another, and as many at a time as this machine has cores for."""
    cores = core_count()
    slots = max(1, min(cores // sweep.threads, sweep.parallel or len(left)))
    alone, here = duration(sum(each.seconds for each in left)), duration(seconds_on(slots, left))
    waiting = sum(each.epochs > 0 for each in left)
    at_once = "one cell at a time" if slots == 1 else f"{slots} cells at a time"
    machine = "1 core" if cores == 1 else f"{cores} cores"
    told = f"about {alone} one after another, {here} with {at_once} ({machine} here)" if waiting else "none"
    return f"{waiting} of {len(left)} cells to train: {told}"


def _whole(cell: Cell) -> tuple[int, float]:
    """Epochs and seconds of a cell from the beginning, over all networks that it trains."""
    request, pairs = new_request(
        cell.sweep.asked(cell.corpus, cell.model, cell.seed, cell.variant),
        train=cell.corpus.train,
        dev=cell.corpus.dev,
        format=cell.sweep.format_of(cell.corpus),
        skip_bad=cell.sweep.skip_bad,
    )
    ranks = Ranks(fabric_for(request.device, request.recipe.precision))
    members = request.members()
    if request.distil is not None:
        members = (*members, members[0])  # the network that learns from them has the first one's settings
    epochs = request.recipe.epochs_for(len(pairs.train))  # of each of them
    return epochs * len(members), epochs * sum(epoch_seconds(members, pairs, ranks=ranks))
