"""isotone demo: the main job on real data that a pip package brings, start to end."""

from __future__ import annotations

import math
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isotone.cli.options import Threads
from isotone.errors import ConfigError
from isotone.extras import require_training

if TYPE_CHECKING:
    from rich.console import Console

    from isotone.api import Transducer
    from isotone.api.data import Example
    from isotone.demos import Corpus

__all__ = ["command", "next_commands"]

DRAWN = 200
"""Test pairs on the page of alignments."""


def command(
    task: Annotated[str, typer.Argument(help="g2p, inflection or transliteration.")] = "g2p",
    out: Annotated[Path | None, typer.Option(help="Folder; isotone-demo-TASK by default.")] = None,
    model: Annotated[str, typer.Option(help="soft, 0-hard, 0-mono, 1-mono, 1-hard or pipeline-mono.")] = "1-mono",
    locale: Annotated[str, typer.Option(help="transliteration: the language to write names in.")] = "ru",
    epochs: Annotated[int | None, typer.Option(min=1, help="In place of the recipe's.")] = None,
    train_size: Annotated[int | None, typer.Option(min=10, help="Training pairs (g2p and inflection).")] = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    threads: Threads = None,
) -> None:
    """Train on real data from a pip package, evaluate, predict, draw alignments: about three minutes."""
    require_training()

    from isotone.demos import load_corpus

    options: dict[str, Any] = {"locale": locale} if task == "transliteration" else {}
    if train_size is not None and task != "transliteration":
        options["train_size"] = train_size
    corpus = load_corpus(task, **options)

    from isotone.api import load
    from isotone.api.training import Asked, plan_job, run_job
    from isotone.cli.output import error_console
    from isotone.cli.progress import TrainingProgress

    console = error_console()
    folder = out or Path(f"isotone-demo-{corpus.task}")
    if folder.exists() and not (folder.is_dir() and (_is_demo(folder) or not any(folder.iterdir()))):
        raise ConfigError(f"{folder}: holds something other than a demo; name another folder with --out")
    asked = Asked(
        task=corpus.task, model=model, recipe=corpus.recipe, seed=seed, threads=threads, changes={"epochs": epochs}
    )
    job = plan_job(asked, folder / "model", train=corpus.train, dev=corpus.dev, format=corpus.format, mode="overwrite")
    console.rule(f"[bold]{corpus.title}")
    console.print(corpus.licence, style="dim")
    folder.mkdir(parents=True, exist_ok=True)
    for name, examples in (("train", corpus.train), ("dev", corpus.dev), ("test", corpus.test)):
        _write(folder / f"{name}.tsv", examples)
    heading = f"{len(corpus.train):,} training pairs, {len(corpus.dev):,} dev, {len(corpus.test):,} test"
    outcome = run_job(job, [TrainingProgress(console, heading)])
    if outcome is None or not outcome.finished:
        raise KeyboardInterrupt
    _show(console, load(folder / "model"), corpus, folder)


def _is_demo(folder: Path) -> bool:
    return (folder / "train.tsv").is_file() and (folder / "test.tsv").is_file()


def _write(path: Path, examples: tuple[Example, ...]) -> None:
    """As the task's format has it: source, target and, for inflection, tags."""
    from isotone.files import atomic_text

    with atomic_text(path) as file:
        for example in examples:
            tags = [";".join(example.tags)] if example.tags else []
            file.write("\t".join([example.source, example.target or "", *tags]) + "\n")


def _show(console: Console, model: Transducer, corpus: Corpus, folder: Path) -> None:
    """Held-out metrics, example predictions, one drawn alignment, the page, and what to try next."""
    from isotone.cli.output import table
    from isotone.drawing import alignments_page
    from isotone.files import atomic_text

    report = model.evaluate(corpus.test)
    rows = [
        [name, f"{value:.4g}", " – ".join(f"{bound:.4g}" for bound in report.intervals[name])]
        for name, value in report.metrics.items()
    ]
    console.print()
    console.print(table(f"{report.n:,} held-out sources", ["metric", "value", "95 % interval"], rows))
    shown = []
    for example, prediction in zip(corpus.showcase, model.predict(corpus.showcase), strict=True):
        right = "[green]✓[/green]" if prediction.target == example.target else f"[yellow]{example.target}[/yellow]"
        source = " + ".join([example.source, *([";".join(example.tags)] if example.tags else [])])
        shown.append([source, prediction.target, f"{math.exp(prediction.logprob):.2f}", right])
    console.print()
    console.print(table("Words it has not seen", ["source", "predicted", "probability", "in the dictionary"], shown))
    first = corpus.showcase[0]
    console.print()
    console.print(str(model.align(first.source, first.target or "", tags=first.tags)), markup=False)
    page = folder / "alignments.html"
    with atomic_text(page) as file:
        file.write(alignments_page(model.alignments(corpus.test[:DRAWN]), title=corpus.title))
    console.print(f"\nAlignments of {DRAWN} test pairs: [bold]{page}[/bold]\n\nTry next:")
    for line in next_commands(folder, first):
        console.print(f"  {line}", markup=False, soft_wrap=True)


def next_commands(folder: Path, example: Example) -> list[str]:
    """Commands to try, which run as they are printed, with or without an activated environment."""
    isotone, at = _program(), shlex.quote(str(folder))
    word = example.source if not example.tags else f"{example.source}\\t{';'.join(example.tags)}"
    line = shlex.quote(word + "\\n")
    return [
        f"printf {line} | {isotone} predict {at}/model --n-best 5",
        f"{isotone} evaluate {at}/model {at}/test.tsv --errors mistakes.tsv",
        f"{isotone} score {at}/model {at}/test.tsv | head",
        f"{isotone} align {at}/model {at}/dev.tsv --posterior | head -40",
    ]


def _program() -> str:
    """How this isotone is called from here: by its name, by its path in an environment, or as a module."""
    beside = Path(sys.executable).with_name("isotone")
    if not beside.exists():
        return f"{shlex.quote(sys.executable)} -m isotone"
    if (known := shutil.which("isotone")) and Path(known).resolve() == beside.resolve():
        return "isotone"
    return shlex.quote(os.path.relpath(beside) if beside.is_relative_to(Path.cwd()) else str(beside))
