"""Small files that would take much time or memory, and files that never end: each is refused at once."""

import gzip
import os
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from isotone.errors import DataError
from isotone.text import Example, guess_format, read

NAME = b"<Name><SourceName>a</SourceName><TargetName>b</TargetName></Name>"
MB = 1 << 20


@contextmanager
def cheap(*, seconds: float = 5, memory: int = 30 * MB) -> Iterator[None]:
    """The block takes little time and little memory."""
    tracemalloc.start()
    start = time.monotonic()
    yield
    taken, peak = time.monotonic() - start, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < seconds and peak < memory, f"{taken:.1f} s, {peak / MB:.0f} MB"


def bomb(path: Path, start: bytes, filling: bytes, *, megabytes: int) -> Path:
    """A gzip file of `start` and then many megabytes of `filling`."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(start)
        for _ in range(megabytes):
            file.write(filling * (MB // len(filling)))
    return path


@pytest.mark.parametrize(
    ("start", "filling", "reason"),
    [
        (b'<c x="', b"x", "no complete <Name> within 1 MB"),
        (b"<c><!--", b"x", "no complete <Name> within 1 MB"),
        (b"<c>", b" ", "no complete <Name> within 1 MB"),
        (b"<c><Name><SourceName>", b"x", "no complete <Name> within 1 MB"),
        (b"<c><Name><SourceName>a</SourceName>", b"<TargetName>b</TargetName>", "no complete <Name> within 1 MB"),
        (b"<c ", b'y="" ', "no complete <Name> within 1 MB"),
        (b"", b"<a>", "elements nested more than 64 deep"),
    ],
)
@pytest.mark.parametrize("names", [0, 1000])
def test_xml(start: bytes, filling: bytes, reason: str, names: int, tmp_path: Path) -> None:
    before = b"<n>" + NAME * names if names else b""
    path = bomb(tmp_path / "bomb.xml.gz", before + start, filling, megabytes=40)
    with cheap(), pytest.raises(DataError, match=f"bomb.xml.gz:[0-9]+: {reason}"):
        list(read(path, "news", skip_bad=True))


def test_deep_xml_takes_no_memory_of_expat(tmp_path: Path) -> None:
    """expat's own memory is not Python's, so it is measured from outside."""
    path = bomb(tmp_path / "deep.xml.gz", b"", b"<a>", megabytes=20)
    code = (
        "import resource, sys\n"
        "from isotone.errors import DataError\n"
        "from isotone.text import read\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
        "try: list(read(sys.argv[1], 'news'))\n"
        "except DataError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, timeout=60)
    assert done.stdout.endswith(":1: elements nested more than 64 deep\n"), done.stderr


@pytest.mark.parametrize("skip_bad", [False, True])
def test_a_line_without_end(skip_bad: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isotone.text.readers.lines._MAX_SKIPPED", 20 * MB)
    path = bomb(tmp_path / "bomb.gz", b"a\tb\n", b"x", megabytes=40)
    reason = "no end of line within" if skip_bad else "line longer than the limit"
    with cheap(), pytest.raises(DataError, match=f"bomb.gz:2: {reason}"):
        list(read(path, "pairs", skip_bad=skip_bad))
    with cheap(), pytest.raises(DataError, match=r"bomb\.gz:2: no end of line within 20 MB"):
        guess_format(path, "g2p")


def test_standard_input_without_end() -> None:
    code = (
        "from isotone.errors import DataError\n"
        "from isotone.text import read\n"
        "for skip_bad in (False, True):\n"
        "    try: list(read('-', 'pairs', skip_bad=skip_bad))\n"
        "    except DataError as error: print(error)\n"
    )
    with Path("/dev/zero").open("rb") as zeros:
        done = subprocess.run([sys.executable, "-c", code], stdin=zeros, capture_output=True, text=True, timeout=60)
    assert [line.split(": ")[1][:20] for line in done.stdout.splitlines()] == [
        "line longer than the",
        "no end of line withi",
    ], done.stderr


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_devices_are_not_read(device: str) -> None:
    with cheap(seconds=1):
        for skip_bad in (False, True):
            with pytest.raises(DataError, match=f"^{device}: is a device or socket, expected a file$"):
                list(read(device, "pairs", skip_bad=skip_bad))
        with pytest.raises(DataError, match="is a device or socket"):
            guess_format(device, "g2p")


def test_a_pipe_is_read_but_not_guessed(tmp_path: Path) -> None:
    """A guess would use up the start of `<(command)`, which cannot be read again."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(DataError, match=r"pipe: the format of a pipe is not guessed; name it with --format"):
        guess_format(pipe, "g2p")
    writer = threading.Thread(target=pipe.write_bytes, args=[b"a\tb\n"])
    writer.start()
    assert list(read(pipe, "pairs")) == [Example("a", "b")]
    writer.join()
