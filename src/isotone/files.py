"""Reading and writing files: everything appears under its name complete or not at all, and nothing is read blindly."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO

from isotone.errors import IsotoneError, ModelError

__all__ = [
    "LIMIT",
    "atomic_text",
    "is_leftover",
    "open_regular",
    "parse_json",
    "read_json",
    "replacing",
    "sync_folder",
    "write_json",
]

LIMIT = 4 << 20
"""Bytes of a JSON file. A vocabulary of 300,000 symbols fits; parsing takes at most a second and 200 megabytes."""
BYTES_PER_CONTAINER = 40
"""At least, on average over the limit: a list takes twenty times the memory of the two bytes that spell it."""
DEEPEST = 100
"""Levels of nesting; nothing that Isotone writes has more than ten."""
TOO_DEEP = f"nested more than {DEEPEST} levels deep"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_FULL_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_LEFTOVER = re.compile(r"\.(?P<name>.+)\.[a-z0-9_]{8}\.part")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside `path`, which replaces it when the block ends well and is removed when it does not.

    The content is on the disk before the rename, and the rename before the end of the block, so that a reader, a kill
    or a power cut at any moment finds the old file whole or the new one whole.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    os.close(handle)
    part = Path(name)
    try:
        with _full_disk_at(path):
            yield part
            with part.open("rb+") as file:
                os.fsync(file.fileno())
        _as_created(part)
        part.replace(path)
        sync_folder(path.parent)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def atomic_text(path: Path) -> Iterator[IO[str]]:
    """A text file that replaces `path` when the block ends well, and leaves it as it was when it does not."""
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        yield file


def write_json(path: Path, value: Any) -> None:
    """`value` as readable JSON, atomically."""
    with atomic_text(path) as file:
        json.dump(value, file, ensure_ascii=False, indent=2, allow_nan=False)
        file.write("\n")


def is_leftover(name: str, names: set[str]) -> bool:
    """Is `name` a temporary file that a killed `replacing` of one of `names` left behind?"""
    found = _LEFTOVER.fullmatch(name)
    return found is not None and found["name"] in names


def sync_folder(folder: Path) -> None:
    """Make renames and removals in `folder` durable, where the system can."""
    with suppress(OSError):  # Windows cannot open folders, and some network disks cannot sync them
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def open_regular(path: Path, *, error: type[IsotoneError] = ModelError, missing: str = "no such file") -> BinaryIO:
    """`path` open for reading; anything but a regular file is refused without waiting for it or reading from it."""
    try:
        _check_regular(path.stat(), path, error)
        # Opening a pipe for reading would wait for a writer; O_NONBLOCK makes it return at once.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise error(f"{path}: {missing}") from None
    except (OSError, ValueError) as cause:  # ValueError: a zero byte in the name
        raise error(f"{path}: cannot be read ({getattr(cause, 'strerror', None) or cause})") from cause
    file = os.fdopen(handle, "rb")
    try:
        _check_regular(os.fstat(handle), path, error)  # it may have been replaced since
    except BaseException:
        file.close()
        raise
    return file


def read_json(
    path: Path, *, error: type[IsotoneError] = ModelError, limit: int = LIMIT, missing: str = "no such file"
) -> Any:
    """The value in a JSON file of at most `limit` bytes; `error` says what is wrong with which file."""
    with open_regular(path, error=error, missing=missing) as file:
        try:
            content = file.read(limit + 1)
        except OSError as cause:
            raise error(f"{path}: cannot be read ({cause.strerror})") from cause
    if len(content) > limit:
        raise error(f"{path}: larger than {limit >> 20} MB, which no such file is")
    try:
        return parse_json(content, limit=limit)
    except ValueError as cause:
        raise error(f"{path}: not readable as JSON ({cause})") from cause


def parse_json(content: bytes, *, limit: int = LIMIT) -> Any:
    """The value of JSON text; ValueError where it is damaged, nested too deeply, or has half a Unicode character."""
    if content.count(b"[") + content.count(b"{") > limit // BYTES_PER_CONTAINER:
        raise ValueError("too many lists and objects")
    try:
        text = content.decode("utf-8-sig")
        value = json.loads(text)
    except UnicodeDecodeError:
        raise ValueError("not valid UTF-8") from None
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    _check_depth(value)
    if _SURROGATE.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"half a Unicode character, {error.object[error.start]!r}") from None
    return value


def _check_depth(value: Any) -> None:
    """Deep nesting parses, but then breaks whatever walks through it recursively."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent if isinstance(parent, list) else ())
            if isinstance(child, dict | list)
        ]
        if not level:
            return
    raise ValueError(TOO_DEEP)


def _check_regular(found: os.stat_result, path: Path, error: type[IsotoneError]) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = "a folder" if stat.S_ISDIR(found.st_mode) else "not a regular file"
        raise error(f"{path}: is {kind}, expected a file")


@contextmanager
def _full_disk_at(path: Path) -> Iterator[None]:
    """A full disk is reported with the name the user knows."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL_DISK:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def _as_created(file: Path) -> None:
    """mkstemp and safetensors make files private; give them the permissions an ordinary new file would have."""
    mask = os.umask(0)
    os.umask(mask)
    file.chmod(0o666 & ~mask)
