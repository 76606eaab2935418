"""The table of encoders: a new one is one small file and one entry here. See docs/new-aligner.md. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from isotone.models.encoders.options import ConvolutionOptions, LSTMOptions, TransformerOptions
from isotone.models.parts import Part, table_of

if TYPE_CHECKING:
    from isotone.models.encoders.base import Encoder  # noqa: F401 (named in a string below)

__all__ = ["ENCODERS", "EncoderPart"]

_HERE = "isotone.models.encoders"


@dataclass(frozen=True)
class EncoderPart(Part["Encoder"]):
    """An entry of the table of encoders."""

    reads_tags: bool = False
    """Can it read the tag vector (`tags.in_encoder`)? Then it takes `tags`, the vector's width, when it is built."""


ENCODERS: dict[str, EncoderPart] = table_of(
    EncoderPart(
        "lstm",
        "a bidirectional LSTM over the whole source",
        f"{_HERE}.lstm:LSTMEncoder",
        options=LSTMOptions,
        reads_tags=True,
    ),
    EncoderPart(
        "transformer",
        "self-attention with rotary positions",
        f"{_HERE}.transformer:TransformerEncoder",
        options=TransformerOptions,
        reads_tags=True,
    ),
    EncoderPart(
        "convolution",
        "residual convolutions of growing reach",
        f"{_HERE}.convolution:ConvolutionEncoder",
        options=ConvolutionOptions,
        reads_tags=True,
    ),
)
"""Every encoder by the name that `encoder.name` takes."""
