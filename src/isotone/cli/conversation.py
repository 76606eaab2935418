"""`isotone predict MODEL` typed at a terminal: a prompt for each word, and its answer before the next."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isotone.api.data import DataFormat, Example

__all__ = ["is_conversation", "prompted"]

PROMPT = "> "


def is_conversation(source: str) -> bool:
    """Is standard input to be read, and a person typing it?"""
    return source == "-" and sys.stdin is not None and sys.stdin.isatty()


def prompted(format: DataFormat, *, at_end: Callable[[Sequence[str]], None]) -> Iterator[Example]:
    """What is typed, line by line, until Ctrl-D; a line that does not fit is named, and the next one asked for.

    `at_end` is told what was left out, also where Ctrl-C ends it.
    """
    from isotone.api.data import read

    left_out: list[str] = []

    def say(message: str) -> None:
        left_out.append(message)
        sys.stderr.write(f"isotone: {message}\n{PROMPT}")
        sys.stderr.flush()

    sys.stderr.write("isotone: one source per line; Ctrl-D ends\n")
    lines = iter(read("-", format, targets=False, may_be_empty=True, skip_bad=True, on_skip=say))
    try:
        while True:
            sys.stderr.write(PROMPT)
            sys.stderr.flush()
            example = next(lines, None)
            if example is None:
                sys.stderr.write("\n")
                return
            yield example
    finally:
        at_end(left_out)
