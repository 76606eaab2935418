"""Servers as processes of their own, on free loopback ports, and what clients of them need."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx

FOLDERS = Path(__file__).parents[1] / "store" / "folders"
SINGLE, MIXTURE = FOLDERS / "single", FOLDERS / "mixture"
"""Tiny models of the toy language (tests/toy.py), with the tags N, SG and PL."""
TOKEN = "a-token-for-tests"
PATIENCE = 90
"""Seconds until something that should happen soon counts as a hang: machines may be busy."""


class Server:
    """A running `isotone serve`."""

    def __init__(self, process):
        self.process = process
        self.lines = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        wait_until(lambda: self.url or process.poll() is not None)
        assert self.url, self.lines

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line)

    @property
    def url(self):
        found = [re.search(r" at (http://\S+)", line) for line in list(self.lines)]
        return next((match[1] for match in found if match), None)

    @property
    def address(self):
        host, _, port = self.url.removeprefix("http://").rpartition(":")
        return host, int(port)

    def client(self, **more):
        """Of this server, with the token."""
        headers = {"Authorization": f"Bearer {TOKEN}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=PATIENCE, trust_env=False, **more)

    def wait_until_ready(self):
        def ready():
            assert self.process.poll() is None, self.lines
            try:
                return httpx.get(f"{self.url}/readyz", timeout=PATIENCE, trust_env=False).status_code == 200
            except httpx.TransportError:
                return False

        wait_until(ready)

    def requests(self):
        """The access log so far."""
        return [line for line in map(json.loads, filter(_is_json, list(self.lines))) if "status" in line]

    def end(self):
        """Stop it; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        self._reader.join(PATIENCE)
        return code


def _is_json(line):
    return line.startswith("{")


def run_async(coroutine):
    """asyncio.run in a thread of its own: playwright keeps a loop running in the thread of the tests."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def wait_until(happened, seconds=PATIENCE):
    """Until `happened()` is true, which fails the test if it takes too long."""
    end = time.monotonic() + seconds
    while not (found := happened()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
    return found


@contextmanager
def serving(*arguments):
    """`isotone serve` with a token, until the end of the block."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "ISOTONE_TOKEN": TOKEN, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "isotone", "serve", f"toy={SINGLE}", f"mix={MIXTURE}", "--port", "0"]
    process = subprocess.Popen(
        [*command, *map(str, arguments)], stderr=subprocess.PIPE, text=True, encoding="utf-8", env=environment
    )
    server = None
    try:
        server = Server(process)
        server.wait_until_ready()
        yield server
    finally:
        server.end() if server else process.kill()
        process.stderr.close()
