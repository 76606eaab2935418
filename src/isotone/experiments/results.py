"""Results of a sweep's cells as CSV and JSON; read back to be compared, together with `isotone evaluate --json`."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from isotone.errors import DataError
from isotone.evaluation import measures
from isotone.files import atomic_text, read_json, write_json

__all__ = ["CSV", "JSON", "RESULTS_LIMIT", "Result", "Score", "read_scores", "write_results"]

CSV, JSON = "results.csv", "results.json"
RESULTS_LIMIT = 64 << 20
"""Bytes of results.json; a hundred thousand cells fit."""


class Result(BaseModel):
    """A finished cell."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    data: str
    model: str
    seed: int
    task: str
    n: int
    """Number of test sources."""
    metrics: dict[str, float | None]
    """On the test set; null if infinite."""
    dev: dict[str, float]
    """Dev metrics of the best epoch."""
    best_epoch: int
    epochs: int
    seconds: float
    """Training time with dev evaluations, over all sessions."""
    recipe: str
    command: str
    version: str
    test: str = ""
    """Digest of the file that the metrics are about."""
    right: str = ""
    """1 or 0 for each of its sources, in their order: is the prediction one of the references?"""

    def row(self) -> dict[str, Any]:
        """One row of results.csv."""
        plain = self.model_dump(exclude={"metrics", "dev", "test", "right"})
        start = {name: plain.pop(name) for name in ("data", "model", "seed", "task", "n")}
        return {**start, **self.metrics, **{f"dev_{name}": value for name, value in self.dev.items()}, **plain}


def write_results(folder: Path, results: Sequence[Result]) -> None:
    """results.csv and results.json, each atomically."""
    write_json(folder / JSON, [result.model_dump() for result in results])
    rows = [result.row() for result in results]
    with atomic_text(folder / CSV) as file:
        if rows:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


@dataclass(frozen=True)
class Score:
    """The part of a result that a comparison needs."""

    data: str
    model: str
    metrics: Mapping[str, float]
    n: int | None = None
    """Test sources, where the file says so."""
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """95 % intervals by metric, from `isotone evaluate --json`."""
    test: str = ""
    """Tells the test file from others, where that is known."""
    right: str = ""
    """1 or 0 for each source, where that is known."""


def read_scores(sources: Iterable[str]) -> list[Score]:
    """The scores in results.csv, results.json, sweep folders, and `MODEL/DATA=FILE` for `isotone evaluate --json`.

    Any CSV with the columns `data`, `model` and a metric works, so published figures can be compared too.
    """
    return [score for source in sources for score in _read(source)]


def _read(source: str) -> list[Score]:
    label, equals, file = source.partition("=")
    if equals and not Path(source).exists():
        return [_evaluated(label, Path(file))]
    path = Path(source) / JSON if Path(source).is_dir() else Path(source)
    rows = list(_json_rows(path)) if path.suffix == ".json" else list(_csv_rows(path))
    if not rows:
        raise DataError(f"{path}: contains no results")
    return rows


def _evaluated(label: str, path: Path) -> Score:
    model, slash, data = label.partition("/")
    if not slash or not model or not data:
        raise DataError(f"{label}={path}: expected MODEL/DATA=FILE")
    value = _json(path)
    known = value if isinstance(value, dict) else {}
    metrics = _metrics(known.get("metrics"), str(path))
    return Score(data, model, metrics, _count(known.get("n")), _intervals(known.get("intervals")))


def _json_rows(path: Path) -> Iterator[Score]:
    value = _json(path)
    if isinstance(value, dict):
        raise DataError(f"{path}: not the results of a sweep; for `isotone evaluate --json` write MODEL/DATA=FILE")
    for number, row in enumerate(value if isinstance(value, list) else [value], 1):
        if not isinstance(row, dict) or not {"data", "model", "metrics"} <= row.keys():
            raise DataError(f"{path}: result {number}: expected data, model and metrics")
        metrics = _metrics(row["metrics"], f"{path}: result {number}")
        n = _count(row.get("n"))
        yield Score(
            str(row["data"]), str(row["model"]), metrics, n, test=str(row.get("test", "")), right=_right(row, n)
        )


def _csv_rows(path: Path) -> Iterator[Score]:
    reader = csv.DictReader(_text(path).removeprefix("\ufeff").splitlines())
    columns, names = reader.fieldnames or [], measures()
    if not {"data", "model"} <= set(columns) or not set(columns) & set(names):
        raise DataError(f"{path}: expected the columns data, model and at least one of {', '.join(names)}")
    for row in reader:
        given = {name: row[name] for name in names if row.get(name)}
        yield Score(row["data"], row["model"], _metrics(given, f"{path}:{reader.line_num}"), _count(row.get("n")))


def _metrics(values: Any, place: str) -> dict[str, float]:
    """The known measures among `values`; infinite ones are left out."""
    if not isinstance(values, dict):
        raise DataError(f"{place}: expected metrics")
    known = measures()
    try:
        numbers = {name: float(value) for name, value in values.items() if value is not None and name in known}
    except (TypeError, ValueError) as error:
        raise DataError(f"{place}: {error}") from error
    return {name: value for name, value in numbers.items() if math.isfinite(value)}


def _count(value: Any) -> int | None:
    """A number of test sources; other people's files may have something else in that column."""
    return int(value) if str(value).isascii() and str(value).isdigit() and int(value) > 0 else None


def _right(row: Mapping[str, Any], n: int | None) -> str:
    """Which sources were right, if it is that; empty else."""
    value = row.get("right")
    return value if isinstance(value, str) and set(value) <= {"0", "1"} and len(value) == n else ""


def _intervals(value: Any) -> dict[str, tuple[float, float]]:
    """Those with two numbers; an infinite bound is null and leaves the metric without one."""
    pairs = value.items() if isinstance(value, dict) else ()
    return {
        name: (float(pair[0]), float(pair[1]))
        for name, pair in pairs
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(bound, int | float) for bound in pair)
    }


def _json(path: Path) -> Any:
    return read_json(path, error=DataError, limit=RESULTS_LIMIT)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not valid UTF-8") from error
