"""The table of aligners: a new one is one small file and one entry here. See docs/new-aligner.md. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from isotone.errors import ConfigError
from isotone.models.aligners.options import JumpOptions
from isotone.models.parts import Part, table_of

if TYPE_CHECKING:
    from isotone.models.aligners.base import Aligner  # noqa: F401 (named in a string below)

__all__ = ["ALIGNERS", "AlignerPart", "check_copying"]


@dataclass(frozen=True)
class AlignerPart(Part["Aligner"]):
    """An entry of the table of aligners."""

    positions: bool = True
    """Are the chain's states source positions? Only then is an alignment a path, with a symbol to copy at each step."""
    supervised: bool = False
    """Is it trained on one alignment per pair, fixed beforehand, instead of the sum over all of them?"""


_HERE = "isotone.models.aligners"

ALIGNERS: dict[str, AlignerPart] = table_of(
    AlignerPart("soft", "a weighted average of all positions", f"{_HERE}.soft:Soft", positions=False),
    AlignerPart("0-hard", "one position, chosen afresh at each step", f"{_HERE}.zero_hard:ZeroHard"),
    AlignerPart("0-mono", "one position, never to the left of the last one", f"{_HERE}.zero_mono:ZeroMono"),
    AlignerPart("1-mono", "a short jump to the right", f"{_HERE}.first_order:FirstOrder", options=JumpOptions),
    AlignerPart("1-hard", "a short jump either way", f"{_HERE}.first_order:FirstOrderHard", options=JumpOptions),
    AlignerPart("emit-mono", "at each position, emit or shift to the next", f"{_HERE}.emit_mono:EmitMono"),
    AlignerPart("pipeline-mono", "0-mono trained on fixed alignments", f"{_HERE}.zero_mono:ZeroMono", supervised=True),
)
"""Every aligner by the name that `--model` takes."""


def check_copying(name: str) -> None:
    """Raise ConfigError for a copy gate on an aligner that has no single position to copy from."""
    if not ALIGNERS[name].positions:
        raise ConfigError(f"{name} averages over source positions, so there is no one symbol to copy (--copy)")
