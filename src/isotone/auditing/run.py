"""The audit of a lexicon from beginning to end: read, judge, rank, fix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from isotone.auditing.decisions import Decisions, read_decisions
from isotone.auditing.entries import Lexicon, read_lexicon
from isotone.auditing.findings import findings_of
from isotone.auditing.fix import check_fix, fixed_content, write_fixed
from isotone.auditing.folds import word_key
from isotone.auditing.settings import Settings, settings_for
from isotone.auditing.workers import Progress, judge, work_folder
from isotone.errors import ConfigError
from isotone.results.audited import Audit
from isotone.text.config import SideChanges, Texts
from isotone.text.inputs import Pairs
from isotone.text.readers import DataFormat

__all__ = ["Plan", "audit", "plan_audit", "run_audit"]


@dataclass(frozen=True)
class Plan:
    """Everything about an audit that is known, and checked, before a model is trained."""

    lexicon: Lexicon
    settings: Settings
    accepted: Decisions
    rejected: Decisions
    fix: Path | None = None


def plan_audit(
    lexicon: Pairs,
    *,
    format: str | DataFormat | None = None,
    task: str | None = None,
    texts: Texts | SideChanges | None = None,
    skip_bad: bool = False,
    folds: int = 5,
    epochs: int | None = None,
    size: str | None = None,
    seed: int = 0,
    accept: str | Path | None = None,
    reject: str | Path | None = None,
    fix: str | Path | None = None,
) -> Plan:
    """Read the lexicon and the decisions; every mistake that can be seen now is refused now."""
    found = read_lexicon(lexicon, format=format, task=task, texts=texts, skip_bad=skip_bad)
    accepted = {} if accept is None else read_decisions(accept)
    rejected = {} if reject is None else read_decisions(reject)
    if both := next((key for key in rejected if key in accepted), None):
        raise ConfigError(f"{rejected[both].place}: {both[0]!r} is also accepted ({accepted[both].place})")
    if fix is not None:
        if reject is None:
            raise ConfigError("--fix writes the lexicon without rejected entries: name them with --reject")
        check_fix(found, Path(fix), lexicon)
        fixed_content(found, rejected)  # refuses replacements that do not fit
    settings = settings_for(len(found.entries), folds=folds, epochs=epochs, size=size, copies=found.copies, seed=seed)
    words = len({word_key(entry.example) for entry in found.entries})
    if words < folds:
        raise ConfigError(f"{words} different words cannot be split into {folds} folds; use fewer, or 0 for no models")
    return Plan(found, settings, accepted, rejected, None if fix is None else Path(fix))


def run_audit(
    plan: Plan,
    *,
    cache: Path | None = None,
    processes: int | None = None,
    address: str | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
    on_fixed: Callable[[int, int], None] = lambda *_: None,
) -> Audit:
    """Judge every entry by a model that has not seen it, and rank what is suspicious.

    Finished folds are kept in `cache` (a folder), where one is given. `on_fixed` hears how many entries of the fixed
    lexicon were replaced and how many removed.
    """
    if plan.fix is not None:
        content, replaced, removed = fixed_content(plan.lexicon, plan.rejected)
        write_fixed(plan.fix, content)
        on_fixed(replaced, removed)
    judgements = {}
    if plan.settings.folds:
        with work_folder(cache, plan.lexicon, plan.settings) as folder:
            judgements = judge(
                plan.lexicon, plan.settings, folder, processes=processes, address=address, on_progress=on_progress
            )
    decided = {**plan.accepted, **plan.rejected}
    return findings_of(plan.lexicon, judgements, decided=decided, folds=plan.settings.folds)


def audit(
    lexicon: Pairs,
    *,
    folds: int = 5,
    format: str | DataFormat | None = None,
    task: str | None = None,
    texts: Texts | None = None,
    epochs: int | None = None,
    size: str | None = None,
    seed: int = 0,
    accept: str | Path | None = None,
    reject: str | Path | None = None,
    fix: str | Path | None = None,
    cache: str | Path | None = None,
    processes: int | None = None,
    address: str | None = None,
    skip_bad: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Audit:
    """Find the suspicious entries of a lexicon, a file or pairs, worst first, as `isotone audit` does.

    Each entry is judged by a model that was trained on the other `folds` only; with `folds=0` no model is trained, and
    only characters, duplicates and conflicts are looked at. `accept` and `reject` are files of decisions; `fix` is the
    file for the lexicon with rejected entries replaced or removed. Finished folds are kept in the folder `cache`.
    """
    plan = plan_audit(
        lexicon,
        format=format,
        task=task,
        texts=texts,
        skip_bad=skip_bad,
        folds=folds,
        epochs=epochs,
        size=size,
        seed=seed,
        accept=accept,
        reject=reject,
        fix=fix,
    )
    return run_audit(
        plan,
        cache=None if cache is None else Path(cache),
        processes=processes,
        address=address,
        on_progress=on_progress,
    )
