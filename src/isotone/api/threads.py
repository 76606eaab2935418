"""One knob for CPU threads."""

from __future__ import annotations

import sys

from isotone.threads import choose_threads

__all__ = ["set_threads"]


def set_threads(threads: int | None) -> None:
    """Limit this process to that many CPU threads, whichever engine runs the model; None changes nothing.

    Exported models run that many batches side by side; torch is told only where it is in use. In a process that was
    forked after torch was loaded, torch keeps to one.
    """
    if threads is None:
        return
    choose_threads(threads)
    if "torch" in sys.modules:
        from isotone.models.parallel import apply_threads

        apply_threads()
