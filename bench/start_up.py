"""Start-up: how long help texts and refusals take that need no model, from process start to exit."""

from __future__ import annotations

import os
import statistics
import sys
from time import perf_counter

from bench.report import Result
from isotone.cli.main import COMMANDS

REFUSALS = (
    "predict /nonexistent",
    "predict /nonexistent --decode greedy --beam 3",
    "info /nonexistent",
    "train --nonsense",
    "train --task nonsense --train /nonexistent --dev 5% --out /nonexistent/model",
    "compare /nonexistent",
    "sweep /nonexistent",
    "report /nonexistent",
    "evaluate /nonexistent test.tsv",
    "dictionary /nonexistent words.txt",
    "correspondences /nonexistent pairs.tsv",
    "errors /nonexistent test.tsv",
    "export /nonexistent out",
    "demo nonsense",
    "train",
)
LIMIT = 0.5
"""Seconds, on a machine that does nothing else."""


def run(quick: bool) -> Result:
    """One row for each command."""
    commands = ["--version", "--help", *(f"{name} --help" for name in COMMANDS), *REFUSALS]
    commands = commands[:3] if quick else commands
    times: dict[str, list[tuple[float, float]]] = {command: [] for command in commands}
    for _ in range(1 if quick else 7):
        for command in commands:
            times[command].append(_once(command))
    rows = []
    for command, found in times.items():
        walls, processors = zip(*found, strict=True)
        rows.append((f"isotone {command}", statistics.median(walls), min(walls), min(processors)))
    return Result(
        title="Start-up",
        columns=("command", "median s", "fastest s", "least CPU s"),
        rows=tuple(rows),
        headline={"slowest median, s": max(row[1] for row in rows), "slowest CPU, s": max(row[3] for row in rows)},
        notes=(f"seven rounds, command after command; the aim is {LIMIT} s at most on a quiet machine",),
    )


def _once(command: str) -> tuple[float, float]:
    """Seconds by the clock, and of processor time, of one process."""
    started = perf_counter()
    process = os.fork()
    if process == 0:
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        os.execv(sys.executable, [sys.executable, "-m", "isotone", *command.split()])
    _, _, used = os.wait4(process, 0)
    return perf_counter() - started, used.ru_utime + used.ru_stime
