"""Seven new users: real commands and real, tiny models, one for each path."""

import logging
import os
import select
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from cli.conftest import COMMAND, ENVIRONMENT, in_process
from journeys import language

QUICK = ["--recipe", "small", "--size", "tiny", "--batch-size", 16, "--device", "cpu", "--set", "rate=0.01"]
"""A model in seconds."""


def told(*arguments, stdin=b""):
    """`isotone …` in this process; its warnings, which pytest would keep, are part of its stderr as in a shell."""
    logger, warnings = logging.getLogger("isotone"), []
    handler = logging.Handler()
    handler.emit = lambda record: warnings.append(f"isotone: {record.levelname}: {record.getMessage()}\n")
    logger.addHandler(handler)
    try:
        done = in_process(*arguments, stdin=stdin)
    finally:
        logger.removeHandler(handler)
    return replace(done, err=done.err + "".join(warnings))


@pytest.fixture(scope="session")
def isotone():
    """`isotone …` in this process."""
    return told


@pytest.fixture(scope="session")
def g2p(tmp_path_factory) -> Path:
    """A folder with train.tsv, test.tsv and the model that most of the users get along with."""
    folder = tmp_path_factory.mktemp("g2p")
    pairs = language.words(500)
    (folder / "train.tsv").write_text(language.lines(pairs[:400]), encoding="utf-8")
    (folder / "test.tsv").write_text(language.lines(pairs[400:]), encoding="utf-8")
    files = ["--train", folder / "train.tsv", "--dev", "0.05", "--out", folder / "model"]
    done = in_process("train", "--task", "g2p", "--model", "1-mono", *files, *QUICK, "--epochs", 6)
    assert done.code == 0, done.err
    (folder / "train.log").write_text(done.err, encoding="utf-8")
    return folder


class Terminal:
    """A command at a real terminal: type, and read what appears."""

    def __init__(self, *arguments):
        import pty

        self._ours, theirs = pty.openpty()
        command = [*COMMAND, *map(str, arguments)]
        environment = {**ENVIRONMENT, "TERM": "dumb", "PYTHONUTF8": "1"}
        self.process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
        os.close(theirs)
        self.shown = ""

    def type(self, text):
        os.write(self._ours, text.encode())

    def until(self, wanted, seconds=120):
        """Read until `wanted` appears after what was read before."""
        start, end = len(self.shown), time.monotonic() + seconds
        raw = b""
        while wanted not in self.shown[start:]:
            ready, _, _ = select.select([self._ours], [], [], max(0, end - time.monotonic()))
            assert ready, f"{wanted!r} did not appear: {self.shown!r}"
            try:
                raw += os.read(self._ours, 4096)
            except OSError:  # the other side is closed
                raise AssertionError(f"{wanted!r} did not appear: {self.shown!r}") from None
            self.shown = self.shown[:start] + raw.decode("utf-8", "ignore").replace("\r\n", "\n")
        return self.shown[start:]

    def end(self):
        """Ctrl-D, and how the command ended."""
        self.type("\x04")
        code = self.process.wait(60)
        os.close(self._ours)
        return code


@pytest.fixture(scope="session")
def terminal():
    """`terminal("predict", …)`; skipped where there are no pseudo-terminals."""
    if sys.platform == "win32":
        pytest.skip("no pseudo-terminals on Windows")
    return Terminal
