"""Opens what the user named: a file, a compressed file, or standard input."""

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, cast

from isotone.errors import DataError

__all__ = ["is_stdin", "label", "open_bytes"]

_GZIP = b"\x1f\x8b"  # never the start of UTF-8 text: 0x8b cannot follow 0x1f


def is_stdin(path: str | Path) -> bool:
    """Whether `path` is the `-` that stands for standard input."""
    return str(path) == "-"


def label(path: str | Path) -> str:
    """How messages name `path`."""
    return "<stdin>" if is_stdin(path) else str(path)


@contextmanager
def open_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """The bytes of `path`, decompressed if it is gzip; whatever goes wrong with the file is a DataError."""
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
    if Path(path).is_dir():  # asked first, because systems differ in what opening one says
        raise DataError(f"{path}: is a directory, expected a file")
    return stack.enter_context(Path(path).open("rb"))


def _stdin(stack: ExitStack) -> io.BufferedReader:
    """Standard input, left open behind us and read no further than it has arrived."""
    raw = sys.stdin.buffer
    if isinstance(raw, io.BufferedReader):
        return raw
    wrapped: io.BufferedReader = io.BufferedReader(cast(io.RawIOBase, raw))
    stack.callback(wrapped.detach)  # or collecting the wrapper would close standard input
    return wrapped
