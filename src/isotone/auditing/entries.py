"""The entries of a lexicon with their places in the file, so that a line can be named and changed."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, cast

from isotone.errors import DataError
from isotone.evaluation import task_named
from isotone.text.config import SideChanges, Texts
from isotone.text.example import Example
from isotone.text.inputs import Pairs, natural_texts, pairs_of
from isotone.text.readers import SPACED_TARGET, DataFormat, guess_format
from isotone.text.readers.files import label, open_bytes
from isotone.text.readers.lines import MisfitError
from isotone.text.segment import Segmenter

__all__ = ["Entry", "Lexicon", "Line", "parse_line", "read_lexicon"]

GUESSES = (None, "g2p", "transliteration")
"""Tasks for which the format of a file is guessed, one after the other."""


@dataclass(frozen=True, slots=True)
class Line:
    """Where an entry stands in its file."""

    number: int
    """From 1."""
    start: int
    """The first byte of the line."""
    end: int
    """The first byte after the line and its line end."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One pair of a lexicon."""

    number: int
    """Its place among the entries, from 0."""
    example: Example
    line: Line | None = None
    """None for entries that come from Python, or from a format without lines."""

    @property
    def target(self) -> str:
        """The target as the file spells it."""
        return self.example.target or ""


@dataclass(frozen=True)
class Lexicon:
    """What is audited."""

    name: str
    entries: tuple[Entry, ...]
    task: str
    texts: Texts
    """How sources and targets are cut into symbols."""
    format: DataFormat | None = None
    """None for pairs that come from Python."""
    content: bytes | None = None
    """The file, decompressed; None for pairs that come from Python."""
    left_out: tuple[str, ...] = ()
    """Why lines were left out, with `skip_bad`."""

    @cached_property
    def copies(self) -> bool:
        """Are most of the symbols of sources symbols of targets too, so that targets may be copied in part?"""
        source, target = Segmenter(self.texts.source).split, Segmenter(self.texts.target).split
        known = {symbol for entry in self.entries for symbol in target(entry.target)}
        symbols = [symbol for entry in self.entries for symbol in source(entry.example.source)]
        return task_named(self.task).copies and 2 * sum(symbol in known for symbol in symbols) > len(symbols)


def read_lexicon(
    lexicon: Pairs,
    *,
    format: str | DataFormat | None = None,
    task: str | None = None,
    texts: Texts | SideChanges | None = None,
    skip_bad: bool = False,
) -> Lexicon:
    """A file or pairs as a lexicon; a format and a task that are not named follow from the file's first lines."""
    if task is not None:
        task_named(task)  # an unknown one is refused
    if not isinstance(lexicon, str | Path):
        examples = pairs_of(lexicon, None)
        known = task or ("inflection" if any(example.tags for example in examples) else "g2p")
        entries = tuple(Entry(number, example) for number, example in enumerate(examples))
        _check(entries, "the lexicon")
        return Lexicon("lexicon", entries, known, _texts(natural_texts(examples, None, known), texts))
    chosen = DataFormat(name=format) if isinstance(format, str) else format or _guessed(lexicon, task)
    with open_bytes(lexicon) as stream:
        content = stream.read()
    misfits: list[str] = []
    entries = tuple(_entries(content, chosen, lexicon, misfits if skip_bad else None))
    _check(entries, label(lexicon))
    spaced = chosen.name == "columns" and 2 * sum(" " in entry.target for entry in entries) > len(entries)
    return Lexicon(
        name=label(lexicon),
        entries=entries,
        task=task or ("g2p" if spaced and not chosen.tags else _task(chosen)),
        texts=_texts(SPACED_TARGET if spaced else chosen.format().texts, texts),
        format=chosen,
        content=content,
        left_out=tuple(misfits),
    )


def parse_line(raw: bytes, format: DataFormat) -> Example | None:
    """The one entry of a line of a file; None where it has none, or does not fit."""
    misfits: list[str] = []
    try:
        found = list(format.format().parser(io.BytesIO(raw), True, lambda _, reason: misfits.append(reason)))
    except MisfitError:
        return None
    return found[0] if len(found) == 1 and not misfits else None


class _Counted:
    """A stream that knows the line it has read last: parsers read one line for each example."""

    def __init__(self, content: bytes) -> None:
        self._stream = io.BytesIO(content)
        self.start = self.end = self.number = 0
        self.by_line = True
        """False once a parser has read otherwise than by lines."""
        self._whole = True

    def readline(self, limit: int = -1) -> bytes:
        if self._whole:
            self.start, self.number = self._stream.tell(), self.number + 1
        found = self._stream.readline(limit)
        self.end, self._whole = self._stream.tell(), found.endswith(b"\n")
        return found

    def read(self, size: int = -1) -> bytes:
        self.by_line = False
        return self._stream.read(size)

    def __getattr__(self, name: str) -> Any:
        self.by_line = False
        return getattr(self._stream, name)


def _entries(content: bytes, format: DataFormat, path: str | Path, misfits: list[str] | None) -> Iterable[Entry]:
    name, stream = label(path), _Counted(content)

    def on_misfit(number: int, reason: str) -> None:
        message = f"{name}:{number}: {reason}"
        if misfits is None:
            raise DataError(message)
        misfits.append(message)

    try:
        for number, example in enumerate(format.format().parser(cast(IO[bytes], stream), True, on_misfit)):
            line = Line(stream.number, stream.start, stream.end) if stream.by_line else None
            yield Entry(number, example, line)
    except MisfitError as misfit:
        raise DataError(f"{name}:{misfit.number}: {misfit}") from None


def _guessed(path: str | Path, task: str | None) -> DataFormat:
    """The only format that fits; the last refusal says what to do where none does."""
    tasks = (task,) if task else GUESSES
    for place, guess in enumerate(tasks):
        try:
            return DataFormat(name=guess_format(path, guess))
        except DataError:
            if place == len(tasks) - 1:
                raise
    raise AssertionError("no task to guess for")


def _task(format: DataFormat) -> str:
    """What such a file is usually for."""
    if format.name == "columns":
        return "inflection" if format.tags else "transduction"
    chosen = format.format()
    return "transduction" if "transduction" in chosen.tasks or not chosen.tasks else chosen.tasks[0]


def _texts(own: Texts, given: Texts | SideChanges | None) -> Texts:
    return given.over(own) if isinstance(given, SideChanges) else given or own


def _check(entries: tuple[Entry, ...], name: str) -> None:
    if not entries:
        raise DataError(f"{name}: no entries found")
