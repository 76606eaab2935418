"""A sweep on a cluster of two local Ray nodes (`ray start` twice), one of which is lost while it trains."""

from __future__ import annotations

import csv
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.report import Result

SWEEP = """
name = "cluster"
out = "{out}"
task = "transduction"
recipe = "small"
format = "pairs"
models = ["0-mono", "1-mono"]
seeds = [0, 1]
overrides = {{size = "tiny", epochs = {epochs}}}
[[data]]
name = "toy"
train = "train.tsv"
dev = "dev.tsv"
test = "dev.tsv"
"""
CELLS = 4
"""Two models with two seeds."""
LIMIT = 600.0
ENVIRONMENT = {
    **os.environ,
    **dict.fromkeys(("RAY_USAGE_STATS_ENABLED", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "RAY_worker_niceness"), "0"),
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1",
    "OMP_NUM_THREADS": "1",
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(32),
}
"""The cluster has a token of its own, made here: nobody else's processes can join it, nor ours anybody else's."""


def _data(folder: Path) -> None:
    generator = random.Random(0)
    for name, count in (("train", 120), ("dev", 20)):
        words = ["".join(generator.choices("abcdef", k=generator.randint(2, 6))) for _ in range(count)]
        (folder / f"{name}.tsv").write_text("".join(f"{word}\t{word.replace('a', 'ee')}\n" for word in words))


def _family(pid: int) -> list[int]:
    """A process and all its descendants."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    found = []
    for process in parents:
        ancestor = process
        while ancestor in parents and ancestor != pid:
            ancestor = parents[ancestor]
        if ancestor == pid:
            found.append(process)
    return found


def _kill(node: subprocess.Popen[bytes]) -> None:
    """A node goes as a machine goes: all its processes at once."""
    for process in _family(node.pid):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    node.wait()


@contextmanager
def _node(*options: str) -> Iterator[subprocess.Popen[bytes]]:
    ray = str(Path(sys.executable).with_name("ray"))
    command = [ray, "start", "--block", "--num-cpus=1", "--object-store-memory=100000000", *options]
    node = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield node
    finally:
        _kill(node)


def _wait(condition: Any, what: str, seconds: float = LIMIT) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"waited too long for {what}")
        time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "results.csv").open(encoding="utf-8") as file:
        return [{k: v for k, v in row.items() if k not in {"seconds", "command"}} for row in csv.DictReader(file)]


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def run(quick: bool) -> Result:
    """The sweep on two nodes with one lost, and each of its cells in this process: the same table."""
    from isotone.experiments.cell import cells_of, run_cell
    from isotone.experiments.config import load_sweep
    from isotone.experiments.results import write_results

    with TemporaryDirectory(prefix="isotone-cluster-") as name:
        home = Path(name)
        _data(home)
        for out in ("cluster", "quiet"):
            (home / f"{out}.toml").write_text(SWEEP.format(out=out, epochs=4 if quick else 12))
        quiet = load_sweep(home / "quiet.toml")
        write_results(quiet.out, [run_cell(cell) for cell in cells_of(quiet, "")])
        port = _free_port()
        head = (f"--port={port}", "--head", "--include-dashboard=false", "--node-ip-address=127.0.0.1")
        with _node(*head), _node_when(port) as lost:
            command = [sys.executable, "-m", "isotone", "sweep", str(home / "cluster.toml")]
            sweep = subprocess.Popen([*command, "--address", f"127.0.0.1:{port}"], env=ENVIRONMENT)
            logs = home / "cluster" / "cells"
            _wait(lambda: sweep.poll() is not None or len(list(logs.glob("*/train.log.csv"))) >= 2, "two cells")
            working = sum(b"run_cell" in _title(process) for process in _family(lost.pid))
            _kill(lost)
            code = sweep.wait(timeout=LIMIT)
        same = code == 0 and _rows(home / "cluster") == _rows(home / "quiet")
    return Result(
        title="A sweep that loses one of two Ray nodes",
        columns=("cells", "cells running on the lost node", "exit code", "same table as without a cluster"),
        rows=((CELLS, working, code, "yes" if same else "no"),),
        headline={"same table": float(same)},
    )


@contextmanager
def _node_when(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A second node, once the first one listens."""
    _wait(lambda: _listens(port), "the head node", 120)
    time.sleep(5)
    with _node(f"--address=127.0.0.1:{port}") as node:
        time.sleep(15)  # until it has joined
        yield node


def _title(process: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""
