"""Splits off a held-out part of the data, always the same one."""

import json
import unicodedata
from collections.abc import Iterable
from hashlib import blake2b

from isotone.errors import ConfigError, DataError
from isotone.text.example import Example

__all__ = ["split_off"]


def split_off(examples: Iterable[Example], fraction: float, seed: int = 0) -> tuple[list[Example], list[Example]]:
    """Splits `examples` into (train, dev), dev holding `fraction` of the distinct (source, tags).

    All examples of one source with the same tags fall on one side, so that no answer leaks; which side
    depends on their text and on `seed`, not on the order of the file. Both sides keep the order they
    came in, and neither is empty.
    """
    if not 0 < fraction < 1:
        raise ConfigError(f"the held-out fraction must lie between 0 and 1, found {fraction}")
    keyed = [(_key(example, seed), example) for example in examples]
    groups = sorted({key for key, _ in keyed})
    if len(groups) < 2:
        raise DataError(f"cannot hold out a part: expected at least 2 distinct sources with tags, found {len(groups)}")
    size = min(max(round(fraction * len(groups)), 1), len(groups) - 1)
    held_out = set(groups[:size])
    train = [example for key, example in keyed if key not in held_out]
    dev = [example for key, example in keyed if key in held_out]
    return train, dev


def _key(example: Example, seed: int) -> bytes:
    """A pseudo-random key for (source, tags); spellings that differ only in normal form get the same key."""
    source = unicodedata.normalize("NFC", example.source)
    # JSON keeps the parts apart and spells any string, lone surrogates included, in ASCII.
    text = json.dumps([seed, source, sorted(set(example.tags))])
    return blake2b(text.encode("ascii"), digest_size=16).digest()
