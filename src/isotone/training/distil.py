"""A network that learns from a mixture: train the mixture, note down what it writes, train one network on that.

FOLDER/teacher/          the mixture, a model folder like any other; removed in the end unless it is to be kept
FOLDER/teacher/targets.json   what it writes for each source, given or invented, with exact probabilities
FOLDER/                  the network
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from isotone.decoding.decoders import Exact
from isotone.decoding.directions import joined
from isotone.decoding.predict import predict_examples
from isotone.errors import ModelError
from isotone.evaluation import task_named
from isotone.files import read_json, write_json
from isotone.store.describe import read_folder
from isotone.store.folder import load_member, load_members, save_member
from isotone.store.layout import MIXTURE, holds_model, remove_leftovers, remove_model
from isotone.store.lock import folder_lock
from isotone.store.metrics import Metrics
from isotone.store.mixture import listed_members, remove_members
from isotone.text.example import Example
from isotone.training.cost import Planned
from isotone.training.distillation import Distillation
from isotone.training.events import Callback
from isotone.training.invented import invented_sources
from isotone.training.mixture import train_mixture
from isotone.training.outcome import Outcome
from isotone.training.pairs import TrainingPairs, Weighted
from isotone.training.ranks import Ranks
from isotone.training.request import Request
from isotone.training.single import train_one
from isotone.training.state import Unfinished, clear_state, read_unfinished, write_unfinished

__all__ = ["STUDENT", "TARGETS", "TEACHER", "best_member", "remove_teacher", "taught_pairs", "train_distilled"]

TEACHER, TARGETS = "teacher", "targets.json"
STUDENT = "distilled"
"""What the network is called where the members have names."""
BUDGET = 1_000
"""Expansions per source: of a source that needs more, the strings found so far teach enough."""


def train_distilled(
    run: Unfinished, pairs: TrainingPairs, folder: Path, callbacks: Sequence[Callback], *, ranks: Ranks, resume: bool
) -> Outcome:
    """Train the mixture in a folder of its own and then a network on its outputs, which becomes the folder's model.

    With `resume`, whatever is finished is kept: members of the mixture, the mixture, its outputs, the network's epochs.
    """
    request, teacher = run.request, folder / TEACHER
    assert request.distil is not None
    invented = invented_sources(pairs.train, request.text.source, request.distil.invented)
    pairs = replace(pairs, further=[*pairs.further, *invented])
    if not resume:
        ranks.once(partial(_start, run, folder))
    outcome = _train_teacher(request, pairs, folder, callbacks, ranks)
    if not outcome.finished:
        return outcome
    ranks.once(partial(_write_targets, teacher, pairs, request.distil))
    targets = _read_targets(teacher, sources=len(pairs.train) + len(pairs.further))
    choices = taught_pairs(pairs, targets, gold=request.distil.gold)
    for callback in callbacks:
        callback.on_member(STUDENT)
    taught = replace(pairs, choices=choices)
    alone = ranks.once(lambda: best_member(request, read_folder(teacher).metrics))
    own = train_one(run, taught, folder, callbacks, ranks=ranks, resume=True, alone=alone)
    if own.finished:
        ranks.once(partial(_finish, folder, request, outcome))
    return replace(own, epochs=outcome.epochs + own.epochs, teacher=outcome.dev)


def taught_pairs(
    pairs: TrainingPairs, targets: Sequence[Sequence[tuple[str, float]]], *, gold: float
) -> list[Weighted]:
    """What each epoch draws from: a training source with its own target (`gold`) or one of the mixture's (the rest), a
    further source with one of the mixture's. Where the mixture has written nothing, the target is all there is."""
    choices: list[Weighted] = []
    for example, found in zip([*pairs.train, *pairs.further], targets, strict=True):
        total = sum(probability for _, probability in found)
        share = 0.0 if example.target is None else gold if total else 1.0
        weighted = [
            (Example(example.source, target, example.tags), (1 - share) * probability / total)
            for target, probability in found
            if total
        ]
        if example.target is not None:
            weighted.insert(0, (example, share))
        possible = [(pair, weight) for pair, weight in weighted if weight > 0]
        if possible:
            choices.append(possible)
    return choices


