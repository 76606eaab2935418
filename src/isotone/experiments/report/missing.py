"""Why a part of a report is missing, in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isotone.drawing.report import note
from isotone.experiments.report.assess import Assessment
from isotone.experiments.report.runs import Run

__all__ = ["Pairs", "grouped", "missing", "untested"]

Pairs = Sequence[tuple[Run, Assessment | None]]
NAMED = 3
"""Runs named before it says how many more there are."""


def untested(pairs: Pairs) -> str:
    """A line for each reason why runs have no predictions."""
    return missing({run: run.why for run, found in pairs if found is None})


def missing(reasons: Mapping[Run, str]) -> str:
    """`Missing for zul, 1-mono, seed 0: …`, a line for each reason; as markup."""
    lines = []
    for reason in dict.fromkeys(reasons.values()):
        names = [run.name for run, why in reasons.items() if why == reason]
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        lines.append(note(f"Missing for {'; '.join(names[:NAMED])}{more}: {reason}"))
    return "".join(lines)


def grouped(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Runs by data set."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(run.data, []).append(run)
    return groups
