"""One cell of a sweep: train, evaluate, write the result last. Safe to kill at any moment and to run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from isotone import __version__
from isotone.api import load
from isotone.api.training import plan_job, run_job
from isotone.errors import ConfigError, DataError
from isotone.experiments.config import DataSet, Sweep, Variant
from isotone.experiments.results import Result
from isotone.files import read_json, write_json
from isotone.store.layout import LOG
from isotone.store.lock import file_lock
from isotone.text.example import Example
from isotone.text.readers import read
from isotone.training.job import begun_run
from isotone.training.log import count_epochs, read_log
from isotone.training.request import Request

if TYPE_CHECKING:
    from isotone.api import Transducer

__all__ = ["Cell", "cells_of", "check_cell", "digest", "epochs_done", "finished", "run_cell"]

RESULT, ASKED, LOCK = "result.json", "cell.json", "running"


@dataclass(frozen=True)
class Cell:
    """A model, a data set, a seed, and the folder it all goes to."""

    sweep: Sweep
    corpus: DataSet
    model: str
    seed: int
    digests: Mapping[str, str]
    """Of the train, dev and test files: results of other data are not kept."""
    command: str
    variant: Variant | None = None

    @property
    def label(self) -> str:
        """What tables call the model."""
        return self.model + (f"+{self.variant.name}" if self.variant else "")

    @property
    def name(self) -> str:
        """The folder's name."""
        return f"{self.corpus.name}-{self.label}-{self.seed}"

    @property
    def folder(self) -> Path:
        """Where it trains."""
        return self.sweep.out / "cells" / self.name

    def depends_on(self) -> dict[str, Any]:
        """Everything that the result depends on."""
        sweep = self.sweep
        return {
            "data": dict(self.digests),
            "model": self.model,
            "seed": self.seed,
            "task": sweep.task,
            "recipe": sweep.recipe_of(self.variant),
            "format": sweep.format_of(self.corpus).model_dump(mode="json"),
            "text": (self.corpus.text or sweep.text).model_dump(mode="json"),
            "skip_bad": sweep.skip_bad,
        }

    def read(self, role: str) -> list[Example]:
        """The pairs of its "train", "dev" or "test" file."""
        format = self.sweep.format_of(self.corpus).format()
        return list(read(getattr(self.corpus, role), format, skip_bad=self.sweep.skip_bad))

    def files(self) -> dict[str, str]:
        """Where the data is, to find it again; the result does not depend on it, so it may move."""
        return {role: str(path) for role, path in self.corpus.files().items()}


def cells_of(sweep: Sweep, command: str) -> list[Cell]:
    """All cells, seed by seed, so that a first whole table comes early; every data file is read once here."""
    digests = {corpus.name: _digests(corpus) for corpus in sweep.data}
    return [
        Cell(sweep, corpus, model, seed, digests[corpus.name], command, variant)
        for seed in sweep.seeds
        for corpus in sweep.data
        for model in sweep.models
        for variant in sweep.variants or (None,)
    ]


def check_cell(cell: Cell) -> None:
    """Refuse a folder that holds a cell with other settings or other training data.

    The test pairs may be others, or come later, when a search on dev pairs is over: they change the result alone. What
    counts of the recipe is what it comes to: "auto" may have been another one in an older version, and settings may be
    written in another way.
    """
    if (before := _asked(cell)) is None:
        return
    now, files = cell.depends_on(), before.get("data")
    same_data = isinstance(files, dict) and all(files.get(role) == cell.digests[role] for role in ("train", "dev"))
    changed = [key for key in now if (not same_data if key == "data" else before.get(key) != now[key])]
    difference = f"another {changed[0]}" if changed else None
    if changed in ([], ["recipe"]) and (run := begun_run(cell.folder)) is not None:
        difference = _difference(run[0], cell)
    if difference:
        raise ConfigError(f"{cell.folder}: was run with {difference}; remove it or choose another out folder")


def finished(cell: Cell) -> Result | None:
    """The result, if the cell has one for these pairs."""
    path = cell.folder / RESULT
    before = _asked(cell)
    if before is None or before.get("data") != cell.depends_on()["data"]:
        return None
    try:
        return Result.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise ConfigError(f"{path}: damaged; remove it to evaluate again") from error


