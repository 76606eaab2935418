"""From a job to a model folder: what the command line, `isotone.train`, sweeps and demos all call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial

from isotone.store.layout import remove_leftovers
from isotone.store.lock import folder_lock
from isotone.store.mixture import listed_members, remove_members
from isotone.training.distil import remove_teacher, train_distilled
from isotone.training.events import Callback
from isotone.training.job import Job, check_folder
from isotone.training.launch import launch
from isotone.training.mixture import train_mixture
from isotone.training.outcome import Outcome
from isotone.training.ranks import Ranks
from isotone.training.request import Request
from isotone.training.single import train_one
from isotone.training.state import Unfinished, read_unfinished

__all__ = ["train"]


def train(job: Job, callbacks: Sequence[Callback] = ()) -> Outcome | None:
    """Train, select on dev, and leave the best model in the job's folder; None where that was done before.

    Until the first epoch has ended the folder holds what it held before. The folder is locked against other trainings.
    """
    return None if job.pairs is None else launch(job, callbacks, _train)


def _train(job: Job, callbacks: Sequence[Callback], ranks: Ranks) -> Outcome:
    """The same, in each process of the run."""
    assert job.pairs is not None
    with ExitStack() as lock:
        run, resume = ranks.once(partial(_open, job, lock))
        fit = _way(job.request)
        outcome = fit(run, job.pairs, job.folder, callbacks, ranks=ranks, resume=resume)
    ranks.barrier()  # no rank opens the model before rank 0 has let go of the folder
    return outcome


def _way(request: Request) -> Callable[..., Outcome]:
    """One network, a mixture of several, or one that learns from a mixture."""
    if request.distil is not None:
        return train_distilled
    return train_one if len(request.members()) == 1 else train_mixture


def _open(job: Job, lock: ExitStack) -> tuple[Unfinished, bool]:
    """The run to do, and whether it has begun; the folder is ready and locked."""
    job.folder.mkdir(parents=True, exist_ok=True)
    lock.enter_context(folder_lock(job.folder))
    check_folder(job.folder, job.mode, job.besides)  # again: another run may have ended since the job was planned
    remove_leftovers(job.folder)
    begun = read_unfinished(job.folder)
    resume = begun is not None and job.mode == "resume"
    if begun is not None and not resume:  # what an abandoned mixture has trained so far belongs to no model
        listed = listed_members(job.folder)
        remove_members(job.folder, [name for name in begun.members if name not in listed])
        if begun.request.distil is not None:
            remove_teacher(job.folder)
    return Unfinished(job.request, begun.members if begun is not None and resume else ()), resume
