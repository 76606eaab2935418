"""The table of encoders: a new one is one small file and one entry here. See docs/new-aligner.md. Imports no torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isotone.models.encoders.options import LSTMOptions
from isotone.models.parts import Part, table_of

if TYPE_CHECKING:
    from isotone.models.encoders.base import Encoder

__all__ = ["ENCODERS"]

_HERE = "isotone.models.encoders"

ENCODERS: dict[str, Part[Encoder]] = table_of(
    Part("lstm", "a bidirectional LSTM over the whole source", f"{_HERE}.lstm:LSTMEncoder", options=LSTMOptions),
)
"""Every encoder by the name that `encoder.name` takes."""
