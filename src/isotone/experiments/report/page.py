"""The four sections on one page."""

from __future__ import annotations

from collections.abc import Sequence

from isotone import __version__
from isotone.drawing.report import Section, report_page
from isotone.experiments.report.assess import Assessment
from isotone.experiments.report.calibration import calibration_section
from isotone.experiments.report.curves import curves_section
from isotone.experiments.report.errors import errors_section
from isotone.experiments.report.results import results_section
from isotone.experiments.report.runs import Run

__all__ = ["build_page"]


def build_page(runs: Sequence[Run], assessments: Sequence[Assessment | None], *, title: str) -> str:
    """Runs and what came of assessing each, in the same order, as one self-contained page."""
    pairs = list(zip(runs, assessments, strict=True))
    sections: list[Section] = [
        results_section(pairs),
        curves_section(runs),
        calibration_section(pairs),
        errors_section(pairs),
    ]
    return report_page(title, _lead(runs, assessments), sections)


def _lead(runs: Sequence[Run], assessments: Sequence[Assessment | None]) -> list[str]:
    tasks = ", ".join(dict.fromkeys(run.task for run in runs))
    models = "1 trained model" if len(runs) == 1 else f"{len(runs)} trained models"
    lines = [f"{models} ({tasks}), Isotone {__version__}"]
    lines += dict.fromkeys(_left_out(run, found) for run, found in zip(runs, assessments, strict=True) if found)
    limited = [found for found in assessments if found is not None and found.report.n < found.total]
    if limited:
        most = max(found.report.n for found in limited)
        lines.append(f"Predictions are for at most {most:,} test sources per model, evenly spaced (--limit).")
    return [line for line in lines if line]


def _left_out(run: Run, found: Assessment) -> str:
    """Which lines were left out, with the file's name only: the page is read on other machines."""
    return found.left_out.replace(str(run.test), run.test.name) if run.test else found.left_out
