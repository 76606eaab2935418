"""A demo corpus: examples in three splits, and everything a demo needs to know about them."""

from dataclasses import dataclass
from typing import Literal

from isotone.text.example import Example

__all__ = ["Corpus", "Task"]

Task = Literal["g2p", "inflection", "transliteration"]


@dataclass(frozen=True)
class Corpus:
    """A corpus for one task. No (source, tags) occurs in two of train, dev, test and showcase."""

    name: str
    """Its name in the table of corpora."""
    task: Task
    title: str
    """One line for people."""
    train: tuple[Example, ...]
    """One target per source: the first that the data lists."""
    dev: tuple[Example, ...]
    """All references of a source, one example each, next to each other."""
    test: tuple[Example, ...]
    """All references, as in dev; a uniform sample, so that scores on it are unbiased."""
    format: str
    """The data format its examples are written in; it also settles how targets are split into symbols."""
    recipe: str
    """The training recipe tuned for it."""
    licence: str
    """The licence of the data, not of the package around it."""
    showcase: tuple[Example, ...]
    """A few hand-picked words with one reference each, for a table of examples. They are in no split: with them,
    test would not be a uniform sample."""
