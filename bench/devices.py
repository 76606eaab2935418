"""Two processes that share every batch against one process with one thread and with two; bytes exchanged per step."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.report import Result

CASES = (("paper", 20), ("paper", 80), ("small", 80))
"""(size, pairs per batch)"""
SETTINGS = ((1, 1), (1, 2), (2, 1))
"""(processes, threads of each)"""
NETWORKS = {"1 Gbit/s": 0.125e9, "10 Gbit/s": 1.25e9, "200 Gbit/s": 25e9}
"""Bytes per second, for the estimate of larger clusters."""
TIMEOUT = 900.0


def probe(fabric: Any, *, size: str, batch: int, threads: int, steps: int, file: str) -> None:
    """In each process: take steps on random pairs; rank 0 writes what they took."""
    import torch

    from bench.workload import CLIP, prepare, synthetic
    from isotone.text.example import Example
    from isotone.training.ranks import Ranks
    from isotone.training.step import optimizer_for, shared_step, train_step

    torch.set_num_threads(threads)
    ranks = Ranks(fabric)
    generator = random.Random(0)
    words = ["".join(generator.choices("abcdefghijklmnopqrstuvwxyzäöüß", k=12)) for _ in range(60)]
    member, _ = prepare([Example(w, w, ("N",)) for w in words], aligner="1-mono", size=size)  # type: ignore[arg-type]
    pairs = synthetic(member.vocabulary, batch=batch, length=12)
    network, optimizer = fabric.setup(member.network, optimizer_for(member.network, 0.001))
    counted = _count_bytes(network) if ranks.count > 1 else [0]
    wire = _loopback()
    times = []
    for _ in range(steps + 2):
        start = perf_counter()
        if ranks.count > 1:
            shared_step(ranks, network, optimizer, pairs, clip=CLIP)
        else:
            train_step(fabric, network, optimizer, pairs, clip=CLIP)
        times.append(perf_counter() - start)
    if ranks.first:
        found = {
            "seconds": statistics.median(times[2:]),
            "bytes": counted[0] / (steps + 2),
            "wire": (_loopback() - wire) / (steps + 2),
            "parameters": member.network.parameter_count(),
        }
        Path(file).write_text(json.dumps(found), encoding="utf-8")


def _count_bytes(network: Any) -> list[int]:
    """Bytes of gradients that DDP hands to its all-reduce, counted in a hook."""
    from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook

    counted = [0]

    def hook(state, bucket):  # type: ignore[no-untyped-def]  # DDP checks annotations, and strings fail
        counted[0] += bucket.buffer().nbytes
        return allreduce_hook(state, bucket)

    network._forward_module.register_comm_hook(None, hook)
    return counted


def _loopback() -> int:
    """Bytes that have gone over the loopback interface, of all programs of this machine."""
    try:
        lines = Path("/proc/net/dev").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.strip().startswith("lo:")), 0)


def _measure(size: str, batch: int, processes: int, threads: int, steps: int) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.devices", size, *map(str, (batch, processes, threads, steps))]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "GOMP_SPINCOUNT": "20000"}
    root = Path(__file__).parents[1]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, cwd=root, env=environment)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    values: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return values


def run(quick: bool) -> Result:
    """Every case in every setting, each in processes of its own."""
    cases = (("tiny", 16),) if quick else CASES
    rows: list[tuple[str | int | float, ...]] = []
    headline: dict[str, float] = {}
    for size, batch in cases:
        found = {setting: _measure(size, batch, *setting, steps=3 if quick else 12) for setting in SETTINGS}
        alone, threads, both = (found[setting]["seconds"] for setting in SETTINGS)
        sent = found[2, 1]["bytes"]
        rows.append(
            (size, batch, alone, threads, both, alone / both, threads / both, sent / 1e6, found[2, 1]["wire"] / 1e6)
        )
        headline[f"{size}, batch {batch}: two processes / one process, one thread"] = alone / both
        headline[f"{size}, batch {batch}: two processes / one process, two threads"] = threads / both
        for name, speed in NETWORKS.items():
            headline[f"{size}, batch {batch}: estimated speed-up of 8 machines, {name}"] = _estimate(
                alone, sent, speed, 8
            )
        print(f"devices {size} × {batch}: {alone:.3f} s, {threads:.3f} s, {both:.3f} s", flush=True)
    return Result(
        title="Data-parallel training: seconds per step of one batch",
        columns=(
            *("size", "pairs per batch", "1 process, 1 thread", "1 process, 2 threads", "2 processes, 1 thread each"),
            *("speed-up over 1 thread", "over 2 threads", "MB all-reduced per step", "MB over loopback per step"),
        ),
        rows=tuple(rows),
        headline=headline,
        notes=(
            "1-mono, fp32, random pairs of 12 + 12 symbols; the batch is shared out, not enlarged",
            "all-reduced: bytes of gradients that DDP hands over, counted in a communication hook; loopback: all "
            "traffic of the machine's loopback interface, other programs' too",
            "the estimate takes the compute as perfectly divisible and adds a ring all-reduce, 2(n − 1)/n of the "
            "gradients over the network, not overlapped with the backward pass",
        ),
    )


def _estimate(alone: float, sent: float, speed: float, machines: int) -> float:
    """Speed-up of `machines` with one thread each over one of them."""
    return alone / (alone / machines + 2 * (machines - 1) / machines * sent / speed)


def main(size: str, batch: str, processes: str, threads: str, steps: str) -> None:
    """One setting; the last line of stdout is JSON."""
    import tempfile

    from isotone.training.device import fabric_for, shared_fabric

    with tempfile.NamedTemporaryFile() as file:
        settings = {"size": size, "batch": int(batch), "threads": int(threads), "steps": int(steps), "file": file.name}
        if int(processes) == 1:
            probe(fabric_for("cpu"), **settings)  # type: ignore[arg-type]
        else:
            shared_fabric("cpu", "fp32", devices=int(processes), spawn=True).launch(partial(probe, **settings))
        print(Path(file.name).read_text())


if __name__ == "__main__":
    from bench.devices import main as run_main  # spawned processes import it by this name

    run_main(*sys.argv[1:])
