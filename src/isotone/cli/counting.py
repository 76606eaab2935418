"""A count and the speed on the terminal while items pass."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import TypeVar

from isotone.cli.output import error_console

__all__ = ["counted"]

Item = TypeVar("Item")


def counted(items: Iterable[Item]) -> Iterator[Item]:
    """The items as they pass, with a count and the speed on a terminal's stderr."""
    if not sys.stderr.isatty():  # rich takes a tenth of a second to import
        yield from items
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = [TextColumn("{task.completed:,.0f} words"), TextColumn("{task.fields[speed]:,.0f} words/s")]
    console = error_console()
    bar = Progress(SpinnerColumn(), *columns, TimeElapsedColumn(), console=console, disable=not console.is_terminal)
    with bar as progress:
        task, started = progress.add_task("", total=None, speed=0.0), monotonic()
        for count, item in enumerate(items, 1):
            progress.update(task, completed=count, speed=count / max(1e-3, monotonic() - started))
            yield item
