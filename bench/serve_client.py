"""A client that keeps many connections busy: as little work as possible per request, since it shares the machine."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from isotone.results import Prediction

CLOSE = 1e-4
"""Nats: batches of other sizes round otherwise in single precision."""


@dataclass
class Load:
    """What became of the requests."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    """Seconds of each answered request."""
    errors: list[str] = field(default_factory=list)
    """Requests without the right answer."""
    processor: float = 0.0
    """Seconds of processor time that the server took: says more than the throughput on a machine with other work."""
    memory: list[float] = field(default_factory=list)
    """Megabytes that the server occupies, once per second."""

    @property
    def per_second(self) -> float:
        """Requests answered per second."""
        return len(self.latencies) / self.seconds

    def milliseconds(self, share: float) -> float:
        """A percentile of the latency."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def resident(pid: int) -> float:
    """Megabytes of a process in memory."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def processor_seconds(pid: int) -> float:
    """Processor time of a process so far, its own and the system's for it."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def body(prediction: Prediction, options: dict[str, Any]) -> bytes:
    """A request for one word."""
    return json.dumps({"items": [{"source": prediction.source, "tags": list(prediction.tags)}], **options}).encode()


async def put_under_load(
    port: int, expected: Sequence[Prediction], *, connections: int, seconds: float, pid: int, **options: Any
) -> Load:
    """Send one word per request, repeatedly, over `connections` connections; compare every answer with `expected`."""
    load = Load()
    requests = [(_request(body(prediction, options)), prediction) for prediction in expected]
    started, before = perf_counter(), processor_seconds(pid)
    end = started + seconds
    clients = [_client(port, requests, place, end, load) for place in range(connections)]
    watching = asyncio.create_task(_watch_memory(pid, load))
    await asyncio.gather(*clients)
    load.seconds, load.processor = perf_counter() - started, processor_seconds(pid) - before
    watching.cancel()
    return load


async def _client(port: int, requests: Sequence[tuple[bytes, Prediction]], first: int, end: float, load: Load) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    place = first * 17
    try:
        while perf_counter() < end:
            request, expected = requests[place % len(requests)]
            place += 1
            began = perf_counter()
            writer.write(request)
            status, answer = await _response(reader)
            load.latencies.append(perf_counter() - began)
            if trouble := _trouble(status, answer, expected):
                load.errors.append(trouble)
    except (OSError, asyncio.IncompleteReadError) as error:
        load.errors.append(repr(error))
    finally:
        writer.close()


def _request(content: bytes) -> bytes:
    head = "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


async def _response(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
    return int(head.split(b" ", 2)[1]), await reader.readexactly(length)


def _trouble(status: int, answer: bytes, expected: Prediction) -> str | None:
    """What is wrong with an answer; None where it is what the model says offline."""
    if status != 200:
        return f"{status} {answer[:200]!r}"
    (result,) = json.loads(answer)["results"]
    best = result["predictions"][0]
    same = result["source"] == expected.source and best["target"] == expected.target
    if not same or abs(best["logprob"] - expected.logprob) > CLOSE or result["certified"] != expected.certified:
        return f"{result} instead of {expected}"
    return None


async def _watch_memory(pid: int, load: Load) -> None:
    while True:
        load.memory.append(resident(pid))
        await asyncio.sleep(1)
