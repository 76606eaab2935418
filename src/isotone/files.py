"""Writing without half-written files: everything appears under its name complete, or not at all."""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

__all__ = ["atomic_folder", "atomic_text", "write_json"]


@contextmanager
def atomic_text(path: Path) -> Iterator[IO[str]]:
    """A text file that replaces `path` when the block ends well, and leaves it as it was when it does not."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with _full_disk_at(path), os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _as_created(Path(name))
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any) -> None:
    """`value` as readable JSON, atomically."""
    with atomic_text(path) as file:
        json.dump(value, file, ensure_ascii=False, indent=2, allow_nan=False)
        file.write("\n")


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """A folder whose *files* replace those of `path` together when the block ends well.

    The files are written beside the folder first, so a full disk or a crash leaves what was there untouched;
    files of `path` that the block does not write are kept.
    """
    path = path.resolve()  # a link to a folder stays a link
    path.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part"))
    try:
        with _full_disk_at(path):
            yield part
            for file in part.iterdir():
                _as_created(file)
                _synced(file)
            path.mkdir(exist_ok=True)
        for file in sorted(part.iterdir()):
            file.replace(path / file.name)
    finally:
        shutil.rmtree(part, ignore_errors=True)


@contextmanager
def _full_disk_at(path: Path) -> Iterator[None]:
    """A full disk is reported with the name the user knows."""
    try:
        yield
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def _synced(file: Path) -> None:
    with file.open("rb+") as handle:
        os.fsync(handle.fileno())


def _as_created(file: Path) -> None:
    """mkstemp and safetensors make files private; give them the permissions an ordinary new file would have."""
    mask = os.umask(0)
    os.umask(mask)
    file.chmod(0o666 & ~mask)
