"""A torch model loaded and used before a fork answers in the child, as under gunicorn --preload: it must not hang."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src"
WARNING = "torch's threads do not survive a fork: 1 thread in this process, not 4"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("threads", [1, 3])
def test_children_answer_as_their_parent_does(threads: int) -> None:
    """After os.fork; in a thread of the child; with a model loaded there; with more threads asked for; in a pool."""
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    command = [sys.executable, HERE / "fork_and_ask.py", str(threads)]
    environment["PYTHONPATH"] = str(SOURCE)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["before"] == found["after"] and all(found["before"])
    for how, answers in found["children"].items():
        assert answers == found["before"], how
    assert found["threads"] == threads, "the parent keeps its threads"
    assert WARNING in done.stderr
