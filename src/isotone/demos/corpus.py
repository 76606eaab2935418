"""What a demo hands over: examples in three splits, and what to say about them."""

from dataclasses import dataclass
from typing import Literal

from isotone.text.example import Example

__all__ = ["Corpus", "Task"]

Task = Literal["g2p", "inflection", "transliteration"]


@dataclass(frozen=True)
class Corpus:
    """A corpus for one task. No (source, tags) stands in two of train, dev, test and showcase."""

    name: str
    """Its name in the table of corpora."""
    task: Task
    title: str
    """One line for people."""
    train: tuple[Example, ...]
    """One target for each source: the first that the data lists."""
    dev: tuple[Example, ...]
    """Every reference of a source, one example each, side by side."""
    test: tuple[Example, ...]
    """Every reference, as in dev; a uniform sample, so that its score means something."""
    spaced_target: bool
    """Whether the target's symbols are separated by spaces ("K AE T") or are its characters."""
    licence: str
    """Of the data, not of the package around it."""
    showcase: tuple[Example, ...]
    """A few hand-picked words with one reference each for a table of examples. They are in no split: not
    in test either, which would no longer be a uniform sample."""
