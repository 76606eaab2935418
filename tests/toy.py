"""A toy language that a tiny model learns in seconds: letters double, `q` is silent, a tag adds a suffix."""

import random

from isotone.text.example import Example

LETTERS = "abcdefg"


def transduce(source, tags=()):
    """The right target."""
    doubled = "".join(letter * 2 if letter in "aeu" else letter for letter in source if letter != "q")
    return doubled + ("s" if "PL" in tags else "")


def examples(count, *, seed=0, tags=True):
    """Random distinct pairs."""
    generator = random.Random(seed)
    found = {}
    while len(found) < count:
        source = "".join(generator.choice(LETTERS + "q") for _ in range(generator.randint(2, 6)))
        chosen = ("N", generator.choice(["SG", "PL"])) if tags else ()
        found[source, chosen] = Example(source, transduce(source, chosen) or "x", chosen)
    return list(found.values())