def best_member(request: Request, teacher: Metrics | None) -> Request:
    """The request of the mixture's member with the best dev metric, of equals the first: the network is to have its
    aligner and its direction."""
    task, members = task_named(request.task), request.members()
    best, record = members[0], None
    for member, dev in zip(members, ((teacher and teacher.members) or {}).values(), strict=False):
        figure = (dev or {}).get(task.selection)
        if figure is not None and (record is None or task.improves(figure, record)):
            best, record = member, figure
    return best


def remove_teacher(folder: Path) -> None:
    """Remove the mixture beside a network, finished or not, but nothing that is not a file of ours."""
    teacher = folder / TEACHER
    if teacher.is_symlink() or not teacher.is_dir():
        return
    names = list(listed_members(teacher))
    with suppress(Exception):  # a damaged state is removed like any other
        begun = read_unfinished(teacher)
        names += begun.members if begun is not None else ()
    with suppress(OSError):
        (teacher / MIXTURE).unlink(missing_ok=True)
        (teacher / TARGETS).unlink(missing_ok=True)
    remove_members(teacher, list(dict.fromkeys(names)))
    remove_model(teacher)


def _start(run: Unfinished, folder: Path) -> None:
    remove_teacher(folder)  # of a model that this one replaces
    clear_state(folder)
    write_unfinished(folder, run)


def _train_teacher(
    request: Request, pairs: TrainingPairs, folder: Path, callbacks: Sequence[Callback], ranks: Ranks
) -> Outcome:
    teacher = folder / TEACHER
    with ExitStack() as lock:
        begun, known = ranks.once(partial(_open_teacher, teacher, lock))
        if known is not None:
            return Outcome(finished=True, best=None, epochs=known.epochs or 0, dev=known.dev)
        run = Unfinished(request.teacher(), () if begun is None else begun)
        later = {STUDENT: Planned(request, folder, len(pairs.train) + len(pairs.further))}
        resume = begun is not None
        return train_mixture(run, pairs, teacher, callbacks, ranks=ranks, resume=resume, later=later)


def _open_teacher(teacher: Path, lock: ExitStack) -> tuple[tuple[str, ...] | None, Metrics | None]:
    """The members of a mixture that has begun, and the metrics of one that is finished; the folder is locked."""
    teacher.mkdir(exist_ok=True)
    lock.enter_context(folder_lock(teacher))
    remove_leftovers(teacher)
    begun = read_unfinished(teacher)
    if begun is None and holds_model(teacher):
        return None, read_folder(teacher).metrics
    return None if begun is None else begun.members, None


def _write_targets(teacher: Path, pairs: TrainingPairs, options: Distillation) -> None:
    """Once: a resumed run must draw from the same strings, with the same probabilities."""
    if (teacher / TARGETS).exists():
        return
    members = load_members(teacher)
    mixture = joined([member.engine() for member, _ in members], [share for _, share in members])
    sources = [Example(example.source, None, example.tags) for example in [*pairs.train, *pairs.further]]
    decoder = Exact(n_best=options.n_best, mass=options.mass, budget=BUDGET)
    found = predict_examples(mixture, members[0][0].codec, sources, decoder)
    write_json(teacher / TARGETS, [[[c.target, math.exp(c.logprob)] for c in one.candidates] for one in found])


def _read_targets(teacher: Path, *, sources: int) -> list[list[tuple[str, float]]]:
    path = teacher / TARGETS
    value = read_json(path)
    try:
        targets = [[(str(target), float(probability)) for target, probability in one] for one in value]
    except (TypeError, ValueError) as error:
        raise ModelError(f"{path}: damaged; remove it to write it again") from error
    if len(targets) != sources:
        raise ModelError(f"{path}: has {len(targets):,} sources, expected {sources:,}; remove it to write it again")
    return targets


def _finish(folder: Path, request: Request, teacher: Outcome) -> None:
    """The metrics of the mixture go along with the network."""
    metrics = read_folder(folder).metrics
    if metrics is not None:
        taught = metrics.model_copy(update={"teacher": dict(teacher.dev)})
        save_member(folder, load_member(folder), metrics=taught, run=request.to_json())
    if request.distil is not None and not request.distil.keep_teacher:
        remove_teacher(folder)
