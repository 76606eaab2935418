"""One model, eight callers: words per second against one caller, with the same answers."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import isotone
from bench.german import german
from bench.report import Result
from bench.timing import alternate
from bench.trained import trained
from bench.workload import all_cores
from isotone.results import Prediction
from isotone.text.example import Example

CALLERS = 8


def run(quick: bool) -> Result:
    """A row for each size: one caller, eight callers, one word per call."""
    threads = all_cores()
    data = german()
    words = data.dev[: 16 if quick else 64]
    rows, headline = [], {}
    for size in ("tiny",) if quick else ("tiny", "small"):
        model = isotone.load(trained(data, size, quick=quick)[0])
        alone = _ask(model, words, 1)
        together = _ask(model, words, CALLERS)
        wrong = sum(
            a.target != b.target or abs(a.logprob - b.logprob) > 1e-4 for a, b in zip(alone, together, strict=True)
        )
        seconds = alternate(
            {str(callers): partial(_ask, model, words, callers) for callers in (1, CALLERS)},
            1 if quick else 3,
            seconds=20,
            progress=f"threads {size}",
        )
        ratio = seconds["1"] / seconds[str(CALLERS)]
        rows.append((size, len(words) / seconds["1"], len(words) / seconds[str(CALLERS)], ratio, wrong))
        headline[f"{size}: {CALLERS} callers × one"] = ratio
    return Result(
        title=f"One model, one word per call, exact search, {threads} threads",
        columns=("size", "one caller, words/s", f"{CALLERS} callers, words/s", "ratio", "answers that differ"),
        rows=tuple(rows),
        headline=headline,
        notes=("in turn; median. An answer differs if its string does, or its log-probability by more than 1e-4",),
    )


def _ask(model: isotone.Transducer, words: Sequence[Example], callers: int) -> list[Prediction]:
    with ThreadPoolExecutor(callers) as pool:
        return list(pool.map(lambda word: model(word.source, tags=word.tags), words))
