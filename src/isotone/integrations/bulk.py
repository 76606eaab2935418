"""Files of any number and size, predicted on Ray Data: sharded, restartable, one answer per line and in order.

The input is read once here, to check and count it. Each actor keeps its model loaded and reads its shards' examples
from the file itself, so on a cluster the files must lie where all machines see them. Answers come back here, and this
process alone writes.
"""

from __future__ import annotations

import glob
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

from isotone.decoding.predict import BLOCK
from isotone.errors import ConfigError, DataError, IsotoneError
from isotone.experiments.cluster import connect, import_ray
from isotone.integrations.answers import Answers, Question
from isotone.integrations.parts import InputFile, Parts, Shard
from isotone.store.layout import LOCK
from isotone.store.lock import file_lock
from isotone.text.example import Example

__all__ = ["SHARD", "BulkProgress", "find_files", "run_bulk"]

SHARD = 4 * BLOCK
"""Examples per shard: whole blocks, so that a shard's batches are those of a single process, to the last bit."""


@dataclass(frozen=True)
class BulkProgress:
    """Where a bulk prediction stands."""

    files: int
    lines: int
    """Input lines of all files."""
    shards: int
    done: int
    """Shards finished, now and before."""


def find_files(pattern: str) -> list[Path]:
    """The files that a pattern such as in/*.txt (** for folders within folders) names, in order."""
    found = sorted(Path(name) for name in glob.glob(pattern, recursive=True))  # noqa: PTH207  absolute patterns too
    files = [path for path in found if path.is_file()]
    if not files:
        raise DataError(f"{pattern}: no such file")
    return files


def run_bulk(
    question: Question,
    paths: Sequence[Path],
    out: Path,
    *,
    address: str | None = None,
    actors: int | None = None,
    size: int = SHARD,
    on_left_out: Callable[[str], None] = lambda _: None,
) -> Iterator[BulkProgress]:
    """Predict what is not done yet; tells where it stands after each shard.

    `actors` copies of the model work at a time, each with one core; as many as there are cores unless given.
    """
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # Ray Data's own actors make Ray warn about them
    ray = import_ray("--ray", extra="ray")
    data = import_ray("--ray", extra="ray", module="ray.data")
    files = [_examined(question, path, name, on_left_out) for path, name in zip(paths, _names(paths), strict=True)]
    if clash := {str((out / file.name).resolve()) for file in files} & {str(path.resolve()) for path in paths}:
        raise ConfigError(f"{min(clash)}: is an input file; choose another output folder")
    out.mkdir(parents=True, exist_ok=True)
    with file_lock(out / LOCK, busy=f"{out}: another bulk prediction is writing here"):
        parts = Parts(out, files, size)
        parts.begin(question.to_json())
        yield from _run(ray, data, question, parts, address=address, actors=actors)


def _run(
    ray: Any, data: Any, question: Question, parts: Parts, *, address: str | None, actors: int | None
) -> Iterator[BulkProgress]:
    files = parts.files
    left, lines = parts.left(), sum(file.examples for file in files)
    done = parts.count() - len(left)
    yield BulkProgress(len(files), lines, parts.count(), done)
    for place in range(len(files)):
        parts.join(place)
    if left:
        for shard, text in _predicted(ray, data, question, files, left, address=address, actors=actors):
            parts.write(shard, text)
            parts.join(shard.file)
            done += 1
            yield BulkProgress(len(files), lines, parts.count(), done)
    parts.end()


def _predicted(
    ray: Any,
    data: Any,
    question: Question,
    files: Sequence[InputFile],
    shards: Sequence[Shard],
    *,
    address: str | None,
    actors: int | None,
) -> Iterator[tuple[Shard, str]]:
    """Shards and their output lines, in any order; Ray Data does a killed actor's shards again."""
    connect(ray, address, cores=actors or 1)
    try:
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        context = data.DataContext.get_current()
        context.enable_progress_bars = context.print_on_execution_start = False
        count = min(len(shards), actors or int(ray.cluster_resources().get("CPU", 1)))
        rows = data.from_items([asdict(shard) for shard in shards], override_num_blocks=len(shards))
        answered = rows.map_batches(
            _Worker,
            batch_size=1,
            compute=data.ActorPoolStrategy(size=max(1, count), max_tasks_in_flight_per_actor=2),
            num_cpus=1,
            fn_constructor_args=[question, [os.path.abspath(file.path) for file in files]],  # noqa: PTH100
        )
        for row in answered.iter_rows():
            yield Shard(int(row["file"]), int(row["first"]), int(row["count"])), str(row["text"])
    except ray.exceptions.RayError as error:
        raise _ours(error) from error
    finally:
        ray.shutdown()


def _ours(error: BaseException) -> BaseException:
    """The error of ours within Ray's, if there is one."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, IsotoneError):
            return cause
        cause = getattr(cause, "cause", None) or cause.__cause__
    return error


class _Worker:
    """In an actor: the model, and a reader that goes on where the last shard ended."""

    def __init__(self, question: Question, paths: list[str]) -> None:
        self._question, self._paths = question, paths
        self._answers = Answers(question)
        self._place, self._next = -1, 0
        self._reader: Iterator[Example] = iter(())

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        shards = [Shard(*map(int, row)) for row in zip(batch["file"], batch["first"], batch["count"], strict=True)]
        return {**batch, "text": ["".join(self._answers.lines(self._examples(shard))) for shard in shards]}

    def _examples(self, shard: Shard) -> Iterator[Example]:
        if self._place != shard.file or self._next > shard.first:
            self._reader, self._place, self._next = iter(self._question.read(self._paths[shard.file])), shard.file, 0
        found = list(islice(self._reader, shard.first - self._next, shard.first - self._next + shard.count))
        self._next = shard.first + shard.count
        if len(found) != shard.count:
            raise DataError(f"{self._paths[shard.file]}: has changed since it was counted")
        return iter(found)


def _examined(question: Question, path: Path, name: str, on_left_out: Callable[[str], None]) -> InputFile:
    """Read a file once: every mistake in it is found before the first prediction."""
    digest, count = blake2b(digest_size=16), 0
    reading = question.read(path)
    for example in reading:
        digest.update(repr((example.source, example.tags)).encode("utf-8", "surrogatepass"))
        count += 1
    if reading.left_out:
        on_left_out(reading.left_out)
    return InputFile(str(path), name, count, digest.hexdigest())


def _names(paths: Sequence[Path]) -> list[str]:
    """Names for the outputs: as below the folder that all inputs share, without .gz."""
    home = Path(os.path.commonpath([path.resolve().parent for path in paths]))
    names = [path.resolve().relative_to(home).as_posix().removesuffix(".gz") for path in paths]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ConfigError(f"{paths[place]}: another input file has the same name but for .gz")
        if Path(name).parts[0] in {"parts", "bulk.json"}:
            raise ConfigError(f"{paths[place]}: its output would be called {name}, a name of ours; rename it")
    return names
