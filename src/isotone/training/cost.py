"""What training several networks will cost: a few steps of each kind are timed before the first one begins."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import torch

from isotone.data.loader import Loader
from isotone.decoding.batches import in_batches
from isotone.decoding.greedy import greedy_search
from isotone.decoding.hypothesis import Decoded
from isotone.decoding.score import log_probs
from isotone.decoding.space import SearchSpace
from isotone.models.parallel import apply_threads
from isotone.store.folder import Member
from isotone.text.codec import Encoded
from isotone.training.events import MixturePlan
from isotone.training.log import count_epochs
from isotone.training.pairs import TrainingPairs
from isotone.training.prepare import prepare
from isotone.training.ranks import Ranks
from isotone.training.request import Request
from isotone.training.step import optimizer_for, shared_step, train_step

__all__ = ["Planned", "epoch_seconds", "plan_of", "seconds_per_epoch"]

STEPS = 5
"""Steps that are timed, after one that is not: the first one of a process takes longer."""
SAMPLE, DEV_SAMPLE = 1_000, 32
"""Training and dev pairs that the timed steps are made of, at most."""
EXACT = 1.5
"""Exact search takes about this many times as long as greedy search, once the network has learnt something."""
STILL = 1e-9
"""The timed steps' learning rate: it must not lead anywhere, and so cannot diverge."""

Item = TypeVar("Item")


@dataclass(frozen=True)
class Planned:
    """A network that is to be trained."""

    request: Request
    folder: Path
    pairs: int
    """Pairs per epoch."""


def plan_of(members: Mapping[str, Planned], pairs: TrainingPairs, *, ranks: Ranks) -> MixturePlan:
    """What is to be trained in which folders, and about how long that takes, without epochs that are there already."""
    each = epoch_seconds([planned.request for planned in members.values()], pairs, ranks=ranks)
    total = 0.0
    for planned, seconds in zip(members.values(), each, strict=True):
        epochs = planned.request.recipe.epochs_for(planned.pairs)
        left = max(0, epochs - ranks.once(partial(count_epochs, planned.folder)))
        total += left * seconds * planned.pairs / len(pairs.train)
    return MixturePlan(tuple(members), len(pairs.train), torch.get_num_threads(), total)


def epoch_seconds(members: Sequence[Request], pairs: TrainingPairs, *, ranks: Ranks) -> list[float]:
    """How long an epoch of each member takes. Each aligner is timed once, since the seed makes no difference.

    The state of the random number generator is restored afterwards.
    """
    states = torch.get_rng_state()
    known: dict[str, float] = {}
    for request in members:
        aligner = request.architecture.aligner.name
        if aligner not in known:
            known[aligner] = seconds_per_epoch(request, pairs, ranks=ranks)
    torch.set_rng_state(states)
    return [known[request.architecture.aligner.name] for request in members]


def seconds_per_epoch(request: Request, pairs: TrainingPairs, *, ranks: Ranks) -> float:
    """The time of an epoch with its assessment, from a few steps of a network that is thrown away.

    The whole of a halving schedule is counted, though it may stop early.
    """
    apply_threads(request.threads)
    sample = _spread(pairs.train, SAMPLE)
    recipe = request.recipe.with_changes(guided=0.0)  # finding alignments takes longer than what is measured here
    member, loader = prepare(sample, request.model_copy(update={"recipe": recipe}))
    per_step = _step_seconds(member, loader, request.recipe.clip, ranks)
    steps = len(loader) * len(pairs.train) / len(sample)
    every = request.recipe.assessed_every(len(pairs.train), len(pairs.dev))
    return steps * per_step + ranks.once(partial(_dev_seconds, member, pairs, request)) / every


def _step_seconds(member: Member, loader: Loader, clip: float, ranks: Ranks) -> float:
    network, optimizer = ranks.fabric.setup(member.network, optimizer_for(member.network, STILL))
    network.train()
    started, timed = time.monotonic(), 0
    for place, batch in zip(range(STEPS + 1), loader.epoch(1), strict=False):
        if ranks.count == 1:
            train_step(ranks.fabric, network, optimizer, batch, clip=clip)
        else:
            shared_step(ranks, network, optimizer, batch, clip=clip)
        if place == 0 and len(loader) > 1:
            started = time.monotonic()
        else:
            timed += 1
    return ranks.once(lambda: (time.monotonic() - started) / timed)


def _dev_seconds(member: Member, pairs: TrainingPairs, request: Request) -> float:
    """Of scoring and decoding the dev pairs. As many symbols are written as the longest reference has, because a
    network that knows nothing does not stop by itself."""
    sample = [member.codec.encode(example) for example in _spread(pairs.dev, DEV_SAMPLE)]
    longest = max(len(pair.target or ()) for pair in sample)
    member.network.eval()
    model = member.engine()

    def decode(batch: Sequence[Encoded]) -> list[Decoded]:
        return greedy_search(SearchSpace(model, batch, model.encode(batch), max_length=longest))

    started = time.monotonic()
    log_probs(model, sample)
    list(in_batches(model, sample, decode))
    took = (time.monotonic() - started) * len(pairs.dev) / len(sample)
    return took * (EXACT if request.recipe.decode == "exact" else 1.0)


def _spread(items: Sequence[Item], count: int) -> Sequence[Item]:
    """At most that many items, evenly spread."""
    return items[:: -(-len(items) // count)]
