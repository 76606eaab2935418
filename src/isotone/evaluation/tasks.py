"""The table of tasks: how each is measured, and what is usual for it."""

from dataclasses import dataclass
from typing import Literal

from isotone.errors import ConfigError
from isotone.evaluation.metrics import METRICS, Metric

__all__ = ["TASKS", "Task", "task_named"]


@dataclass(frozen=True, kw_only=True)
class Task:
    """A kind of data with its metrics. A new one is a record and a line in `TASKS`."""

    name: str
    """Its name for `--task`."""
    summary: str
    """One line for help texts."""
    metrics: tuple[str, ...]
    """Names in `METRICS`, in the order of reports."""
    selection: str
    """The metric that picks the best epoch."""
    batch_size: int = 20
    """Default number of pairs in a batch."""
    pace: Literal["patient", "brisk"] | None = None
    """How the default recipes differ. Little inflection data gains from patience, and more dropout with it; where
    sources have several right targets, as in g2p and names, a network soon knows its training pairs by heart."""
    copies: bool = True
    """Whether source symbols may be copied into targets where the data shows that they are. Letters are not phones."""

    def __post_init__(self) -> None:
        if self.selection not in self.metrics:
            raise ConfigError(f"task {self.name!r}: selection {self.selection!r} is not one of its metrics")

    @property
    def formats(self) -> tuple[str, ...]:
        """Names of the data formats that are usual for this task."""
        from isotone.text.readers import FORMATS

        return tuple(format.name for format in FORMATS.values() if self.name in format.tasks)

    @property
    def selection_metric(self) -> Metric:
        """The record of the selection metric."""
        return METRICS[self.selection]

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher value of the selection metric is better."""
        return self.selection_metric.higher_is_better

    def improves(self, new: float, old: float) -> bool:
        """Whether `new` is strictly better than `old` by the selection metric."""
        return self.selection_metric.better(new, old)


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            name="inflection", summary="lemma and tags to form", metrics=("acc", "mld"), selection="acc", pace="patient"
        ),
        Task(
            name="g2p",
            summary="spelling to phones",
            metrics=("wer", "per"),
            selection="wer",
            pace="brisk",
            copies=False,
        ),
        Task(
            name="transliteration",
            summary="a name from one script to another",
            metrics=("acc", "mfs"),
            selection="acc",
            batch_size=50,  # the paper's
            pace="brisk",
        ),
        Task(name="transduction", summary="any string to any string", metrics=("acc", "mld"), selection="acc"),
    )
}
"""Tasks by name."""


def task_named(name: str) -> Task:
    """The task called `name`; raises ConfigError listing the known tasks."""
    if name not in TASKS:
        raise ConfigError(f"unknown task {name!r}: expected one of {', '.join(TASKS)}")
    return TASKS[name]
