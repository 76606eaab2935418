"""isotone train."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import Threads
from isotone.errors import ConfigError
from isotone.extras import require_training

if TYPE_CHECKING:
    from isotone.api.training import Job

__all__ = ["command"]


@reads_data(format="epochs", skip_bad="normalization")
def command(
    *,
    train: Annotated[str | None, typer.Option(help="Training pairs.")] = None,
    dev: Annotated[
        str | None, typer.Option(help="Dev pairs, or a share of the training pairs to hold out, such as 5%.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the model.")] = None,
    task: Annotated[str | None, typer.Option(help="{tasks}")] = None,
    model: Annotated[str | None, typer.Option(help="{aligners}")] = None,
    recipe: Annotated[str | None, typer.Option(help="{recipes}")] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="Epochs at most, in place of the recipe's.")] = None,
    batch_size: Annotated[int | None, typer.Option(min=1, help="Pairs per batch, in place of the recipe's.")] = None,
    size: Annotated[str | None, typer.Option(help="{sizes}")] = None,
    copy: Annotated[
        bool | None, typer.Option("--copy/--no-copy", help="Let the model copy source symbols, unknown ones too.")
    ] = None,
    paradigm: Annotated[
        bool | None,
        typer.Option("--paradigm/--no-paradigm", help="Inflection: known forms of a lemma are sources too."),
    ] = None,
    start_from: Annotated[
        str | None,
        typer.Option("--start-from", help="Begin with this trained model: its network and weights."),
    ] = None,
    reverse: Annotated[
        bool | None, typer.Option("--reverse", help="Learn the other way round: phones to letters.")
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="FIELD=VALUE", help="Another field: of the recipe (rate), or of a part (encoder.layers)."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Random seed; 0 by default.")] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Models to train, from --seed on, and pack as one mixture.")
    ] = None,
    distil: Annotated[
        bool | None,
        typer.Option("--distil/--no-distil", help="Train one more network on what the mixture writes; leave that one."),
    ] = None,
    distil_sources: Annotated[
        str | None, typer.Option("--distil-sources", help="--distil: a file of further sources, without targets.")
    ] = None,
    keep_teacher: Annotated[
        bool | None,
        typer.Option("--keep-teacher/--no-keep-teacher", help="--distil: leave the mixture in OUT/teacher."),
    ] = None,
    device: Annotated[str | None, typer.Option(help="auto, cpu, cuda, cuda:N or mps.")] = None,
    devices: Annotated[int | None, typer.Option(min=1, help="Processes that share each batch; 1 by default.")] = None,
    precision: Annotated[str | None, typer.Option(help="fp32, bf16, fp64 or auto, in place of the recipe's.")] = None,
    threads: Threads = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in --out; start it if there is none.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the model in --out.")] = False,
    config: Annotated[Path | None, typer.Option(help="Begin from this request, as --print-config prints it.")] = None,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print the request with every default, and do not train.")
    ] = False,
    normalization: Annotated[str | None, typer.Option(help="NFC (default), NFD, NFKC, NFKD or none.")] = None,
    source_symbols: Annotated[
        str | None, typer.Option(help="codepoints, graphemes, spaces, or the separator between symbols.")
    ] = None,
    target_symbols: Annotated[str | None, typer.Option(help="Likewise for targets.")] = None,
    fold_case: Annotated[
        bool | None,
        typer.Option(
            "--fold-case/--no-fold-case", help="Read capitals as lower case; by default for g2p in lower case only."
        ),
    ] = None,
    data: DataOptions,
    tensorboard: Annotated[Path | None, typer.Option(help="Also log to TensorBoard, in this folder.")] = None,
) -> None:
    """Train a model on pairs of strings."""
    if out is None and not print_config:
        raise ConfigError("name the folder for the model (--out)")
    if print_config and (resume or overwrite):
        raise ConfigError("--print-config shows a new run: leave out --resume and --overwrite")
    if not print_config:
        require_training()

    from isotone.api.training import (
        Asked,
        mode_of,
        new_request,
        paradigm_change,
        plan_job,
        read_request,
        read_start,
        text_changes,
    )

    named = {"epochs": epochs, "batch_size": batch_size, "precision": precision, "copy_gate": copy}
    asked = Asked(
        task=task,
        model=model,
        recipe=recipe,
        size=size,
        seed=seed,
        seeds=seeds,
        device=device,
        devices=devices,
        threads=threads,
        reverse=reverse,
        distil=distil,
        keep_teacher=keep_teacher,
        start=None if start_from is None else read_start(start_from),
        changes={
            **paradigm_change(paradigm),
            **_changes(change or []),
            **{name: value for name, value in named.items() if value is not None},
        },
        text=text_changes(
            normalization=normalization, source=source_symbols, target=target_symbols, fold_case=fold_case
        ),
    )
    base = None if config is None else read_request(config)
    named_data: Any = {"train": train, "dev": dev, "format": data.named_format(), "skip_bad": data.skips}
    named_data["further"] = distil_sources
    if print_config or out is None:
        request, pairs = new_request(asked, **named_data, config=base)
        _say([*pairs.left_out, *pairs.notes])
        data.list_skipped(pairs.skipped)
        sys.stdout.write(json.dumps(request.to_json(), ensure_ascii=False, indent=2) + "\n")
        return
    job = plan_job(asked, out, **named_data, mode=mode_of(resume=resume, overwrite=overwrite), config=base)
    if job.pairs:
        _say(job.pairs.left_out)
        data.list_skipped(job.pairs.skipped)
    _run(job, tensorboard)


def _say(messages: Sequence[str]) -> None:
    from isotone.cli.output import error_console

    for message in messages:
        error_console().print(f"isotone: {message}", soft_wrap=True, markup=False)


def _run(job: Job, tensorboard: Path | None) -> None:
    from rich.markup import escape

    from isotone.api.training import run_job, tensorboard_log
    from isotone.cli.output import error_console
    from isotone.cli.progress import TrainingProgress

    console = error_console()
    where = escape(str(job.folder))
    if job.pairs is None:
        console.print(f"the run in [bold]{where}[/bold] is finished; nothing to do", soft_wrap=True)
        return
    record = job.request.data
    heading = f"{record.train_pairs:,} training pairs, {record.dev_pairs:,} dev pairs, recipe {job.request.recipe.name}"
    if job.request.origin is not None:
        heading += f", beginning with {job.request.origin.model}"
    progress = TrainingProgress(console, heading, job.pairs.notes)
    callbacks = [progress, *([tensorboard_log(tensorboard)] if tensorboard else [])]
    outcome = run_job(job, callbacks)
    if outcome is None or outcome.finished:
        dev = _figures(outcome.dev) if outcome else ""
        best = f"best epoch {outcome.best.epoch}" if outcome and outcome.best else "mixture"
        if outcome and outcome.teacher:
            console.print(f"the mixture it learnt from: dev {_figures(outcome.teacher)}", soft_wrap=True)
        console.print(f"{best}: dev {dev}; saved in [bold]{where}[/bold]", soft_wrap=True)
        return
    holds = f"holds the best model so far (epoch {outcome.best.epoch})" if outcome.best else "holds what it held before"
    console.print(f"interrupted; {where} {holds}, and --resume goes on from here", soft_wrap=True)
    raise typer.Exit(1)


def _figures(dev: Mapping[str, float | None]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in dev.items() if name != "loss" and value is not None)


def _changes(settings: Sequence[str]) -> dict[str, Any]:
    """The FIELD=VALUE of `--set`."""
    values: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise ConfigError(f"--set {setting}: expected FIELD=VALUE")
        values[name] = value
    return values
