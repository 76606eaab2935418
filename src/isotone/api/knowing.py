"""Models that are told known forms of the lemmas they will be asked about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from isotone.decoding.directions import change_engines
from isotone.decoding.several import SeveralSources
from isotone.errors import ConfigError
from isotone.text.example import Example
from isotone.text.paradigm import KnowingCodec, Paradigms

if TYPE_CHECKING:
    from isotone.api.transducer import Transducer

__all__ = ["with_known_forms"]


def with_known_forms(model: Transducer, forms: Iterable[Example]) -> Transducer:
    """The same model, which reads these forms of a lemma beside it; ConfigError unless it was trained to do so."""
    if not all(member.config.paradigm for member in model.members):
        raise ConfigError("known forms: this model was trained without --paradigm, so it reads lemmas only")
    known = {"metrics": model.metrics, "run": model.run, "temperature": model.temperature}
    knowing = type(model)(model.members, weights=model.weights, **known)  # type: ignore[arg-type]
    texts = model.config.text
    knowing._codec = KnowingCodec(model.vocabulary, texts, Paradigms.of(forms, texts.source))
    knowing.model = change_engines(knowing.model, SeveralSources)
    return knowing
