"""Pretraining for inflection with little data: copying first, or reinflection first, then the task itself.

    python experiments/search/pretraining.py izh mlt

Judged on dev pairs alone; no test set is read. Finished steps are kept, interrupted ones go on. Prints TSV: data set, what the network
learnt first, dev accuracy, nats per word.
"""

import csv
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import isotone
from isotone.text import Example, read
from isotone.text.paradigm import Paradigms

HERE = Path(__file__).parent
DATA = HERE / "../../../shared/data/inflection/sigmorphon2020"
RUNS = HERE / "../../runs/search-pretraining"
MOST = 12_000  # other forms as sources: of n forms of a lemma there are n² pairs

COPIES = {"recipe": "patient-low", "epochs": 20}
REINFLECTION = {"recipe": "patient-small", "epochs": 10}


def copies(pairs: list[Example]) -> list[Example]:
    """Every lemma and form, once, as its own target."""
    return [Example(word, word, ("COPY",)) for word in sorted({w for p in pairs for w in (p.source, p.target or "")})]


def reinflection(pairs: list[Example]) -> list[Example]:
    """Every form from its lemma and from every other known form of it."""
    paradigms = Paradigms.of(pairs)
    others = [other for pair in pairs for other in paradigms.others(pair)]
    random.Random(0).shuffle(others)
    return [*pairs, *others[:MOST]]


def rows(language: str) -> Iterator[tuple[str, str, float, float]]:
    """What the default recipe makes of random weights and of either first step."""
    pairs, dev = (list(read(DATA / f"{language}.{part}", "conll2017", skip_bad=True)) for part in ("trn", "dev"))
    firsts = {"nothing": None, "copies": (copies, COPIES), "reinflection": (reinflection, REINFLECTION)}
    for name, first in firsts.items():
        begin = None
        if first is not None:
            make, how = first
            begin = RUNS / f"{language}-{name}-first"
            train(begin, make(pairs), dev, **how)
        out = RUNS / f"{language}-{name}"
        train(out, pairs, dev, start_from=begin)
        metrics = isotone.load(out).evaluate(dev).metrics
        yield language, name, metrics["acc"], metrics["nll"]


def train(out: Path, pairs: list[Example], dev: list[Example], **how: Any) -> None:
    """Train 0-mono on one thread; what is finished is kept, what was interrupted goes on."""
    isotone.train(train=pairs, dev=dev, task="inflection", model="0-mono", threads=1, out=out, resume=True, **how)


if __name__ == "__main__":
    table = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
    for language in sys.argv[1:]:
        table.writerows(rows(language))
