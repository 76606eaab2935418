"""The table of aligners: a new one is one small file and one line here. See docs/new-aligner.md."""

from collections.abc import Callable
from functools import partial

from isotone.errors import ConfigError
from isotone.models.aligners.base import Aligner, AlignerSizes
from isotone.models.aligners.first_order import FirstOrder
from isotone.models.aligners.pipeline_mono import PipelineMono
from isotone.models.aligners.soft import Soft
from isotone.models.aligners.zero_hard import ZeroHard
from isotone.models.aligners.zero_mono import ZeroMono

__all__ = [
    "ALIGNERS",
    "Aligner",
    "AlignerSizes",
    "FirstOrder",
    "PipelineMono",
    "Soft",
    "ZeroHard",
    "ZeroMono",
    "check_copying",
]

ALIGNERS: dict[str, Callable[[AlignerSizes], Aligner]] = {
    "soft": Soft,
    "0-hard": ZeroHard,
    "0-mono": ZeroMono,
    "1-mono": FirstOrder,
    "1-hard": partial(FirstOrder, backward=True),
    "pipeline-mono": PipelineMono,
}
"""Every aligner by the name that `--model` takes."""


def check_copying(name: str) -> None:
    """Refuse a copy gate for an aligner that has no single position to copy from."""
    aligner = ALIGNERS[name]
    if not getattr(aligner.func if isinstance(aligner, partial) else aligner, "positions", True):
        raise ConfigError(f"{name} averages over source positions, so there is no one symbol to copy (--copy)")
