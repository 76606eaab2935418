"""Readable copies of what a model's weights carry, for people and other programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from isotone.files import atomic_text

__all__ = ["write_copies"]


def write_copies(folder: Path, copies: Mapping[str, Any]) -> None:
    """Write each file atomically: text as it is, anything else as JSON; None removes a file of an earlier model.

    A file that has the right content already is left alone, as most are when training saves the next epoch.
    """
    for name, value in copies.items():
        path = folder / name
        if value is None:
            with suppress(IsADirectoryError, PermissionError):
                path.unlink(missing_ok=True)
            continue
        text = value if isinstance(value, str) else _readable(value)
        if _content(path) != text.encode():
            with atomic_text(path) as file:
                file.write(text)


def _readable(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() and not path.is_symlink() else None
    except OSError:
        return None
