"""Folds in processes of their own, or as Ray tasks; finished ones are kept in a folder and not run again.

Processes are new interpreters, not forks: torch does not survive a fork, and a script without
`if __name__ == "__main__"` can call `isotone.audit` all the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from isotone.auditing.entries import Entry, Lexicon
from isotone.auditing.fold import entries_of, run_fold
from isotone.auditing.judgement import Judgement, read_judgements, write_judgements
from isotone.auditing.settings import Settings, digest
from isotone.errors import ConfigError, IsotoneError
from isotone.files import read_json, write_json
from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.threads import core_count
from isotone.training.log import count_epochs

__all__ = [
    "MISTAKE",
    "Progress",
    "judge",
    "read_job",
    "run_one",
    "start_worker",
    "unfinished",
    "work_folder",
    "write_job",
]

PAUSE = 0.3
"""Seconds between two looks at the workers."""
JOB, MISTAKE = "job.json", "mistake.txt"
LIMIT = 1 << 30
"""Bytes of a job file: all entries of the lexicon."""


@dataclass(frozen=True)
class Progress:
    """How far an audit's models are."""

    done: int
    """Epochs trained, and for each judged fold one more."""
    total: int


OnProgress = Callable[[Progress], None]


@contextmanager
def work_folder(cache: Path | None, lexicon: Lexicon, settings: Settings) -> Iterator[Path]:
    """A folder for this lexicon and these settings alone: in the cache, where it stays, or a temporary one."""
    if cache is None:
        with tempfile.TemporaryDirectory(prefix="isotone-audit-") as temporary:
            yield Path(temporary)
        return
    folder = cache / digest(lexicon, settings)
    folder.mkdir(parents=True, exist_ok=True)
    yield folder


def judge(
    lexicon: Lexicon,
    settings: Settings,
    folder: Path,
    *,
    processes: int | None = None,
    address: str | None = None,
    on_progress: OnProgress = lambda _: None,
) -> dict[int, Judgement]:
    """The judgement of every entry by its number; folds that `folder` has already are not run again."""
    numbers = _numbers(lexicon, settings)
    known = {fold: read_judgements(_file(folder, fold), own) for fold, own in enumerate(numbers)}
    missing = [fold for fold, found in known.items() if found is None]
    if missing:
        write_job(folder, lexicon, settings)
        board = _Board(folder, settings, missing, on_progress)
        if address is not None:
            _on_ray(lexicon, settings, board, address)
        else:
            _in_processes(board, processes or min(len(missing), core_count()))
        for fold in missing:
            known[fold] = read_judgements(_file(folder, fold), numbers[fold])
    found = [judgement for judgements in known.values() for judgement in judgements or ()]
    if len(found) != len(lexicon.entries):
        raise IsotoneError(f"{folder}: a fold left no readable judgements; run the audit again")
    return {judgement.number: judgement for judgement in found}


def unfinished(lexicon: Lexicon, settings: Settings, cache: Path | None) -> int:
    """How many folds are still to be run."""
    if cache is None:
        return settings.folds
    folder = cache / digest(lexicon, settings)
    return sum(
        read_judgements(_file(folder, fold), own) is None for fold, own in enumerate(_numbers(lexicon, settings))
    )


def _numbers(lexicon: Lexicon, settings: Settings) -> list[list[int]]:
    """The entries of each fold."""
    return [[entry.number for entry in entries_of(lexicon, settings, fold)[1]] for fold in range(settings.folds)]


def run_one(folder: Path, fold: int) -> None:
    """What a worker does: judge one fold of the job in `folder`."""
    lexicon, settings = read_job(folder)
    write_judgements(_file(folder, fold), run_fold(lexicon, settings, fold, _training(folder, fold)))
    shutil.rmtree(_training(folder, fold), ignore_errors=True)  # made by this fold, of no use any more


def write_job(folder: Path, lexicon: Lexicon, settings: Settings) -> None:
    """Everything that a worker needs to know."""
    rows = [[e.example.source, e.target, list(e.example.tags)] for e in lexicon.entries]
    texts = lexicon.texts.model_dump(mode="json")
    write_json(folder / JOB, {"task": lexicon.task, "texts": texts, "settings": asdict(settings), "entries": rows})


