"""What clients ask of a model. Questions that are equal can be answered together, in one call of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from isotone.results import json_line

if TYPE_CHECKING:
    from isotone.api import Transducer
    from isotone.decoding.decoders import Decoder
    from isotone.results import Prediction
    from isotone.text.example import Example

__all__ = ["Align", "Look", "Predict", "Question", "Score"]


class Question(Protocol):
    """One kind of question to one model; hashable."""

    @property
    def model(self) -> str:
        """The name of the model."""
        ...

    def answer(self, transducer: Transducer, examples: Sequence[Example]) -> list[Any]:
        """One answer for each example, in order. Runs in the decoding thread."""
        ...


@dataclass(frozen=True)
class Predict:
    """The lines of `isotone predict --json`."""

    model: str
    decoder: Decoder

    def answer(self, transducer: Transducer, examples: Sequence[Example]) -> list[str]:
        """One JSON object per source."""
        return [_json(found.to_json()) for found in transducer.predict(examples, self.decoder)]


@dataclass(frozen=True)
class Look:
    """Predictions as objects, for writers that need more than their JSON."""

    model: str
    decoder: Decoder

    def answer(self, transducer: Transducer, examples: Sequence[Example]) -> list[Prediction]:
        """One prediction per source."""
        return list(transducer.predict(examples, self.decoder))


@dataclass(frozen=True)
class Score:
    """The lines of `isotone score --json`, with or without `--surprisal`."""

    model: str
    surprisal: bool

    def answer(self, transducer: Transducer, examples: Sequence[Example]) -> list[str]:
        """One JSON object per pair."""
        return [_json(scored.to_json()) for scored in transducer.scores(examples, surprisal=self.surprisal)]


@dataclass(frozen=True)
class Align:
    """The lines of `isotone align --json --posterior`."""

    model: str

    def answer(self, transducer: Transducer, examples: Sequence[Example]) -> list[str]:
        """One JSON object per pair."""
        return [_json(alignment.to_json()) for alignment in transducer.alignments(examples)]


def _json(value: Any) -> str:
    """A line of the command line's output, without its end."""
    return json_line(value).removesuffix("\n")
