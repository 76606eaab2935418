"""A server that is told to stop finishes what it took; a worker that is killed comes back."""

import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from server.running import PATIENCE, SINGLE, serving, wait_until

BUSY = 24
WORK = {"items": [{"source": "abcdefg" * 3}] * 40, "decode": "greedy"}


def in_flight(client):
    lines = client.get("/metrics").text.splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("isotone_requests_in_flight "))


def targets(answer):
    return [result["predictions"][0]["target"] for result in answer["results"]]


@pytest.mark.parametrize("workers", [1, 2])
def test_sigterm_under_load(workers):
    with serving("--workers", workers) as server, server.client() as client, ThreadPoolExecutor(BUSY) as pool:
        expected = client.post("/v1/predict", json=WORK).json()
        asked = [pool.submit(client.post, "/v1/predict", json=WORK) for _ in range(BUSY)]
        wait_until(lambda: in_flight(client) > BUSY / 2)
        taken = in_flight(client) - 1  # one of them is this
        code = server.end()
        ended = [future.exception() or future.result() for future in asked]
        answered = [response for response in ended if not isinstance(response, Exception)]
        assert len(answered) >= taken > 0, ended
        assert all(response.status_code == 200 for response in answered)
        assert all(targets(response.json()) == targets(expected) for response in answered)
        logged = [line for line in server.requests() if line["path"] == "/v1/predict"]
        assert len(logged) == len(answered) + 1, "every request that the server took was answered"
        assert code in (0, -signal.SIGTERM)


def children(process):
    """Processes that the supervisor has started, but for Python's resource tracker."""
    found = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return {int(child) for child in found if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()}


def started(server):
    """The workers that have begun to serve, by the log."""
    return [line for line in list(server.lines) if "Application startup complete" in line]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for the workers in /proc")
def test_a_killed_worker_comes_back():
    with serving("--workers", 2) as server, server.client() as client:
        word = {"items": [{"source": "abc"}]}
        expected = client.post("/v1/predict", json=word).text
        wait_until(lambda: len(started(server)) == 2)
        before = children(server.process.pid)
        assert len(before) == 2
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: len(started(server)) == 3)
        after = children(server.process.pid)
        assert len(after) == 2 and len(after & before) == 1
        for _ in range(10):
            with server.client() as another:  # a new connection, so that both workers get some
                assert another.post("/v1/predict", json=word).text == expected
        with server.client() as another:
            text = another.get("/metrics").text
        assert "isotone_requests_in_flight 1.0" in text, "the dead worker's gauges are gone"
        counts = [line for line in text.splitlines() if line.startswith("isotone_requests_total") and "predict" in line]
        assert [float(line.split()[1]) for line in counts] == [11], "but not what it counted"
        assert 'isotone_model_info{aligner="1-mono",model="toy",task="inflection"} 1.0' in text
        assert server.end() == 0


def test_models_that_cannot_be_loaded_end_all_workers(tmp_path):
    """A worker that starts again and again would hide the reason."""
    shutil.copytree(SINGLE, tmp_path / "damaged")
    weights = tmp_path / "damaged" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4] + b"\xff\xff\xff\xff")  # not a number
    command = [sys.executable, "-m", "isotone", "serve", str(tmp_path / "damaged"), "--port", "0", "--workers", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2 and "model.safetensors" in done.stderr, done.stderr
    assert done.stderr.endswith("isotone: the server could not start; the log says why\n")
