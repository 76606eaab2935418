"""`python fork_and_ask.py THREADS`: load a model, ask it, fork in several ways, and ask again in each child.

Prints what the parent and the children answered, as JSON. A process that hangs is ended by an alarm.
"""

import json
import logging
import multiprocessing
import os
import signal
import sys
import threading
from pathlib import Path

import torch

import isotone
from isotone.api.threads import set_threads

FOLDERS = Path(__file__).parents[1] / "store" / "folders"
KNOWN = json.loads((FOLDERS / "expected.json").read_text(encoding="utf-8"))["single"]
SECONDS = 60


def ask(model: isotone.Transducer) -> list[list[object]]:
    """One word, and many: enough for batches side by side."""
    sources, tags = [row["source"] for row in KNOWN], [row["tags"] for row in KNOWN]
    found = [model(sources[0], tags=tags[0]), *model(sources * 20, tags=tags * 20)]
    scores = model.score(sources, [row["target"] for row in KNOWN], tags=tags)
    return [[p.target, round(p.logprob, 4)] for p in found[: 1 + len(KNOWN)]] + [[round(score, 4) for score in scores]]


def answers_of_a_fork(model: isotone.Transducer, how: str) -> object:
    read, write = os.pipe()
    if os.fork() == 0:
        signal.alarm(SECONDS)
        if how == "more-threads":
            logging.basicConfig(stream=sys.stderr)
            set_threads(4)
            torch.set_num_threads(4)
        if how == "load":
            model = isotone.load(FOLDERS / "single")
        if how == "thread":
            answers: list[object] = []
            asking = threading.Thread(target=lambda: answers.append(ask(model)))
            asking.start()
            asking.join()
            assert answers[0] == ask(model)
        os.write(write, json.dumps(ask(model)).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        return json.loads(file.read() or "null")


def _worker_asks(_: int) -> object:
    return ask(MODEL)


def _limit() -> None:
    signal.alarm(SECONDS)


if __name__ == "__main__":
    threads = int(sys.argv[1])
    signal.alarm(4 * SECONDS)
    torch.set_num_threads(threads)  # not the knob: users may call this themselves
    MODEL = isotone.load(FOLDERS / "single")
    assert torch.get_num_threads() == threads
    torch.ones(300, 300) @ torch.ones(300, 300)  # with several threads torch starts them now, if it has not before
    before = ask(MODEL)
    children = {how: answers_of_a_fork(MODEL, how) for how in ("fork", "thread", "load", "more-threads")}
    with multiprocessing.get_context("fork").Pool(2, initializer=_limit) as pool:
        children["pool, first"], children["pool, second"] = pool.map(_worker_asks, range(2), chunksize=1)
    print(json.dumps({"before": before, "children": children, "after": ask(MODEL), "threads": torch.get_num_threads()}))
