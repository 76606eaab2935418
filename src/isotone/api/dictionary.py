"""Pronunciation dictionaries: a list of words in, predictions in dictionary order out, and what to look at by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from isotone.errors import ConfigError
from isotone.results.prediction import Prediction
from isotone.text.example import Example
from isotone.text.segment import Segmenter

if TYPE_CHECKING:
    from isotone.api.transducer import Transducer

__all__ = ["DOUBTFUL", "REPORT_COLUMNS", "doubts", "pronounce"]

DOUBTFUL = 0.5
"""A best pronunciation below this probability is worth a look."""

REPORT_COLUMNS = ("word", "doubt", "pronunciation", "probability")
"""The header of a report."""


def pronounce(model: Transducer, words: Iterable[Example | str], **options: Any) -> Iterator[Prediction]:
    """Predictions for the distinct words, sorted; the options are those of `Transducer.predict`.

    Words are stripped, and spellings that the model reads in the same way are one word: the first of them is kept.
    """
    if model.vocabulary.tags:
        raise ConfigError("a dictionary needs a model without tags")
    segment = Segmenter(model.config.text.source)
    distinct: dict[str, str] = {}
    for word in words:
        text = (word if isinstance(word, str) else word.source).strip()
        distinct.setdefault(segment.normalise(text), text)
    ordered = [distinct[key] for key in sorted(distinct, key=lambda key: (key.lower(), key))]
    yield from model.predict(ordered, **options)


def doubts(prediction: Prediction, *, below: float = DOUBTFUL) -> list[str]:
    """Why a person should look at this word; empty where there is no reason. What a lexicon says is not doubted."""
    if prediction.from_lexicon:
        return []
    unseen = " ".join(symbol if symbol.strip() else repr(symbol) for symbol in prediction.unseen)
    found = [f"never seen in training: {unseen}"] if unseen else []
    if not any(candidate.symbols for candidate in prediction.candidates):
        return [*found, "no pronunciation"]
    if prediction.probability < below:
        found.append(f"probability below {below:g}")
    return found + (["not certified"] if prediction.certified is False else [])
