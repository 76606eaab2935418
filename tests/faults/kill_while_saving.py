"""A program of its own: children save models over and over and are killed, while this process keeps loading.

It has no other threads, so that it can fork; what it finds goes to stdout as JSON.
"""

import itertools
import json
import math
import os
import random
import select
import signal
import sys
import time
from pathlib import Path

import torch

import tiny
from isotone.store.folder import load_members, save_member, save_members

KILLS = 25


def models():
    """Two single models and two mixtures, no two alike."""
    torch.manual_seed(0)
    alike = [tiny.bundle(aligner) for aligner in ("0-mono", "1-mono", "soft", "0-hard", "1-hard", "0-mono")]
    other = tiny.bundle("1-mono", tags=("N",), hidden=6)
    return [[alike[0]], [alike[1], alike[2]], [other], [alike[3], alike[4], alike[5]]]


def sign(members):
    """What tells these models from any others."""
    return [
        [m.config.architecture.aligner.name, sum(p.double().sum().item() for p in m.network.parameters())]
        for m in members
    ]


def save(folder, members):
    if len(members) == 1:
        save_member(folder, members[0])
    else:
        save_members(folder, [(member, 1.0) for member in members])


def saving(folder, choices, seed, told):
    """Until killed; `told` can be read from once the first model is saved."""
    order = random.Random(seed)
    for number in itertools.count():
        save(folder, choices[(seed + number) % len(choices)])
        if number == 0:
            os.write(told, b".")
        time.sleep(order.random() * 0.004)


def main(folder):
    choices = models()
    known = [sign(members) for members in choices]
    save(folder, choices[0])
    loads, strange, seen = 0, [], set()
    for seed in range(KILLS):
        saved, told = os.pipe()
        child = os.fork()
        if child == 0:
            saving(folder, choices, seed, told)
        os.close(told)
        end, killed = math.inf, False
        while not killed:  # while it saves, and once more after its end
            if end == math.inf and select.select([saved], [], [], 0)[0]:  # a slow machine gets as far as a fast one
                end = time.monotonic() + 0.15 * random.Random(seed).random()
                os.close(saved)
            if time.monotonic() >= end:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                killed = True
            try:
                found = sign([member for member, _ in load_members(folder)])
            except Exception as error:
                strange.append(f"after {seed} kills: {type(error).__name__}: {error}")
                continue
            loads += 1
            if found not in known:
                strange.append(f"after {seed} kills: {found}")
            else:
                seen.add(known.index(found))
    print(json.dumps({"loads": loads, "strange": strange, "seen": sorted(seen)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
