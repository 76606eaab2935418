"""The data most benches use: German inflection, the paper's own where it is there, else nouns from a package."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from isotone.demos import load_nouns
from isotone.text.example import Example
from isotone.text.readers import read

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
"""Real corpora beside the repository; not part of it."""


@dataclass(frozen=True)
class German:
    """German inflection in the three sizes that the benches need."""

    name: str
    high: list[Example]
    """10,000 pairs, or what there is."""
    medium: list[Example]
    """1,000 pairs."""
    dev: list[Example]
    """Up to 1,000 pairs."""


def german() -> German:
    """CoNLL-SIGMORPHON 2017 German where `../shared/data` has it, else the package `german-nouns`."""
    folder = SHARED / "inflection" / "conll2017"
    if (folder / "german-train-high").is_file():
        high, medium, dev = (
            list(read(folder / f"german-{part}", "conll2017")) for part in ("train-high", "train-medium", "dev")
        )
        return German("CoNLL-SIGMORPHON 2017 German", high, medium, dev)
    corpus = load_nouns(train_size=10_000, dev_size=1_000)
    train = list(corpus.train)
    return German("german-nouns (Wiktionary)", train, train[:1000], list(corpus.dev))
