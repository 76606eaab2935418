"""What every encoder is: source symbols (and perhaps tags) in, one state per source position out."""

from __future__ import annotations

from torch import Tensor, nn

from isotone.shapes import Float, Int

__all__ = ["Encoder"]


class Encoder(nn.Module):
    """Reads padded sources. A subclass takes `symbols`, the size of the alphabet, and its hyperparameters; where its
    entry of the table says `reads_tags`, also `tags`, the width of the tag vector, and the vector in `forward`.

    States of real positions must not depend on the padding behind them.
    """

    def __init__(self, *, memory_size: int) -> None:
        super().__init__()
        self.memory_size = memory_size
        """Numbers per state: what the aligner's T and the emission's V are multiplied with."""

    def forward(
        self,
        source: Int[Tensor, "batch state"],
        lengths: Int[Tensor, "batch"],
        tags: Float[Tensor, "batch tag"] | None = None,
    ) -> Float[Tensor, "batch state memory"]:
        """h_e of every position; states past a row's length are padding, of any value."""
        raise NotImplementedError
