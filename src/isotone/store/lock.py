"""One process at a time: locks of the operating system, which a killed process lets go of by itself."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from isotone.errors import ConfigError
from isotone.store.layout import LOCK

__all__ = ["file_lock", "folder_lock"]

POLL = 0.2
"""Seconds between attempts of a process that waits."""
_FAR = 1 << 30
"""Windows locks bytes, and nobody else may read those: lock one behind the process id, which is for reading."""


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Only one process at a time trains into `folder`, which is made if need be; a second one is a ConfigError."""
    folder.mkdir(parents=True, exist_ok=True)
    with file_lock(folder / LOCK, busy=f"{folder}: another training is writing here"):
        yield


@contextmanager
def file_lock(path: Path, *, busy: str | None = None) -> Iterator[None]:
    """Hold the lock on `path`, a file with the process id that is removed at the end.

    While another process holds it, this one waits; with `busy` it raises a ConfigError with that message at once.
    """
    handle = _acquire(path, busy)
    try:
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        with suppress(OSError):  # Windows cannot remove an open file; then it stays
            path.unlink()
        os.close(handle)


def _acquire(path: Path, busy: str | None) -> int:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            locked = _try_lock(handle)
            # Whoever held the lock before may have removed the file after we opened it. Then the lock is on a file
            # that nobody else will find, and a third process could lock a new one of the same name.
            if locked and _is_at(handle, path):
                return handle
            owner = _owner(handle)
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        if not locked:
            if busy is not None:
                raise ConfigError(f"{busy} (process {owner})" if owner else busy)
            time.sleep(POLL)


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _owner(handle: int) -> str:
    with suppress(OSError):
        os.lseek(handle, 0, os.SEEK_SET)
        return os.read(handle, 20).decode("ascii", "replace").strip()
    return ""


if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
