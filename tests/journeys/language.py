"""A small language with a spelling that says how it is read, like Hungarian's: words for every journey."""

import random

PHONES = {
    "a": "ɒ",
    "b": "b",
    "d": "d",
    "e": "ɛ",
    "g": "ɡ",
    "i": "i",
    "k": "k",
    "l": "l",
    "m": "m",
    "o": "o",
    "p": "p",
    "r": "r",
    "t": "t",
    "z": "z",
    "sz": "s",
    "cs": "tʃ",
    "á": "aː",
    "é": "eː",
}
VOWELS = [letter for letter in PHONES if letter in "aeioáé"]
CONSONANTS = [letter for letter in PHONES if letter not in VOWELS]
CYRILLIC = dict(zip("abdegiklmoprtzsc", "абдегиклмопртзсц", strict=True))


def words(count, *, seed=0):
    """Distinct (word, phones)."""
    generator, found = random.Random(seed), {}
    while len(found) < count:
        letters = []
        for _ in range(generator.randint(1, 3)):
            letters += [generator.choice(CONSONANTS), generator.choice(VOWELS)]
        letters += [generator.choice(CONSONANTS)] * generator.randint(0, 1)
        found["".join(letters)] = " ".join(PHONES[letter] for letter in letters)
    return list(found.items())


def names(count, *, seed=0):
    """(name, the name in Cyrillic), capitals and all."""
    plain = [word for word, _ in words(4 * count, seed=seed) if set(word) <= set(CYRILLIC)][:count]
    return [(name.capitalize(), "".join(CYRILLIC[letter] for letter in name).capitalize()) for name in plain]


def lines(pairs):
    """As a data file."""
    return "".join(f"{source}\t{target}\n" for source, target in pairs)
