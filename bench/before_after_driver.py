"""Processor seconds of decoding, scoring and aligning with whichever Isotone PYTHONPATH names, as one JSON object.

`python before_after_driver.py MODEL PAIRS WORDS`: imports nothing of the benches, and asks only what every version of
the public API can answer, so that it runs against older checkouts too.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time

import isotone

ROUNDS = 2


def main() -> None:
    """Ask for each kind of work a few times; the fastest counts."""
    folder, path, count = sys.argv[1:]
    rows = [line.split("\t") for line in Path(path).read_text(encoding="utf-8").splitlines()[: int(count)]]
    sources, targets, tags = (list(column) for column in zip(*rows, strict=True))
    model = isotone.load(folder)
    works = {
        "greedy": lambda: model(sources, tags=tags, decode="greedy"),
        "beam": lambda: model(sources, tags=tags, decode="beam", n_best=5),
        "exact": lambda: model(sources, tags=tags, decode="exact"),
        "one word at a time": lambda: [model(s, tags=t, decode="greedy") for s, t in zip(sources, tags, strict=True)],
        "score": lambda: model.score(sources, targets, tags=tags),
        "align": lambda: model.align(sources, targets, tags=tags),
    }
    seconds = {name: min(_once(work) for _ in range(ROUNDS)) for name, work in works.items()}
    answers = [prediction.target for prediction in works["exact"]()]
    log_probs = [round(value, 6) for value in works["score"]()]
    print(json.dumps({"seconds": seconds, "answers": answers, "log_probs": log_probs, "from": isotone.__file__}))


def _once(work: object) -> float:
    start = process_time()
    work()  # type: ignore[operator]
    return process_time() - start


if __name__ == "__main__":
    main()
