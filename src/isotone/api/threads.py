"""One knob for CPU threads."""

from __future__ import annotations

import sys

from isotone.runtime.threads import set_threads as set_engine_threads

__all__ = ["set_threads"]


def set_threads(threads: int | None) -> None:
    """Limit this process to that many CPU threads; None leaves all cores.

    Exported models run that many batches side by side; torch is told only where it is in use.
    """
    if threads is None:
        return
    set_engine_threads(threads)
    if "torch" in sys.modules:
        import torch

        torch.set_num_threads(threads)
