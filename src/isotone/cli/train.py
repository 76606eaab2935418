"""isotone train."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isotone.cli.data_options import DataOptions, reads_data
from isotone.cli.options import Threads

if TYPE_CHECKING:
    from isotone.training.events import EpochDone

__all__ = ["command"]


@reads_data(format="epochs", skip_bad="normalization")
def command(
    *,
    train: Annotated[str, typer.Option(help="Training pairs.")],
    dev: Annotated[str, typer.Option(help="Dev pairs, or a share of the training pairs to split off, such as 5%.")],
    out: Annotated[Path, typer.Option(help="Folder for the model.")],
    task: Annotated[str, typer.Option(help="inflection, g2p, transliteration or transduction.")] = "transduction",
    model: Annotated[str, typer.Option(help="soft, 0-hard, 0-mono, 1-mono, 1-hard or pipeline-mono.")] = "0-mono",
    recipe: Annotated[
        str | None, typer.Option(help="paper, fast, small or low; by default the number of pairs decides.")
    ] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="Epochs at most, in place of the recipe's.")] = None,
    batch_size: Annotated[int | None, typer.Option(min=1, help="Pairs in a batch, in place of the recipe's.")] = None,
    size: Annotated[str | None, typer.Option(help="paper, medium, small or tiny, in place of the recipe's.")] = None,
    copy: Annotated[
        bool | None, typer.Option("--copy/--no-copy", help="Let the model copy source symbols, unknown ones too.")
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=VALUE", help="Another field of the recipe; repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    seeds: Annotated[int, typer.Option(min=1, help="Models to train, from --seed on, and pack as one mixture.")] = 1,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:N or mps.")] = "auto",
    precision: Annotated[str | None, typer.Option(help="fp32, bf16, fp64 or auto, in place of the recipe's.")] = None,
    threads: Threads = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Start anew in a folder that is not empty.")] = False,
    normalization: Annotated[str, typer.Option(help="NFC, NFD, NFKC, NFKD or none.")] = "NFC",
    source_symbols: Annotated[
        str | None, typer.Option(help="codepoints, graphemes, spaces, or the separator between symbols.")
    ] = None,
    target_symbols: Annotated[str | None, typer.Option(help="Likewise for targets.")] = None,
    data: DataOptions,
    tensorboard: Annotated[Path | None, typer.Option(help="Also log to TensorBoard, in this folder.")] = None,
) -> None:
    """Train a model on pairs of strings."""
    from rich.markup import escape

    from isotone.cli.output import error_console
    from isotone.cli.progress import TrainingProgress
    from isotone.cli.recipes import chosen_recipe
    from isotone.cli.training_data import guess, read_pairs, texts_for
    from isotone.text.readers.selection import DataFormat
    from isotone.training import Settings, check_folder
    from isotone.training import train as fit
    from isotone.training.log import TensorBoardLog
    from isotone.training.seeds import train_seeds

    if seeds == 1:
        check_folder(out, resume=resume, overwrite=overwrite)
    chosen = data.named_format() or DataFormat(name=guess(train, dev, task))
    pairs, held_out = read_pairs(train, dev, chosen, data)
    named = {"epochs": epochs, "batch_size": batch_size, "size": size, "precision": precision, "copy_gate": copy}
    settings = Settings(
        task=task,
        aligner=model,
        recipe=chosen_recipe(recipe, change or [], named, pairs=len(pairs)),
        texts=texts_for(chosen, normalization, source_symbols, target_symbols),
        data_format=chosen,
        seed=seed,
        device=device,
        threads=threads,
        resume=resume,
        overwrite=overwrite,
    )
    console = error_console()
    heading = f"{len(pairs):,} training pairs, {len(held_out):,} dev pairs, recipe {settings.recipe.name}"
    callbacks = [TrainingProgress(console, heading), *([TensorBoardLog(tensorboard)] if tensorboard else [])]
    if seeds > 1:
        _, finished = train_seeds(pairs, held_out, out, settings, seeds, callbacks)
        best = None
    else:
        _, outcome = fit(pairs, held_out, out, settings, callbacks)
        finished, best = outcome.finished, outcome.best
    if not finished:
        left = "holds the best model so far" if seeds == 1 else "has no mixture until all its models are trained"
        console.print(f"interrupted; {escape(str(out))} {left}, and --resume goes on from here", soft_wrap=True)
        raise typer.Exit(1)
    console.print(f"{_reached(out, best)}; saved in [bold]{escape(str(out))}[/bold]", soft_wrap=True)


def _reached(out: Path, best: EpochDone | None) -> str:
    """The best epoch's dev metrics, or the mixture's."""
    from isotone.store.describe import read_folder

    known = None if best else read_folder(out).metrics
    dev = best.metrics if best else known.dev if known else {}
    metrics = ", ".join(f"{name} {value:.4g}" for name, value in dev.items() if name != "loss")
    return f"best epoch {best.epoch}: dev {metrics}" if best else f"mixture: dev {metrics}"
