"""What a report is about: trained models, each with its test data where that is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from isotone.errors import ConfigError, DataError, first_problem
from isotone.experiments.cell import RESULT
from isotone.experiments.report.testdata import find_test
from isotone.experiments.results import JSON, RESULTS_LIMIT, Result
from isotone.files import read_json
from isotone.store.describe import read_folder
from isotone.store.layout import MIXTURE, WEIGHTS, holds_model

__all__ = ["CELLS", "Run", "find_runs"]

CELLS = "cells"
UNTESTED = "no test data was given (--test FILE)"


@dataclass(frozen=True)
class Run:
    """A trained model in its folder."""

    model: str
    """What the tables call it: a sweep's model, or the folder's name."""
    data: str
    """The data set; empty where there is none."""
    task: str
    folder: Path
    test: Path | None
    why: str = ""
    """Why there is no test data."""
    seed: int | None = None
    metrics: Mapping[str, float | None] | None = field(default=None, hash=False)
    """On all the test data, where the sweep has evaluated it."""
    n: int | None = None
    """Sources that these metrics are about."""

    @property
    def name(self) -> str:
        """For people: zul, 1-mono, seed 2."""
        seed = [] if self.seed is None else [f"seed {self.seed}"]
        return ", ".join([*([self.data] if self.data else []), self.model, *seed])


def find_runs(sources: Sequence[Path], test: Path | None = None) -> list[Run]:
    """The finished cells of sweep folders, and model folders; `test` is the test data of the latter."""
    if test is not None and not test.is_file():
        raise DataError(f"{test}: no such file")
    runs: list[Run] = []
    models: list[Path] = []
    for source in sources:
        if (source / CELLS).is_dir() or (source / JSON).is_file():
            runs += _sweep(source)
        elif holds_model(source):
            models.append(source)
        else:
            found = "no such folder" if not source.exists() else "neither a model folder nor a sweep's"
            raise DataError(f"{source}: {found} (expected {WEIGHTS}, {MIXTURE}, {CELLS}/ or {JSON})")
    if test is not None and not models:
        raise ConfigError("--test: a sweep names its own test data; for some of its cells give their folders")
    names = _names(models)
    return runs + [_model(folder, name, test) for folder, name in zip(models, names, strict=True)]


def _model(folder: Path, name: str, test: Path | None) -> Run:
    """A model folder, which may be a cell of a sweep."""
    if test is None and (folder / RESULT).is_file():
        return _cell(folder, _result(_json(folder / RESULT), str(folder / RESULT)))
    task = read_folder(folder).config.task
    return Run(name, test.name if test else "", task, folder, test, "" if test else UNTESTED)


def _names(folders: Sequence[Path]) -> list[str]:
    """The shortest ends of the folders' paths that tell them apart."""
    parts = [folder.resolve().parts for folder in folders]
    for length in range(1, max(map(len, parts), default=0) + 1):
        names = ["/".join(part[-length:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    if folders:
        raise ConfigError("the same model folder is there twice")
    return []


def _sweep(folder: Path) -> list[Run]:
    """In the order of results.json; without one, as after a crash, in that of the cells' names."""
    path = folder / JSON
    if path.is_file():
        value = _json(path)
        if not isinstance(value, list):
            raise DataError(f"{path}: expected the results of a sweep")
        results = [_result(row, f"{path}: result {number}") for number, row in enumerate(value, 1)]
    else:
        files = sorted((folder / CELLS).glob(f"*/{RESULT}"))
        results = [_result(_json(file), str(file)) for file in files]
    if not results:
        raise DataError(f"{folder}: no cell of this sweep is finished yet")
    return [_cell(folder / CELLS / f"{result.data}-{result.model}-{result.seed}", result) for result in results]


def _cell(folder: Path, result: Result) -> Run:
    test, why = find_test(folder, result)
    return Run(result.model, result.data, result.task, folder, test, why, result.seed, result.metrics, result.n)


def _result(value: Any, place: str) -> Result:
    try:
        return Result.model_validate(value)
    except ValidationError as error:
        raise DataError(f"{place}: {first_problem(error)}") from error


def _json(path: Path) -> Any:
    return read_json(path, error=DataError, limit=RESULTS_LIMIT)
