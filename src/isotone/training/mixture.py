"""Several runs that differ only in their seed, packed into one mixture folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from isotone.decoding.decoders import decoder_named
from isotone.store.describe import holds_model, read_folder
from isotone.store.folder import load_member
from isotone.store.layout import remove_leftovers
from isotone.store.lock import folder_lock
from isotone.store.metrics import Metrics
from isotone.store.mixture import save_mixture
from isotone.training.assess import DevSet
from isotone.training.events import Callback
from isotone.training.outcome import Outcome
from isotone.training.pairs import TrainingPairs
from isotone.training.request import Request
from isotone.training.single import train_one
from isotone.training.state import Unfinished, clear_state, read_unfinished, write_unfinished

__all__ = ["train_mixture"]


def train_mixture(
    run: Unfinished, pairs: TrainingPairs, folder: Path, callbacks: Sequence[Callback], *, resume: bool
) -> Outcome:
    """Train the members in folders of their own and pack them; until then the folder keeps the model it had.

    With `resume`, finished members are kept and the unfinished one goes on where it stopped.
    """
    if not resume:
        run = Unfinished(run.request, _free_names(folder, run.request))
        clear_state(folder)
        write_unfinished(folder, run)
    epochs = 0
    for name, seed in zip(run.members, _seeds(run.request), strict=True):
        outcome = _train_member(run.request.member(seed), pairs, folder / name, callbacks)
        if not outcome.finished:
            return Outcome(finished=False, best=None, epochs=epochs + outcome.epochs, dev={})
        epochs += outcome.epochs
    metrics = _assess(run, pairs, folder)
    save_mixture(folder, run.members, metrics=metrics, run=run.request.to_json())
    clear_state(folder)
    return Outcome(finished=True, best=None, epochs=epochs, dev=metrics.dev)


def _seeds(request: Request) -> range:
    return range(request.seed, request.seed + request.seeds)


def _free_names(folder: Path, request: Request) -> tuple[str, ...]:
    """seed-0, seed-1, …; others where something of that name is there, which may belong to the model to be replaced."""
    names = []
    for seed in _seeds(request):
        name, version = f"seed-{seed}", 1
        while (folder / name).exists():
            version += 1
            name = f"seed-{seed}-{version}"
        names.append(name)
    return tuple(names)


def _train_member(request: Request, pairs: TrainingPairs, folder: Path, callbacks: Sequence[Callback]) -> Outcome:
    begun = read_unfinished(folder)
    if begun is None and holds_model(folder):
        metrics = read_folder(folder).metrics
        return Outcome(finished=True, best=None, epochs=(metrics and metrics.epochs) or 0, dev={})
    folder.mkdir(exist_ok=True)
    with folder_lock(folder):
        remove_leftovers(folder)
        return train_one(Unfinished(request), pairs, folder, callbacks, resume=begun is not None)


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
