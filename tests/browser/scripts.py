"""Tiny corpora in several scripts, which tiny models learn in seconds."""

import random

from isotone.text.example import Example

PHONES = {"a": "AH", "b": "B", "c": "K", "d": "D", "e": "EH", "f": "F", "g": "G", "q": ""}
ARABIC = {"م": "m", "ح": "h", "د": "d", "ب": "b", "ر": "r", "س": "s", "\u064e": "a", "\u0650": "i"}
"""The last two are vowel marks, which sit on the letter before them."""


def spelled(letters, count, *, separator, seed):
    """Random words over the keys, each with the values as its target."""
    generator = random.Random(seed)
    found = {}
    while len(found) < count:
        word = "".join(generator.choices(list(letters), k=generator.randint(2, 6)))
        target = separator.join(letters[letter] for letter in word if letters[letter])
        if target:
            found[word] = Example(word, target)
    return list(found.values())
