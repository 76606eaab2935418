"""`isotone serve` under load from a second process: 64 connections, with batching and without; memory over time."""

from __future__ import annotations

import asyncio
import os
import re
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import isotone
from bench.german import german
from bench.report import Result
from bench.serve_client import Load, put_under_load
from bench.trained import trained
from isotone.results import Prediction
from isotone.text.example import Example

SECONDS = float(os.environ.get("BENCH_SERVE_SECONDS", "60"))
"""Of load, for each way to serve."""
CONNECTIONS = 64
SIZE = os.environ.get("BENCH_SERVE_SIZE", "small")
MODEL = os.environ.get("BENCH_SERVE_MODEL")
"""A model folder to serve, such as an exported one; by default one trained on German for this."""
LIST = os.environ.get("BENCH_SERVE_WORDS")
"""A file of sources to ask for, one per line; by default German dev words."""
WORDS = 500
START = 120.0
"""Seconds that a server may take to start."""


@contextmanager
def _serving(folder: Path, *options: str) -> Iterator[tuple[int, int]]:
    """A server of the model; its port and process."""
    command = [sys.executable, "-m", "isotone", "serve", f"model={folder}", "--port", "0", *options]
    log = Path(tempfile.mkdtemp(prefix="isotone-serve-")) / "log"
    with log.open("w") as file:
        process = subprocess.Popen(
            command, stderr=file, env={k: v for k, v in os.environ.items() if k != "ISOTONE_TOKEN"}
        )
    try:
        end = monotonic() + START
        while not (found := re.search(r"http://127\.0\.0\.1:(\d+)", log.read_text())) or not _ready(found[1]):
            if process.poll() is not None or monotonic() > end:
                raise RuntimeError(f"the server did not start: {log.read_text()}")
            sleep(0.2)
        yield int(found[1]), process.pid
    finally:
        process.terminate()
        process.wait(60)


def _ready(port: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def _words() -> list[Example]:
    if LIST is None:
        return german().dev[:WORDS]
    return [Example(line) for line in Path(LIST).read_text(encoding="utf-8").splitlines()[:WORDS]]


def _measure(folder: Path, expected: list[Prediction], options: list[str], *, connections: int, seconds: float) -> Load:
    """Load on a fresh server, after a warm-up that does not count."""
    with _serving(folder, *options) as (port, pid):

        def load(duration: float) -> Load:
            coroutine = put_under_load(port, expected, connections=connections, seconds=duration, pid=pid)
            return asyncio.run(coroutine)

        load(min(3.0, seconds))
        return load(seconds)


def run(quick: bool) -> Result:
    """Requests per second, latency and memory, batched and not."""
    folder = Path(MODEL) if MODEL else trained(german(), SIZE, quick=quick)[0]  # type: ignore[arg-type]
    seconds = 2.0 if quick else SECONDS
    model = isotone.load(folder)
    expected = list(model.predict(_words()[:20] if quick else _words()))
    what = f"{folder.name}: {model!r}" if MODEL else f"0-MONO {SIZE}"
    ways = {
        "batching, 64 connections": ([], CONNECTIONS, seconds),
        "no batching (--max-batch 1), 64 connections": (["--max-batch", "1"], CONNECTIONS, seconds),
        "one connection": ([], 1, min(seconds, 10.0)),
    }
    rows: list[tuple[str | int | float, ...]] = []
    loads: dict[str, Load] = {}
    for name, (options, connections, duration) in ways.items():
        print(f"serve: {name}, {duration:g} s", flush=True)
        load = loads[name] = _measure(folder, expected, options, connections=connections, seconds=duration)
        for error in load.errors[:3]:
            print(f"serve: {error}", flush=True)
        rows.append(
            (
                name,
                len(load.latencies),
                len(load.errors),
                load.per_second,
                load.milliseconds(0.5),
                load.milliseconds(0.99),
                1000 * load.processor / len(load.latencies),
                load.memory[min(5, len(load.memory) - 1)],
                load.memory[-1],
            )
        )
    batched, single, _ = loads.values()
    third = max(1, len(batched.memory) // 3)
    grown = statistics.mean(batched.memory[-third:]) - statistics.mean(batched.memory[third : 2 * third] or [0])
    return Result(
        title=f"isotone serve, {what}, exact decoding, one word per request, {seconds:g} s each",
        columns=(
            "server",
            "requests",
            "errors",
            "requests/s",
            "p50 ms",
            "p99 ms",
            "CPU ms",
            "MB after 5 s",
            "MB at the end",
        ),
        rows=tuple(rows),
        headline={
            "requests/s with batching": batched.per_second,
            "batching × none": batched.per_second / single.per_second,
            "batching × none, requests per second of the server's processor time": (
                len(batched.latencies) / batched.processor / (len(single.latencies) / single.processor)
            ),
            "errors": float(sum(len(load.errors) for load in loads.values())),
            "MB grown from the second to the last third of the load": grown,
        },
        notes=(
            "CPU ms: processor time of the server per request",
            "client and server are two processes on one machine and share its cores",
            "every answer is compared with what the model predicts offline: the same string, certified alike, its "
            "log-probability to 1e-4 nats",
            "BENCH_SERVE_SECONDS, _SIZE, _MODEL and _WORDS change the duration, the model and what is asked",
        ),
    )
