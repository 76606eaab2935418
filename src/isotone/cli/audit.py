"""isotone audit."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import Json, Out
from isotone.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console
    from rich.text import Text

    from isotone.auditing import Plan, Progress
    from isotone.results import Audit, Finding

__all__ = ["command"]

SHOWN = 20
"""Findings that are shown to people."""


@reads_data()
def command(
    *,
    lexicon: Annotated[str, typer.Argument(metavar="LEXICON", help="The file to look through; - is standard input.")],
    folds: Annotated[
        int, typer.Option(min=0, help="Parts, each judged by a model of the others; 0: no models, only simple checks.")
    ] = 5,
    report: Annotated[Path | None, typer.Option(help="A page to browse the findings: filters, alignments.")] = None,
    out: Out = None,
    json: Json = False,
    accept: Annotated[Path | None, typer.Option(help="Entries that are right: they are not shown again.")] = None,
    reject: Annotated[Path | None, typer.Option(help="Entries that are wrong, with their replacement if any.")] = None,
    fix: Annotated[
        Path | None, typer.Option(help="Write the lexicon here, rejected entries replaced or removed.")
    ] = None,
    task: Annotated[str | None, typer.Option(help="As for `isotone train`; by default the format decides.")] = None,
    data: DataOptions,
    normalization: Annotated[str | None, typer.Option(help="NFC (default), NFD, NFKC, NFKD or none.")] = None,
    source_symbols: Annotated[
        str | None, typer.Option(help="codepoints, graphemes, spaces, or the separator between symbols.")
    ] = None,
    target_symbols: Annotated[str | None, typer.Option(help="Likewise for targets.")] = None,
    top: Annotated[int, typer.Option(min=0, help="Findings to show on the terminal.")] = SHOWN,
    epochs: Annotated[int | None, typer.Option(min=1, help="In place of those for a lexicon of this size.")] = None,
    size: Annotated[str | None, typer.Option(help="Size of the network, in place of tiny.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the folds and the models.")] = 0,
    processes: Annotated[int | None, typer.Option(min=1, help="Folds at a time; as many as there are cores.")] = None,
    address: Annotated[str | None, typer.Option(help="A Ray cluster to run the folds on; local: this machine.")] = None,
    cache: Annotated[
        Path | None, typer.Option(help="Folder for finished folds; beside --out or --report by default.")
    ] = None,
) -> None:
    """Suspicious entries of a lexicon, worst first: each judged by a model that has not seen it."""
    from isotone.api.training import text_changes
    from isotone.auditing import plan_audit, run_audit
    from isotone.cli.output import error_console, output

    _check_outputs(lexicon, out, report, fix)
    plan = plan_audit(
        lexicon,
        format=data.named_format(),
        task=task,
        texts=text_changes(normalization=normalization, source=source_symbols, target=target_symbols),
        skip_bad=data.skip_unlisted(),
        folds=folds,
        epochs=epochs,
        size=size,
        seed=seed,
        accept=accept,
        reject=reject,
        fix=fix,
    )
    console = error_console()
    _tell_left_out(plan)
    kept = cache or _cache(out, report)
    _announce(plan, console, cache=kept, processes=processes, measured=address is None)
    with _progress(console, plan) as on_progress:
        audit = run_audit(
            plan,
            cache=kept,
            processes=processes,
            address=address,
            on_progress=on_progress,
            on_fixed=lambda *counts: _tell_fixed(fix, *counts),
        )
    if report is not None:
        from isotone.drawing import audit_page

        with output(str(report)) as file:
            file.write(audit_page(audit))
    _print(audit, console, out=out, json=json, top=top)


def _check_outputs(lexicon: str, out: str | None, report: Path | None, fix: Path | None) -> None:
    """Refuse before minutes of training what would fail after them."""
    named = [Path(path) for path in (out, report, fix) if path is not None and str(path) != "-"]
    for path in named:
        if path.is_dir():
            raise ConfigError(f"{path}: is a folder, expected a file name")
        if not path.resolve().parent.is_dir():
            raise ConfigError(f"{path}: there is no folder {path.resolve().parent}")
        if path.exists() and Path(lexicon).exists() and path.samefile(lexicon):
            raise ConfigError(f"{path}: is the lexicon itself; name another file")
    resolved = [path.resolve() for path in named]
    if len(set(resolved)) < len(resolved):
        raise ConfigError("--out, --report and --fix name the same file twice")


def _cache(out: str | None, report: Path | None) -> Path | None:
    """Beside the output; nothing is kept where there is none."""
    beside = out if out not in {None, "-"} else report
    return None if beside is None else Path(f"{beside}.folds")


def _tell_left_out(plan: Plan) -> None:
    if left_out := plan.lexicon.left_out:
        count = "1 line" if len(left_out) == 1 else f"{len(left_out)} lines"
        sys.stderr.write(f"isotone: {plan.lexicon.name}: left out {count}; the first: {left_out[0]}\n")


def _tell_fixed(fix: Path | None, replaced: int, removed: int) -> None:
    sys.stderr.write(f"isotone: {fix}: {replaced} entries replaced, {removed} removed\n")


def _announce(plan: Plan, console: Console, *, cache: Path | None, processes: int | None, measured: bool) -> None:
    """What will be done, and how long it will take."""
    from isotone.auditing import estimate, unfinished

    settings, entries = plan.settings, len(plan.lexicon.entries)
    if not settings.folds:
        return
    what = f"{entries:,} entries, {settings.folds} folds, {settings.epochs} epochs each, {settings.size} network"
    console.print(what, style="dim", soft_wrap=True)
    left = unfinished(plan.lexicon, settings, cache)
    if left < settings.folds:
        console.print(f"{settings.folds - left} folds are finished already", style="dim")
    if not measured or not left:
        return
    found = estimate(plan.lexicon, settings, folds=left, processes=processes)
    if found is None:
        return
    span = f"{found.seconds:.0f} s" if found.seconds < 90 else f"{found.seconds / 60:.0f} min"
    each = "1 process" if found.processes == 1 else f"{found.processes} processes"
    console.print(f"about {span}: {found.rate:.0f} pairs per second in each of {each}", style="dim", soft_wrap=True)


@contextmanager
def _progress(console: Console, plan: Plan) -> Iterator[Callable[[Progress], None]]:
    """A bar on a terminal, nothing elsewhere."""
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("training and judging"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    bar = Progress(
        *columns,
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not (console.is_terminal and plan.settings.folds),
    )
    with bar:
        task = bar.add_task("audit", total=plan.settings.folds * (plan.settings.epochs + 1))
        yield lambda progress: bar.update(task, completed=progress.done, total=progress.total)


def _print(audit: Audit, console: Console, *, out: str | None, json: bool, top: int) -> None:
    """For people on a terminal, else a table or JSON; with --out both."""
    from isotone.cli.output import out_console, output
    from isotone.results import FINDING_COLUMNS, json_line, tsv_line

    people = None if json or out is not None else out_console()
    if people is None:
        with output(out) as file:
            if not json:
                file.write(tsv_line(FINDING_COLUMNS))
            for finding in audit:
                file.write(json_line(finding.to_json()) if json else tsv_line(finding.row()))
    shown = people or (console if out not in {None, "-"} else None)
    if shown is not None:
        for finding in audit[:top]:
            shown.print(_line(finding), soft_wrap=True)
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in audit.kinds.items())
    decided = f"; {audit.decided:,} decided before" if audit.decided else ""
    summary = f"{len(audit):,} of {len(audit.scores):,} entries are suspicious{f' ({kinds})' if kinds else ''}{decided}"
    console.print(summary, soft_wrap=True, markup=False)


def _line(finding: Finding) -> Text:
    """One line, the suspicious segments underlined; in brackets where nothing can be underlined."""
    from rich.text import Text

    from isotone.drawing import finding_line, finding_pieces, spelled

    if not sys.stderr.isatty() and not sys.stdout.isatty():
        return Text(finding_line(finding))
    source, target = finding_pieces(finding)
    line = Text(f"{finding.score:6.1f}  ")
    line.append("" if finding.line is None else f"{finding.line}: ", style="dim")
    for pieces, before in ((source, ""), (target, f" {spelled(';'.join(finding.tags))} → " if finding.tags else " → ")):
        line.append(before, style="dim")
        for text, marked in pieces:
            line.append(text, style="underline bold" if marked else "")
    verdict = finding.verdict
    line.append(f"  {', '.join(finding.kinds)}", style="yellow")
    if verdict is not None:
        line.append(f"  model: {spelled(verdict.best)}", style="green")
        line.append(f"  {spelled(verdict.rescued)}" if verdict.rescued else "", style="cyan")
    others = "; ".join(reason.text for reason in finding.reasons if reason.kind != "improbable")
    line.append(f"  {spelled(others)}" if others else "", style="dim")
    return line
