"""Programs in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "src"


@pytest.fixture
def program():
    """Start a Python program of this folder, or the code given; it sees the package and the tests' own modules."""
    started = []

    def start(what, *arguments):
        command = [str(TESTS / "faults" / what)] if what.endswith(".py") else ["-c", what]
        environment = {**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{TESTS}", "OMP_NUM_THREADS": "1"}
        process = subprocess.Popen(
            [sys.executable, *command, *map(str, arguments)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
