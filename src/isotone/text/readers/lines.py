"""Lines of UTF-8, one at a time, with their numbers."""

import codecs
from collections.abc import Callable, Iterator
from typing import IO

from isotone.text.example import Example

__all__ = [
    "MAX_LINE",
    "MAX_TEXT",
    "LineParser",
    "MisfitError",
    "OnMisfit",
    "Parser",
    "by_line",
    "numbered_lines",
    "too_long",
]

MAX_LINE = 1_000_000
"""Characters in the longest legal line."""

MAX_TEXT = 20_000
"""Characters in the longest legal source or target: time and memory of a model grow with their product."""

_MAX_SKIPPED = 256 * MAX_LINE
"""Bytes of an overlong line that are skipped before the file is given up: it may have no end, as /dev/zero."""


class MisfitError(Exception):
    """A line that does not fit its format: the reason, without file and line. Not raised outside `readers`.

    With the `number` of a line it ends the file: there is no telling where the next example starts.
    """

    def __init__(self, reason: str, number: int | None = None) -> None:
        super().__init__(reason)
        self.number = number


OnMisfit = Callable[[int, str], None]
"""Called with the line's number and the reason; raises, or returns to leave the line out."""

LineParser = Callable[[str, bool], Example | None]
"""Turns a line into an example; None for a comment. The flag says whether a target is needed. Raises MisfitError."""

Parser = Callable[[IO[bytes], bool, OnMisfit], Iterator[Example]]
"""Turns a stream into examples; the flag says whether targets are needed."""


def by_line(parse: LineParser) -> Parser:
    """The parser of a format with one example per line."""

    def examples(stream: IO[bytes], targets: bool, on_misfit: OnMisfit) -> Iterator[Example]:
        for number, line in numbered_lines(stream, on_misfit):
            try:
                example = parse(line, targets)
            except MisfitError as misfit:
                on_misfit(number, str(misfit))
                continue
            if example is None:
                continue
            if reason := too_long(example):
                on_misfit(number, reason)
            else:
                yield example

    return examples


def too_long(example: Example) -> str | None:
    """Why an example is longer than a model should be given; None if it is not."""
    for name, text in (("source", example.source), ("target", example.target)):
        if text is not None and len(text) > MAX_TEXT:
            return f"{name} of {len(text):,} characters, longer than the limit of {MAX_TEXT:,}"
    return None


def numbered_lines(stream: IO[bytes], on_misfit: OnMisfit) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, without their ends.

    Only \\n and \\r\\n end a line, so other Unicode line separators stay data.
    A line of spaces and tabs is blank.
    """
    limit = 4 * MAX_LINE + len(codecs.BOM_UTF8 + b"\r\n")  # bytes that MAX_LINE characters can take
    number = 0
    while raw := stream.readline(limit):
        number += 1
        if len(raw) == limit and not raw.endswith(b"\n"):
            on_misfit(number, _line_too_long())
            _finish_line(stream, number)
            continue
        raw = raw.removesuffix(b"\n").removesuffix(b"\r")
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        try:
            line = raw.decode()
        except UnicodeDecodeError as error:
            column = len(raw[: error.start].decode()) + 1
            on_misfit(number, f"not valid UTF-8 (byte 0x{raw[error.start]:02x} at column {column})")
            continue
        if len(line) > MAX_LINE:
            on_misfit(number, _line_too_long())
        elif line.strip(" \t"):
            yield number, line


def _line_too_long() -> str:
    return f"line longer than the limit of {MAX_LINE:,} characters"


def _finish_line(stream: IO[bytes], number: int) -> None:
    """Reads past the rest of a line, a little at a time."""
    skipped = 0
    while (rest := stream.readline(1 << 16)) and not rest.endswith(b"\n"):
        skipped += len(rest)
        if skipped > _MAX_SKIPPED:
            raise MisfitError(f"no end of line within {_MAX_SKIPPED // MAX_LINE} MB", number)
