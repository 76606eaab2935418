"""The output folder of a bulk prediction: finished shards in parts/, joined into files when all of a file's are there.

bulk.json       what was asked, and of which input files; the same again goes on, anything else is refused
parts/F-S       the output of shard S of file F, written whole or not at all
NAME            the output for the input file NAME, once all its shards are done
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from isotone.errors import ConfigError
from isotone.files import atomic_text, is_leftover, read_json, write_json

__all__ = ["InputFile", "Parts", "Shard"]

PLAN, PARTS = "bulk.json", "parts"
VERSION = 1


@dataclass(frozen=True)
class InputFile:
    """A file of sources."""

    path: str
    name: str
    """Of its output, below the output folder."""
    examples: int
    digest: str
    """Tells its content from any other."""


@dataclass(frozen=True)
class Shard:
    """Examples in a row of one file."""

    file: int
    """Place in the list of files."""
    first: int
    """Its first example, counted from 0."""
    count: int


class Parts:
    """What is done and what is left, on disk."""

    def __init__(self, folder: Path, files: Sequence[InputFile], size: int) -> None:
        self._folder, self.files, self._size = folder, files, size

    def begin(self, question: dict[str, Any]) -> None:
        """Make the folder, or go on with what it holds; ConfigError where it belongs to something else."""
        listed = [{key: value for key, value in asdict(file).items() if key != "path"} for file in self.files]
        plan = {"version": VERSION, "question": question, "size": self._size, "files": listed}
        path = self._folder / PLAN
        if path.exists():
            if read_json(path, error=ConfigError) != plan:
                other = "holds another bulk prediction (other model, options or input)"
                raise ConfigError(f"{self._folder}: {other}; choose another folder")
            return
        taken = [file.name for file in self.files if (self._folder / file.name).exists()]
        if taken:
            raise ConfigError(f"{self._folder / taken[0]}: exists already; choose another folder")
        (self._folder / PARTS).mkdir(parents=True, exist_ok=True)
        write_json(path, plan)

    def left(self) -> list[Shard]:
        """Shards that are not done, in the order of the input."""
        return [
            shard
            for place, file in enumerate(self.files)
            if not (self._folder / file.name).exists()
            for shard in self._shards(place)
            if not self._path(shard).exists()
        ]

    def count(self) -> int:
        """Shards altogether."""
        return sum(len(self._shards(place)) for place in range(len(self.files)))

    def write(self, shard: Shard, text: str) -> None:
        """A shard is done."""
        with atomic_text(self._path(shard)) as file:
            file.write(text)

    def join(self, place: int) -> bool:
        """Make a file's output out of its parts, if it has all of them."""
        target, shards = self._folder / self.files[place].name, self._shards(place)
        if target.exists():
            self._remove(shards)  # a run that was killed here may have left some
            return True
        if not all(self._path(shard).exists() for shard in shards):
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_text(target) as file:
            for shard in shards:
                with self._path(shard).open(encoding="utf-8", newline="") as part:
                    while block := part.read(1 << 20):
                        file.write(block)
        self._remove(shards)
        return True

    def end(self) -> None:
        """All files are there: the folder for parts goes, and with it what killed runs have left half-written."""
        names = {self._path(shard).name for place in range(len(self.files)) for shard in self._shards(place)}
        with suppress(OSError):
            for path in (self._folder / PARTS).iterdir():
                if is_leftover(path.name, names):
                    path.unlink()
            (self._folder / PARTS).rmdir()

    def _remove(self, shards: Sequence[Shard]) -> None:
        for shard in shards:
            self._path(shard).unlink(missing_ok=True)

    def _shards(self, place: int) -> list[Shard]:
        total = self.files[place].examples
        return [Shard(place, first, min(self._size, total - first)) for first in range(0, max(1, total), self._size)]

    def _path(self, shard: Shard) -> Path:
        return self._folder / PARTS / f"{shard.file:06}-{shard.first // self._size:08}"
