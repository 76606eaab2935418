"""One knob for CPU threads."""

from __future__ import annotations

__all__ = ["set_threads"]


def set_threads(threads: int | None) -> None:
    """Limit this process to that many CPU threads; None leaves all cores."""
    if threads is not None:
        import torch

        torch.set_num_threads(threads)
