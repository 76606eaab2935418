"""Lines of UTF-8, one at a time, with their numbers."""

import codecs
from collections.abc import Callable, Iterator
from typing import IO

from isotone.text.example import Example

__all__ = ["MAX_LINE", "LineParser", "MisfitError", "OnMisfit", "Parser", "by_line", "numbered_lines"]

MAX_LINE = 1_000_000
"""Characters in the longest legal line."""


class MisfitError(Exception):
    """A line that does not fit its format: the reason, without file and line. Never leaves `readers`."""

    def __init__(self, reason: str, number: int | None = None) -> None:
        super().__init__(reason)
        self.number = number


OnMisfit = Callable[[int, str], None]
"""Told the line's number and the reason; raises, or returns to have the line left out."""

LineParser = Callable[[str, bool], Example | None]
"""One line, and whether it must hold a target, to an example; None for a comment, or a MisfitError."""

Parser = Callable[[IO[bytes], bool, OnMisfit], Iterator[Example]]
"""A whole stream to its examples."""


def by_line(parse: LineParser) -> Parser:
    """The parser of a format in which each line stands for itself."""

    def examples(stream: IO[bytes], targets: bool, on_misfit: OnMisfit) -> Iterator[Example]:
        for number, line in numbered_lines(stream, on_misfit):
            try:
                example = parse(line, targets)
            except MisfitError as misfit:
                on_misfit(number, str(misfit))
                continue
            if example is not None:
                yield example

    return examples


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
            on_misfit(number, _too_long())
            _finish_line(stream)
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
            on_misfit(number, _too_long())
        elif line.strip(" \t"):
            yield number, line


def _too_long() -> str:
    return f"line longer than the limit of {MAX_LINE:,} characters"


def _finish_line(stream: IO[bytes]) -> None:
    """Reads past the rest of a line, holding little of it at a time."""
    while (rest := stream.readline(1 << 16)) and not rest.endswith(b"\n"):
        pass
