"""Where a job runs: in this process, in several that are started here, or in those that torchrun has started.

Several processes talk through torch.distributed (gloo between CPUs, NCCL between GPUs), which Lightning Fabric sets up.
Those started here are children of this process, which trains nothing: it hears what rank 0 does and tells the
callbacks, passes on Ctrl-C, and notices when a child is lost.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing import get_context, parent_process
from typing import TYPE_CHECKING, Any

from isotone.errors import ConfigError, IsotoneError, LostWorkerError
from isotone.training.device import check_device, fabric_for, shared_fabric
from isotone.training.events import Callback
from isotone.training.job import Job
from isotone.training.outcome import Outcome
from isotone.training.ranks import Ranks
from isotone.training.watch import watch

if TYPE_CHECKING:
    from lightning_fabric import Fabric

__all__ = ["Work", "launch"]

Work = Callable[[Job, Sequence[Callback], Ranks], Outcome]
"""What every process of a run does."""

GRACE = 5.0
"""Seconds that a process waits once another one is gone, so that whoever started them sees which one went first."""
GONE = ("gloo", "NCCL", "Connection closed", "Connection reset")
"""In messages of torch.distributed about a lost partner: gloo's errors have no class of their own."""
EVENTS = ("on_mixture", "on_member", "on_round", "on_start", "on_batch", "on_epoch", "on_end")


def launch(job: Job, callbacks: Sequence[Callback], work: Work) -> Outcome:
    """Do the work in as many processes as the job asks for, or as torchrun has started."""
    request, started = job.request, _torchrun()
    if started is not None and request.devices not in (1, started[0]):
        raise ConfigError(f"--devices {request.devices}: torchrun has started {started[0]} processes; leave it out")
    if started is not None and started[0] > 1:
        return _join(job, callbacks, work, *started)
    if request.devices == 1:
        check_device(request.device, request.recipe.precision)
        return work(job, callbacks, Ranks(fabric_for(request.device, request.recipe.precision)))
    return _start(job, callbacks, work)


def _torchrun() -> tuple[int, int] | None:
    """(processes altogether, processes on this machine) where torchrun has started this one."""
    if "TORCHELASTIC_RUN_ID" not in os.environ:
        return None
    return int(os.environ["WORLD_SIZE"]), int(os.environ["LOCAL_WORLD_SIZE"])


def _join(job: Job, callbacks: Sequence[Callback], work: Work, count: int, here: int) -> Outcome:
    """This is one of torchrun's processes."""
    job = _with_devices(job, count)
    recipe = job.request.recipe
    fabric = shared_fabric(job.request.device, recipe.precision, devices=here, nodes=count // here, spawn=False)
    fabric.launch()
    try:
        return _work(fabric, job=job, work=work, callbacks=callbacks)
    except RuntimeError as error:
        if not _lost_partner(error):
            raise
        raise LostWorkerError(_lost(job)) from error


def _start(job: Job, callbacks: Sequence[Callback], work: Work) -> Outcome:
    """Start processes of our own."""
    request = job.request
    fabric = shared_fabric(request.device, request.recipe.precision, devices=request.devices, spawn=True)
    logging.getLogger("torch.multiprocessing.spawn").setLevel(logging.ERROR)
    context = get_context("spawn")
    channel, stop = context.Queue(), context.Event()
    child = partial(_child, job=job, work=work, channel=channel, stop=stop)
    return watch(lambda: fabric.launch(child), callbacks, channel, stop, lost=partial(_lost, job))


def _child(fabric: Fabric, *, job: Job, work: Work, channel: Any, stop: Any) -> None:
    """One of the processes that we started. Its outcome goes through the channel, which keeps the class of errors."""
    parent = parent_process()

    def told_to_stop() -> bool:
        return bool(stop.is_set() or (parent is not None and not parent.is_alive()))

    try:
        channel.put(_work(fabric, job=job, work=work, callbacks=[_Relay(channel)], told_to_stop=told_to_stop))
    except (IsotoneError, OSError) as error:
        channel.put(error)
    except KeyboardInterrupt:
        raise RuntimeError("interrupted") from None
    except RuntimeError:
        time.sleep(GRACE)  # should another process be the reason, we are ended before this is over
        raise


def _work(fabric: Fabric, *, job: Job, work: Work, callbacks: Sequence[Callback], **told: Any) -> Outcome:
    """What each process of several does."""
    import torch

    ranks = Ranks(fabric, **told)
    plans = ranks.gather(json.dumps(job.request.to_json()))
    if len(set(plans)) > 1:
        raise ConfigError(
            "the processes of this run disagree about it: is --out on a file system that all of them see?"
        )
    outcome = work(job, callbacks if ranks.first else (), ranks)
    torch.distributed.destroy_process_group()
    return outcome


def _with_devices(job: Job, count: int) -> Job:
    from dataclasses import replace

    return replace(job, request=job.request.model_copy(update={"devices": count}))


def _lost_partner(error: RuntimeError) -> bool:
    import torch

    return isinstance(error, torch.distributed.DistError) or any(word in str(error) for word in GONE)


def _lost(job: Job, which: str = "another process") -> str:
    """What to say when a process is gone."""
    return f"{which} of this run was lost; --resume goes on from the last state saved in {job.folder}"


class _Relay(Callback):
    """Tells the parent what rank 0 tells its callbacks."""

    def __init__(self, channel: Any) -> None:
        for name in EVENTS:
            setattr(self, name, partial(self._put, channel, name))

    @staticmethod
    def _put(channel: Any, name: str, *arguments: Any) -> None:
        channel.put((name, arguments))