def epochs_done(cell: Cell) -> int:
    """How far its training is, over all networks that it trains."""
    return sum(map(count_epochs, _trainings(cell.folder)))


def run_cell(cell: Cell) -> Result:
    """Train, going on from a saved state if there is one, and evaluate; a finished cell is left alone.

    It is evaluated on its test pairs, on its dev pairs where it has none; if it was trained with `paradigm`, with the
    training pairs as known forms.
    """
    cell.folder.mkdir(parents=True, exist_ok=True)
    with file_lock(cell.folder / LOCK):  # who comes second waits
        check_cell(cell)
        if (known := finished(cell)) is not None:
            return known
        role = "test" if cell.corpus.test else "dev"
        test = cell.read(role)  # before training, in case there is something wrong with it
        (cell.folder / RESULT).unlink(missing_ok=True)  # it would be of other pairs
        write_json(cell.folder / ASKED, cell.depends_on() | {"files": cell.files()})
        transducer = _trained(cell)
        metrics = transducer.metrics
        if metrics is None:
            raise ConfigError(f"{cell.folder}: its model does not say how it was trained")
        if transducer.config.paradigm:
            transducer = transducer.with_known(cell.read("train"))
        evaluated = transducer.evaluate(test, bootstrap=0)
        report = evaluated.to_json()
        result = Result(
            data=cell.corpus.name,
            model=cell.label,
            seed=cell.seed,
            task=cell.sweep.task,
            n=report["n"],
            metrics=report["metrics"],
            dev={name: value for name, value in metrics.dev.items() if value is not None},
            best_epoch=metrics.best_epoch or 0,
            epochs=metrics.epochs or 0,
            seconds=round(sum(epoch.seconds for log in map(read_log, _trainings(cell.folder)) for epoch in log), 2),
            recipe=metrics.recipe["name"],
            command=cell.command,
            version=__version__,
            test=cell.digests[role],
            right="".join(str(int(item.right)) for item in evaluated.items),
        )
        write_json(cell.folder / RESULT, result.model_dump())
        return result


def _difference(run: Request, cell: Cell) -> str | None:
    """Where a run is not what the cell would train today; the name of a recipe makes no difference."""
    asked = cell.sweep.asked(cell.corpus, cell.model, cell.seed, cell.variant)
    wanted = Request.of(asked, data=run.data, texts=run.text)
    contradiction = run.contradiction(wanted, besides=("recipe.name",))
    return f"other settings: its {contradiction}" if contradiction else None


def _asked(cell: Cell) -> dict[str, Any] | None:
    """What the cell was asked for when it was last run; None if it never was."""
    path = cell.folder / ASKED
    if not path.exists():
        return None
    try:
        before = read_json(path, error=ConfigError)
    except ConfigError as error:
        raise ConfigError(f"{error}; remove the folder to start again") from error
    return before if isinstance(before, dict) else {}


def _trained(cell: Cell) -> Transducer:
    """The cell's model: trained here, going on where an earlier attempt stopped, or finished before."""
    job = plan_job(
        cell.sweep.asked(cell.corpus, cell.model, cell.seed, cell.variant),
        cell.folder,
        train=cell.corpus.train,
        dev=cell.corpus.dev,
        format=cell.sweep.format_of(cell.corpus),
        skip_bad=cell.sweep.skip_bad,
        mode="resume",
        besides=(RESULT, ASKED, LOCK),
    )
    outcome = run_job(job)
    if outcome is not None and not outcome.finished:
        raise KeyboardInterrupt
    return load(cell.folder)


def _trainings(folder: Path) -> list[Path]:
    """The folders of all networks trained in a cell: its own, or those of a mixture's members."""
    return [path.parent for path in sorted(folder.rglob(LOG))]


def _digests(corpus: DataSet) -> dict[str, str]:
    for role, path in corpus.files().items():
        if not path.is_file():
            raise DataError(f"{path}: no such file (the {role} data of {corpus.name})")
    return {role: digest(path) for role, path in corpus.files().items()}


def digest(path: Path) -> str:
    """What tells a data file from any other, wherever it lies."""
    return blake2b(path.read_bytes(), digest_size=16).hexdigest()
