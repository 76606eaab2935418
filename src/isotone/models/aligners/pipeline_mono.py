"""PIPELINE-MONO: 0-MONO, trained on alignments that were fixed beforehand (Aharoni & Goldberg 2017). A baseline."""

from __future__ import annotations

from typing import ClassVar

from isotone.models.aligners.zero_mono import ZeroMono

__all__ = ["PipelineMono"]


class PipelineMono(ZeroMono):
    """The network of 0-MONO; training maximises log p(y, a* | x) for one path a* in place of log Σ_a p(y, a | x).

    The paths come from `isotone.training.fixed_alignments`. Scoring and decoding still sum over all alignments.
    """

    supervised: ClassVar[bool] = True
