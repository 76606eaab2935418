"""Where output goes: results to stdout or a file, atomically; messages and tables to stderr or a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from isotone.errors import ConfigError
from isotone.files import atomic_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["error_console", "out_console", "output", "table"]


def error_console() -> Console:
    """Messages and progress."""
    from rich.console import Console  # a tenth of a second, and most commands print no tables

    return Console(stderr=True, highlight=False)


def out_console() -> Console | None:
    """A console on stdout if a person is looking at it; None in a pipe."""
    if not sys.stdout.isatty():
        return None
    from rich.console import Console

    return Console(highlight=False)


@contextmanager
def output(path: str | None) -> Iterator[IO[str]]:
    """stdout, or a file that appears complete or not at all."""
    if path is None or path == "-":
        yield sys.stdout
        sys.stdout.flush()
        return
    target = Path(path).resolve()  # what a link points to is replaced, not the link
    if not target.parent.is_dir():
        raise ConfigError(f"{path}: there is no folder {target.parent}")
    if target.is_dir():
        raise ConfigError(f"{path}: is a folder, expected a file name")
    if target.exists() and not target.is_file():  # /dev/null and pipes are written to, not replaced
        with target.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        return
    with atomic_text(target) as file:
        yield file


def table(title: str, columns: list[str], rows: list[list[str]]) -> Table:
    """A plain table for people."""
    from rich.table import Table

    drawn = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
    for place, name in enumerate(columns):
        drawn.add_column(name, justify="left" if place == 0 else "right")
    for row in rows:
        drawn.add_row(*row)
    return drawn