def read_job(folder: Path) -> tuple[Lexicon, Settings]:
    """The inverse of `write_job`."""
    job = read_json(folder / JOB, error=ConfigError, limit=LIMIT)
    entries = tuple(Entry(n, Example(s, t, tuple(tags))) for n, (s, t, tags) in enumerate(job["entries"]))
    lexicon = Lexicon("lexicon", entries, job["task"], Texts.model_validate(job["texts"]))
    return lexicon, Settings(**job["settings"])


class _Board:
    """Which folds are to be done, and how far they are."""

    def __init__(self, folder: Path, settings: Settings, missing: Sequence[int], on_progress: OnProgress) -> None:
        self.folder, self.missing = folder, list(missing)
        self._epochs, self._total, self._tell = settings.epochs, settings.folds * (settings.epochs + 1), on_progress
        self._before = (settings.folds - len(missing)) * (settings.epochs + 1)
        self.ended: set[int] = set()

    def tell(self) -> None:
        """Look how far the folds are, and say so."""
        going = sum(
            min(count_epochs(_training(self.folder, fold)), self._epochs)
            for fold in self.missing
            if fold not in self.ended
        )
        self._tell(Progress(self._before + len(self.ended) * (self._epochs + 1) + going, self._total))


def _in_processes(board: _Board, count: int) -> None:
    """At most `count` at a time, each with one thread; all are ended when one fails or the user interrupts."""
    waiting, running = list(board.missing), dict[int, subprocess.Popen[bytes]]()
    try:
        while waiting or running:
            while waiting and len(running) < count:
                fold = waiting.pop(0)
                running[fold] = start_worker("judge", board.folder, fold)
            time.sleep(PAUSE)
            for fold, process in list(running.items()):
                if process.poll() is not None:
                    del running[fold]
                    _check(board.folder, fold, process.returncode)
                    board.ended.add(fold)
            board.tell()
    finally:
        for process in running.values():
            process.terminate()
        for process in running.values():
            process.wait()


def start_worker(what: str, folder: Path, fold: int) -> subprocess.Popen[bytes]:
    """A new interpreter with one thread: the processes are what fills the cores."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    asked = f"{what!r}, {str(folder.resolve())!r}, {fold}"
    code = f"from isotone.auditing.worker import work; raise SystemExit(work({asked}))"
    return subprocess.Popen([sys.executable, "-c", code], env=environment, stdin=subprocess.DEVNULL, stdout=2)


def _check(folder: Path, fold: int, code: int) -> None:
    """Raise what a worker failed with."""
    if code == 0:
        return
    message = folder / f"fold-{fold}-{MISTAKE}"
    with suppress(OSError):
        text = message.read_text(encoding="utf-8")
        message.unlink()
        raise IsotoneError(text)
    if code in {-2, 130}:
        raise KeyboardInterrupt
    raise IsotoneError(f"fold {fold + 1}: its process ended with code {code}; finished folds are kept")


def _on_ray(lexicon: Lexicon, settings: Settings, board: _Board, address: str) -> None:
    """One task for each fold. Entries travel with the task and judgements come back: no shared disk is needed."""
    from isotone.experiments.cluster import connected, import_ray

    ray = import_ray("--address")
    with connected(ray, None if address == "local" else address, threads=1):
        task: Any = ray.remote(num_cpus=1, max_retries=3)(_remote)
        job = ray.put((lexicon, settings))
        tasks = {task.remote(job, fold): fold for fold in board.missing}
        while tasks:
            ended, _ = ray.wait(list(tasks), timeout=1.0)
            for reference in ended:
                fold = tasks.pop(reference)
                write_judgements(_file(board.folder, fold), ray.get(reference))
                board.ended.add(fold)
            board.tell()


def _remote(job: tuple[Lexicon, Settings], fold: int) -> list[Judgement]:
    with tempfile.TemporaryDirectory(prefix="isotone-audit-") as temporary:
        return run_fold(*job, fold, Path(temporary) / "model")


def _file(folder: Path, fold: int) -> Path:
    return folder / f"fold-{fold}.jsonl"


def _training(folder: Path, fold: int) -> Path:
    return folder / f"fold-{fold}"
