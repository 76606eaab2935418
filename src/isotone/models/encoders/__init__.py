"""The table of encoders: a new one is one small file and one entry here. See docs/new-aligner.md. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from isotone.models.encoders.options import LSTMOptions
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
)
"""Every encoder by the name that `encoder.name` takes."""
