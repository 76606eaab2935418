"""Splits a corpus into train, dev and test, identically on every machine.

Words are ordered by a hash rather than by `random`, whose shuffles may change between Python versions: a word's place
depends only on the seed and the word. Test and dev are taken first, so that
they do not change when the training split grows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice

from isotone.errors import ConfigError
from isotone.text.example import Example

__all__ = ["Key", "Sizes", "draw", "shuffled", "split"]

Key = tuple[str, tuple[str, ...]]
"""The input of a model: a source and its tags."""


@dataclass(frozen=True)
class Sizes:
    """Number of keys per split; a key with several references becomes several examples of dev or test."""

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
    """Cuts references, in their order, into the splits of a `Corpus`; all references of a key go into one split."""
    if len(references) < sizes.total:
        raise ConfigError(f"{sizes.total:,} words were asked for, but the corpus has only {len(references):,}")
    entries = iter(references.items())
    test = _examples(islice(entries, sizes.test))
    dev = _examples(islice(entries, sizes.dev))
    train = _examples((key, targets[:1]) for key, targets in islice(entries, sizes.train))
    return {"train": train, "dev": dev, "test": test}


def _examples(entries: Iterable[tuple[Key, Sequence[str]]]) -> tuple[Example, ...]:
    return tuple(Example(source, target, tags) for (source, tags), targets in entries for target in targets)
