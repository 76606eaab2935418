"""One knob for CPU threads, and what a fork leaves of them. Imports no engine.

`--threads`, `isotone.api.threads.set_threads` and the environment variable ISOTONE_THREADS say how many threads this
process may compute with; otherwise OMP_NUM_THREADS does, and otherwise the cores that the process may use.
"""

from __future__ import annotations

import os
import sys

from isotone.errors import ConfigError

__all__ = ["VARIABLE", "choose_threads", "chosen_threads", "core_count", "lost_threads", "thread_count"]

VARIABLE = "ISOTONE_THREADS"

_chosen: int | None = None
_lost = False


def choose_threads(count: int) -> None:
    """Set the knob for this process; the engines read it, so this alone changes nothing that has begun."""
    global _chosen
    if count < 1:
        raise ConfigError(f"threads must be at least 1, not {count}")
    _chosen = count


def chosen_threads() -> int | None:
    """What was chosen, by a call or by ISOTONE_THREADS; None leaves the choice to the engine."""
    if _chosen is not None:
        return _chosen
    value = os.environ.get(VARIABLE, "")
    if not value:
        return None
    if not (value.isascii() and value.isdigit() and int(value) > 0):
        raise ConfigError(f"{VARIABLE}={value}: expected a number of threads, or leave it unset to use all cores")
    return int(value)


def thread_count() -> int:
    """What was chosen, else OMP_NUM_THREADS, else the cores that this process may use."""
    if (count := chosen_threads()) is not None:
        return count
    value = os.environ.get("OMP_NUM_THREADS", "")
    if value.isascii() and value.isdigit() and int(value) > 0:
        return int(value)
    return core_count()


def core_count() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def lost_threads() -> bool:
    """Was this process forked after torch was loaded? The threads that torch may have started are not here then, and
    it would wait for them for ever."""
    return _lost


def _note_fork() -> None:
    global _lost
    _lost = _lost or "torch" in sys.modules


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork either
    os.register_at_fork(after_in_child=_note_fork)
