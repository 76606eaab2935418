"""One training run in one folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from isotone.models.parallel import apply_threads
from isotone.store.folder import load_member, save_member
from isotone.training.assess import DevSet
from isotone.training.events import Callback
from isotone.training.loop import Loop
from isotone.training.outcome import Outcome
from isotone.training.pairs import TrainingPairs
from isotone.training.prepare import prepare
from isotone.training.ranks import Ranks
from isotone.training.request import Request
from isotone.training.state import Unfinished, clear_state, write_unfinished

__all__ = ["train_one"]


def train_one(
    run: Unfinished,
    pairs: TrainingPairs,
    folder: Path,
    callbacks: Sequence[Callback],
    *,
    ranks: Ranks,
    resume: bool,
    alone: Request | None = None,
) -> Outcome:
    """Train one model; `resume` goes on from the folder's saved state, if it got as far as saving one.

    `alone` is the request of this very network, where the folder's run asks for more than that.
    """
    request = run.request

    def start() -> None:
        clear_state(folder)
        write_unfinished(folder, run)

    def finish() -> None:
        save_member(folder, load_member(folder), metrics=loop.metrics(finished=True), run=request.to_json())
        clear_state(folder)

    try:
        loop = _begin(alone or request, pairs, folder, callbacks, ranks)
        if resume:
            loop.restore()
        else:
            ranks.once(start)
    except BaseException:
        for callback in callbacks:
            callback.on_end()
        raise
    outcome = loop.fit()
    if outcome.finished:
        ranks.once(finish)
    return outcome


def _begin(request: Request, pairs: TrainingPairs, folder: Path, callbacks: Sequence[Callback], ranks: Ranks) -> Loop:
    """Everything up to the first step; the folder is not touched."""
    apply_threads(request.threads)
    torch.manual_seed(request.seed)
    member, loader = prepare(pairs.train, request, callbacks, choices=pairs.choices)
    if not ranks.first:
        ranks.seed(request.seed)
    return Loop(
        request=request,
        member=member,
        loader=loader,
        dev=DevSet(member, pairs.dev),
        ranks=ranks,
        folder=folder,
        callbacks=callbacks,
    )
