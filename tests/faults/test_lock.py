"""Locks between processes."""

import os
import signal

import pytest

from isotone.errors import ConfigError
from isotone.store.lock import file_lock, folder_lock

HOLD = """
import sys
from pathlib import Path
from isotone.store.lock import folder_lock
with folder_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
assert "torch" not in sys.modules
"""

COUNT = """
import sys
from pathlib import Path
from isotone.store import lock
lock.POLL = 0.001
counter = Path(sys.argv[1]) / "counter"
for _ in range(100):
    with lock.file_lock(Path(sys.argv[1]) / "lock"):
        counter.write_text(str(int(counter.read_text()) + 1))
"""


def test_the_second_process_is_refused_at_once(program, tmp_path):
    folder = tmp_path / "deep" / "m"
    first = program(HOLD, folder)
    assert first.stdout.readline() == "held\n"
    with pytest.raises(ConfigError) as caught, folder_lock(folder):
        pytest.fail("two at once")
    assert str(caught.value) == f"{folder}: another training is writing here (process {first.pid})"
    first.stdin.write("\n")
    first.stdin.flush()
    assert first.wait(10) == 0, first.stderr.read()
    assert list(folder.iterdir()) == []
    with folder_lock(folder):
        assert [path.name for path in folder.iterdir()] == [".isotone.lock"]
    assert list(folder.iterdir()) == []


def test_a_killed_process_lets_go(program, tmp_path):
    first = program(HOLD, tmp_path)
    assert first.stdout.readline() == "held\n"
    os.kill(first.pid, signal.SIGKILL)
    first.wait(10)
    assert (tmp_path / ".isotone.lock").read_text() == str(first.pid)
    with folder_lock(tmp_path):
        assert (tmp_path / ".isotone.lock").read_text() == str(os.getpid())
    assert list(tmp_path.iterdir()) == []


def test_within_one_process(tmp_path):
    with folder_lock(tmp_path), pytest.raises(ConfigError, match=f"process {os.getpid()}"), folder_lock(tmp_path):
        pytest.fail("two at once")
    with pytest.raises(KeyError), folder_lock(tmp_path):
        raise KeyError
    assert list(tmp_path.iterdir()) == []


def test_who_waits_gets_it_and_nobody_shares_it(program, tmp_path):
    """The file is removed whenever somebody lets go; a counter shows whether two ever hold the lock together."""
    (tmp_path / "counter").write_text("0")
    processes = [program(COUNT, tmp_path) for _ in range(3)]
    for process in processes:
        assert process.wait(60) == 0, process.stderr.read()
    assert (tmp_path / "counter").read_text() == "300"
    assert [path.name for path in tmp_path.iterdir()] == ["counter"]
    with file_lock(tmp_path / "lock"):
        pass
