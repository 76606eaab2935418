"""A program of its own: training that is killed at random moments and goes on, until it was killed often enough.

    kill_while_training.py FOLDER KILLS

Three ways: a run into an empty folder, one that replaces a good model, and one of three seeds. At every kill the folder
must hold the old model whole or a new one whole; at the end weights, metrics and log must be those of a run that was
never killed. It forks, so that torch is imported once; what it finds goes to stdout as JSON.
"""

import csv
import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

import lightning_fabric  # noqa: F401  once, not in every child
import torch

import toy
from isotone.store.folder import load_members
from isotone.store.layout import holds_model
from isotone.training.state import read_unfinished
from quick import fit

DATA, DEV = toy.examples(60), toy.examples(8, seed=9)
OPTIONS = {"epochs": 4, "batch_size": 16, "precision": "fp32", "threads": 1}
WAYS = {"new": {}, "overwrite": {"model": "0-mono"}, "seeds": {"seeds": 3, "epochs": 2}}


def start(folder, mode, options):
    """A child that trains."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        try:
            fit(DATA, DEV, folder, mode=mode, **{**OPTIONS, **options})
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(1)
        os._exit(0)
    return child


def whole(folder, mode, options):
    """Train to the end in a child; seconds."""
    started = time.monotonic()
    _, status = os.waitpid(start(folder, mode, options), 0)
    assert status == 0, status
    return time.monotonic() - started


def content(folder):
    """Everything that must be the same bit by bit; the log but for its seconds."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name == "train.log.csv":
            rows = csv.DictReader(path.read_text().splitlines())
            found[str(path.relative_to(folder))] = [{k: v for k, v in row.items() if k != "seconds"} for row in rows]
        elif path.is_file():
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def check(folder, had_model):
    """A kill has just happened: what the folder holds loads."""
    if holds_model(folder):
        load_members(folder)
        return None
    return "the old model is gone" if had_model else None


def torn(folder, way, seconds, generator, old):
    """One run killed until it ends by itself; (kills, strange things)."""
    kills, strange, options = 0, [], WAYS[way]
    if way == "overwrite":
        shutil.copytree(old, folder)
    while True:
        fresh = way == "overwrite" and (not folder.exists() or read_unfinished(folder) is None)
        child = start(folder, "overwrite" if fresh else "resume", options)
        end = time.monotonic() + seconds * generator.random() * 0.7
        while time.monotonic() < end:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                if status:
                    strange.append(f"{way}: exit {status} after {kills} kills")
                return kills, strange
            time.sleep(0.001)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        kills += 1
        try:
            problem = check(folder, way == "overwrite")
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        if problem:
            strange.append(f"{way}: after {kills} kills: {problem}")


def main(home, wanted):
    torch.set_num_threads(1)
    generator = random.Random(0)
    kills, runs, strange = 0, 0, []
    whole(home / "old", "new", {"model": "0-hard"})
    expected = {}
    for way, options in WAYS.items():
        if way == "overwrite":
            shutil.copytree(home / "old", home / "expected-overwrite")
        mode = "overwrite" if way == "overwrite" else "new"
        seconds = whole(home / f"expected-{way}", mode, options)
        expected[way] = (content(home / f"expected-{way}"), seconds)
    while kills < wanted or runs < len(WAYS):
        way = list(WAYS)[runs % len(WAYS)]
        files, seconds = expected[way]
        folder = home / f"torn-{runs}"
        more, odd = torn(folder, way, seconds, generator, home / "old")
        kills, runs, strange = kills + more, runs + 1, strange + odd
        found = content(folder)
        if others := sorted(name for name in found | files if found.get(name) != files.get(name)):
            strange.append(f"{way}: run {runs} ended differently after {more} kills: {others}")
        shutil.rmtree(folder)
    print(json.dumps({"kills": kills, "runs": runs, "strange": strange}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
