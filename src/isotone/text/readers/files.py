"""Opens what the user named: a file, a compressed file, or standard input."""

import gzip
import io
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, cast

from isotone.errors import DataError

__all__ = ["is_stdin", "is_stream", "label", "open_bytes"]

_GZIP = b"\x1f\x8b"  # never the start of UTF-8 text: 0x8b cannot follow 0x1f


def is_stdin(path: str | Path) -> bool:
    """Whether `path` is the `-` that stands for standard input."""
    return str(path) == "-"


def is_stream(path: str | Path) -> bool:
    """Whether `path` is a named pipe, such as that of `<(command)` in a shell: it can be read only once."""
    try:
        return stat.S_ISFIFO(Path(path).stat().st_mode)
    except OSError:
        return False  # opening it will tell why


def label(path: str | Path) -> str:
    """How messages name `path`."""
    return "<stdin>" if is_stdin(path) else str(path)


@contextmanager
def open_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """The bytes of `path`, decompressed if it is gzip; every problem with the file is a DataError.

    Only regular files, pipes and standard input are read: a device may never end.
    """
    name = label(path)
    try:
        with ExitStack() as stack:
            stream = _stdin(stack) if is_stdin(path) else _file(path, stack)
            if name.endswith(".gz") or stream.peek(2)[:2] == _GZIP:
                yield cast(IO[bytes], stack.enter_context(gzip.GzipFile(fileobj=stream, mode="rb")))
            else:
                yield stream
    except FileNotFoundError:
        raise DataError(f"{name}: no such file") from None
    except PermissionError:
        raise DataError(f"{name}: permission denied") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{name}: damaged gzip file ({error})") from None
    except OSError as error:
        raise DataError(f"{name}: cannot be read ({error.strerror or error})") from None


def _file(path: str | Path, stack: ExitStack) -> io.BufferedReader:
    mode = Path(path).stat().st_mode
    if stat.S_ISDIR(mode):  # checked first, because systems report opening one differently
        raise DataError(f"{path}: is a directory, expected a file")
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
        raise DataError(f"{path}: is a device or socket, expected a file")
    return stack.enter_context(Path(path).open("rb"))


def _stdin(stack: ExitStack) -> io.BufferedReader:
    """Standard input, read as it arrives and not closed afterwards."""
    if sys.stdin is None:  # Python's way of saying that it was closed before the start (`<&-`)
        raise DataError("<stdin>: standard input is closed")
    raw = sys.stdin.buffer
    if isinstance(raw, io.BufferedReader):
        return raw
    wrapped: io.BufferedReader = io.BufferedReader(cast(io.RawIOBase, raw))
    stack.callback(wrapped.detach)  # or collecting the wrapper would close standard input
    return wrapped
