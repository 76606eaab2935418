"""Where a sweep's test data is, from the sweep's own records; only if it is still the same data."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from isotone.errors import DataError, IsotoneError
from isotone.experiments.cell import ASKED, digest
from isotone.experiments.config import load_sweep
from isotone.experiments.results import Result
from isotone.files import read_json
from isotone.store.layout import holds_model

__all__ = ["find_test"]


def find_test(folder: Path, result: Result) -> tuple[Path | None, str]:
    """The test file of a cell; or None, and why."""
    if not holds_model(folder):
        return None, "the trained model is not in the sweep's folder"
    asked = _asked(folder / ASKED)
    data = asked.get("data")
    known = data.get("test") if isinstance(data, dict) else None
    if known is None:
        return None, f"the sweep's records ({ASKED}) do not say which test data it was"
    why = f"the sweep's records ({ASKED}) do not say where the test data is"
    for path in _candidates(asked, result):
        if not path.is_file():
            why = f"{path}: no such file"
        elif digest(path) != known:
            why = f"{path}: has changed since the sweep"
        else:
            return path, ""
    return None, why


def _candidates(asked: dict[str, Any], result: Result) -> Iterator[Path]:
    """The place that the cell noted down; for cells older than that, the one in the sweep file of its command."""
    files = asked.get("files")
    if isinstance(files, dict) and isinstance(files.get("test"), str):
        yield Path(files["test"])
    with suppress(IsotoneError, OSError, ValueError):
        for word in shlex.split(result.command):
            if word.endswith(".toml"):
                yield from (c.test or c.dev for c in load_sweep(Path(word)).data if c.name == result.data)


def _asked(path: Path) -> dict[str, Any]:
    with suppress(DataError):
        value = read_json(path, error=DataError)
        return value if isinstance(value, dict) else {}
    return {}
