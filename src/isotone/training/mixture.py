"""Several runs that differ only in their aligner and their seed, packed into one mixture folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from isotone.decoding.decoders import decoder_named
from isotone.store.describe import read_folder
from isotone.store.folder import load_member
from isotone.store.layout import holds_model, remove_leftovers
from isotone.store.lock import folder_lock
from isotone.store.metrics import Metrics
from isotone.store.mixture import save_mixture
from isotone.training.assess import DevSet
from isotone.training.cost import Planned, plan_of
from isotone.training.events import Callback
from isotone.training.outcome import Outcome
from isotone.training.pairs import TrainingPairs
from isotone.training.ranks import Ranks
from isotone.training.request import Request
from isotone.training.single import train_one
from isotone.training.state import Unfinished, clear_state, read_unfinished, write_unfinished

__all__ = ["train_mixture"]


def train_mixture(
    run: Unfinished,
    pairs: TrainingPairs,
    folder: Path,
    callbacks: Sequence[Callback],
    *,
    ranks: Ranks,
    resume: bool,
    later: Mapping[str, Planned] | None = None,
) -> Outcome:
    """Train the members in folders of their own and pack them; until then the folder keeps the model it had.

    With `resume`, finished members are kept and the unfinished one goes on where it stopped. `later` is what the caller
    will train afterwards, to be counted when the cost is told.
    """
    if not resume:
        run = ranks.once(partial(_start, run.request, folder))
    requests = dict(zip(run.members, run.request.members(), strict=True))
    waiting = ranks.once(partial(_unfinished, run.members, folder))
    planned = {name: Planned(requests[name], folder / name, len(pairs.train)) for name in waiting}
    plan = plan_of(planned | dict(later or {}), pairs, ranks=ranks)
    for callback in callbacks if plan.members else ():
        callback.on_mixture(plan)
    epochs = 0
    for name, request in requests.items():
        if name in waiting:
            for callback in callbacks:
                callback.on_member(name)
        outcome = _train_member(request, pairs, folder / name, callbacks, ranks)
        if not outcome.finished:
            return Outcome(finished=False, best=None, epochs=epochs + outcome.epochs, dev={})
        epochs += outcome.epochs
    metrics = ranks.once(partial(_finish, run, pairs, folder))
    return Outcome(finished=True, best=None, epochs=epochs, dev=metrics.dev)


def _start(request: Request, folder: Path) -> Unfinished:
    run = Unfinished(request, _free_names(folder, request))
    clear_state(folder)
    write_unfinished(folder, run)
    return run


def _finish(run: Unfinished, pairs: TrainingPairs, folder: Path) -> Metrics:
    metrics = _assess(run, pairs, folder)
    save_mixture(folder, run.members, metrics=metrics, run=run.request.to_json())
    clear_state(folder)
    return metrics


def _free_names(folder: Path, request: Request) -> tuple[str, ...]:
    """seed-0, seed-1, …, or 1-mono-seed-0, … where there are several aligners; seed-0-backwards where there are both
    directions.

    Others where something of that name is there, which may belong to the model to be replaced.
    """
    names = []
    for member in request.members():
        aligner = f"{member.architecture.aligner.name}-" if len(request.aligners) > 1 else ""
        turned = request.recipe.direction == "both" and member.recipe.direction == "backwards"
        first = name = f"{aligner}seed-{member.seed}{'-backwards' if turned else ''}"
        version = 1
        while (folder / name).exists():
            version += 1
            name = f"{first}-{version}"
        names.append(name)
    return tuple(names)


def _unfinished(names: Sequence[str], folder: Path) -> list[str]:
    """The members that are still to be trained, or to be trained to their end."""
    return [name for name in names if read_unfinished(folder / name) is not None or not holds_model(folder / name)]


def _train_member(
    request: Request, pairs: TrainingPairs, folder: Path, callbacks: Sequence[Callback], ranks: Ranks
) -> Outcome:
    with ExitStack() as lock:
        begun, epochs = ranks.once(partial(_open_member, folder, lock))
        if epochs is not None:
            return Outcome(finished=True, best=None, epochs=epochs, dev={})
        return train_one(Unfinished(request), pairs, folder, callbacks, ranks=ranks, resume=begun)


def _open_member(folder: Path, lock: ExitStack) -> tuple[bool, int | None]:
    """Has its run begun, and its epochs if it is finished; unless it is, the folder is ready and locked."""
    begun = read_unfinished(folder) is not None
    if not begun and holds_model(folder):
        metrics = read_folder(folder).metrics
        return False, (metrics and metrics.epochs) or 0
    folder.mkdir(exist_ok=True)
    lock.enter_context(folder_lock(folder))
    remove_leftovers(folder)
    return begun, None


def _assess(run: Unfinished, pairs: TrainingPairs, folder: Path) -> Metrics:
    """The mixture on dev, and its members' own figures."""
    request = run.request
    members = [load_member(folder / name) for name in run.members]
    assessment = DevSet(members[0], pairs.dev).assess(*members, decoder=decoder_named(request.recipe.decode))
    own = {name: read_folder(folder / name).metrics for name in run.members}
    return Metrics(
        task=request.task,
        dev={**assessment.metrics, "loss": assessment.loss},
        epochs=sum((metrics and metrics.epochs) or 0 for metrics in own.values()),
        finished=True,
        pairs=len(pairs.train),
        batch_size=request.recipe.batch_size_for(request.task),
        seed=request.seed,
        recipe=request.recipe.model_dump(mode="json"),
        members={name: metrics.dev for name, metrics in own.items() if metrics},
    )
