"""Which part of a lexicon each entry falls into."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from hashlib import blake2b

from isotone.text.example import Example

__all__ = ["folds_of", "word_key"]


def folds_of(examples: Sequence[Example], folds: int, seed: int = 0) -> list[int]:
    """The fold of each example, from 0; all variants of a word are in one fold.

    Which fold depends on the words and the seed, not on the order of the file. Folds differ by one word at most.
    """
    keys = [word_key(example) for example in examples]
    words = sorted(dict.fromkeys(keys), key=lambda key: _hash(key, seed))
    place = {key: number % folds for number, key in enumerate(words)}
    return [place[key] for key in keys]


def word_key(example: Example) -> tuple[str, ...]:
    """Equal for entries that are variants of one word: the same source and tags, but for case and normal form.

    Entries of one lemma with other tags are other words: a paradigm's other forms may help to judge one of them.
    """
    return (unicodedata.normalize("NFC", example.source).casefold(), *sorted(set(example.tags)))


def _hash(key: tuple[str, ...], seed: int) -> bytes:
    return blake2b(json.dumps([seed, *key]).encode("ascii"), digest_size=16).digest()
