"""Runs the cells of a sweep as Ray tasks, on this machine or on a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from isotone.evaluation import task_named
from isotone.experiments.cell import Cell, cells_of, check_cell, epochs_done, finished, run_cell
from isotone.experiments.cluster import connect, import_ray
from isotone.experiments.config import Sweep
from isotone.experiments.results import Result, write_results

__all__ = ["Progress", "run_sweep", "selection_metric"]

RETRIES = 5
"""How often a cell is run again because its worker was lost; it goes on from its saved state."""
PAUSE = 1.0
"""Seconds between two looks at the cells."""


@dataclass(frozen=True)
class Progress:
    """Where a sweep stands."""

    cells: tuple[Cell, ...]
    results: Mapping[str, Result]
    """By cell name."""
    running: Mapping[str, int]
    """Epochs done, by cell name; waiting for a core counts as running."""
    failed: Mapping[str, BaseException]
    """Why, by cell name."""
    news: tuple[str, ...]
    """Cells that have ended since the last look."""


def selection_metric(sweep: Sweep) -> str:
    """The metric that picks a cell's best epoch, and that a table of the sweep shows."""
    return task_named(sweep.task).selection


def run_sweep(sweep: Sweep, *, command: str, address: str | None = None) -> Iterator[Progress]:
    """Run what is not finished yet; tells where it stands about once a second, and after each cell.

    Results so far are in the sweep's folder all the time. A cell that fails does not stop the others.
    """
    cells = cells_of(sweep, command)
    for cell in cells:
        check_cell(cell)
    board = _Board(sweep, cells)
    ray = import_ray("a sweep", extra="sweep") if board.waiting else None
    sweep.out.mkdir(parents=True, exist_ok=True)
    board.write()
    yield board.progress(())
    if ray is not None:
        yield from _run(ray, board, address)


class _Board:
    """What is known of every cell."""

    def __init__(self, sweep: Sweep, cells: list[Cell]) -> None:
        self.sweep, self.cells = sweep, cells
        self.results = {cell.name: result for cell in cells if (result := finished(cell)) is not None}
        self.waiting = [cell for cell in cells if cell.name not in self.results]
        self.tasks: dict[Any, Cell] = {}
        self.failed: dict[str, BaseException] = {}

    def write(self) -> None:
        """results.csv and results.json, in the order of the cells."""
        done = [self.results[cell.name] for cell in self.cells if cell.name in self.results]
        write_results(self.sweep.out, done)

    def progress(self, news: tuple[str, ...]) -> Progress:
        """A picture that does not change any more."""
        running = {cell.name: epochs_done(cell) for cell in self.tasks.values()}
        return Progress(
            tuple(self.cells),
            MappingProxyType(dict(self.results)),
            MappingProxyType(running),
            MappingProxyType(dict(self.failed)),
            news,
        )


def _run(ray: Any, board: _Board, address: str | None) -> Iterator[Progress]:
    """Hand out cells until none is left."""
    sweep = board.sweep
    connect(ray, address, cores=sweep.threads)
    try:
        task = ray.remote(num_cpus=sweep.threads, num_gpus=sweep.gpus, max_retries=RETRIES)(run_cell)
        while board.waiting or board.tasks:
            while board.waiting and len(board.tasks) < (sweep.parallel or len(board.cells)):
                cell = board.waiting.pop(0)
                board.tasks[task.remote(cell)] = cell
            ended, _ = ray.wait(list(board.tasks), timeout=PAUSE)
            news = tuple(_collect(ray, board, reference) for reference in ended)
            if news:
                board.write()
            yield board.progress(news)
    finally:
        ray.shutdown()


def _collect(ray: Any, board: _Board, reference: Any) -> str:
    """Take note of how a cell ended."""
    cell = board.tasks.pop(reference)
    try:
        board.results[cell.name] = ray.get(reference)
    except ray.exceptions.RayError as error:
        board.failed[cell.name] = getattr(error, "cause", None) or error
    return cell.name
