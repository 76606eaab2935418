"""Cutting a corpus into train, dev and test: the same cut on every machine.

Words are drawn in the order of a hash and not by `random`, whose shuffles may change between Python
versions: a word's place depends on the seed and on itself alone. Test and dev are cut first, so they stay
as they are when the training split grows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice

from isotone.errors import ConfigError
from isotone.text.example import Example

__all__ = ["Key", "Sizes", "draw", "shuffled", "split"]

Key = tuple[str, tuple[str, ...]]
"""What a model is asked: a source and its tags."""


@dataclass(frozen=True)
class Sizes:
    """How many keys go into each split; a key with several references is several examples of dev or test."""

    train: int
    dev: int
    test: int

    def __post_init__(self) -> None:
        if min(self.train, self.dev, self.test) < 1:
            raise ConfigError(f"every split needs at least one word, found {self}")

    @property
    def total(self) -> int:
        return self.train + self.dev + self.test


def draw(text: str, *, seed: int) -> int:
    """A pseudo-random number below 2^64 that depends on the text and the seed alone."""
    return int.from_bytes(blake2b(f"{seed}\t{text}".encode(), digest_size=8).digest())


def shuffled(texts: Iterable[str], *, seed: int) -> list[str]:
    """The distinct texts in a random order that does not depend on the order they came in."""
    return sorted(set(texts), key=lambda text: (draw(text, seed=seed), text))


def split(references: Mapping[Key, Sequence[str]], sizes: Sizes) -> dict[str, tuple[Example, ...]]:
    """Cut references, in their order, into the splits of a `Corpus`; a key lands in one split as a whole."""
    if len(references) < sizes.total:
        raise ConfigError(f"{sizes.total:,} words were asked for, but the corpus has only {len(references):,}")
    entries = iter(references.items())
    test = _examples(islice(entries, sizes.test))
    dev = _examples(islice(entries, sizes.dev))
    train = _examples((key, targets[:1]) for key, targets in islice(entries, sizes.train))
    return {"train": train, "dev": dev, "test": test}


def _examples(entries: Iterable[tuple[Key, Sequence[str]]]) -> tuple[Example, ...]:
    return tuple(Example(source, target, tags) for (source, tags), targets in entries for target in targets)
