"""What a bench found: a table for the terminal, and JSON with the machine it was found on."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from isotone import __version__
from isotone.files import write_json

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, kw_only=True)
class Result:
    """One bench's findings."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float, ...], ...]
    """One value a column; floats are shown with three significant digits and kept in full in the JSON."""
    headline: dict[str, float] = field(default_factory=dict)
    """The numbers to quote, by name."""
    notes: tuple[str, ...] = ()
    """How it was measured, and what the numbers do not say."""
    status: str = "ok"
    """"unavailable" where something it needs is not to be had on this machine; the notes say what."""


def machine() -> dict[str, str | int]:
    """Where the numbers come from."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count() or 1,
        "threads": torch.get_num_threads(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "isotone": __version__,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def show(result: Result) -> None:
    """The table, the headline and the notes, on the terminal."""
    table = Table(*result.columns, title=result.title)
    for place, column in enumerate(table.columns):
        numbers = any(not isinstance(row[place], str) for row in result.rows)
        column.justify = "right" if numbers else "left"
    for row in result.rows:
        table.add_row(*map(cell, row))
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 160
    console.print(table)
    for name, value in result.headline.items():
        console.print(f"{name}: [bold]{cell(value)}[/bold]")
    for note in result.notes:
        console.print(f"· {note}", markup=False)
    console.print(" · ".join(f"{key} {value}" for key, value in machine().items()), style="dim")


def save(name: str, result: Result, *, quick: bool) -> Path:
    """results/NAME.json, atomically; a quick run goes beside it, so that it never replaces a measurement."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}{'.quick' if quick else ''}.json"
    rows: list[dict[str, Any]] = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
    write_json(path, {"bench": name, "quick": quick, "machine": machine(), **asdict(result), "rows": rows})
    return path


def _cpu() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def cell(value: str | int | float) -> str:
    """A value as tables show it."""
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else value
