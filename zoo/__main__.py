"""`python -m zoo [NAME…]`: make the named models, or all of them. An interrupted run goes on where it was."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import isotone
from isotone.store.layout import CARD
from isotone.store.shipped import SHIPPED
from isotone.text.example import Example
from zoo.card import card
from zoo.made import MADE, Made

PLACE = Path(__file__).parents[1] / "runs" / "models"


def main() -> None:
    """Read the command line, and make what it names."""
    parser = argparse.ArgumentParser(prog="python -m zoo", description="Train, export and describe our models.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(MADE)}; all by default")
    parser.add_argument("--threads", type=int, default=None, help="CPU threads")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.names if name not in MADE]:
        parser.error(f"no model {unknown[0]!r}: expected some of {', '.join(MADE)}")
    for name in arguments.names or MADE:
        folder = make(MADE[name], threads=arguments.threads)
        print(f"{name}: {folder}", flush=True)


def make(made: Made, *, threads: int | None) -> Path:
    """Train (or go on training), export in int8, evaluate on the held-out part, write the card; the exported folder."""
    place = PLACE / made.name
    place.mkdir(parents=True, exist_ok=True)
    pairs = made.pairs()
    splits = {"train": pairs.train, "dev": pairs.dev, "test": pairs.test}
    for name, examples in splits.items():
        _write(place / f"{name}.tsv", examples)
    print(f"{made.name}: {len(pairs.train):,} training pairs", file=sys.stderr, flush=True)
    model = isotone.train(
        train=place / "train.tsv",
        dev=place / "dev.tsv",
        out=place / "model",
        task=made.task,
        format=made.format,
        threads=threads,
        resume=True,
        progress=True,
        **made.training,
    )
    exported = place / "exported"
    model.export(exported, int8=True, overwrite=exported.exists())
    report = isotone.load(exported).evaluate(place / "test.tsv", format=made.format)
    counts = {name: len(examples) for name, examples in splits.items()}
    (exported / CARD).write_text(card(made, exported, report, counts), encoding="utf-8")
    return _ship(made, exported) if made.shipped else exported


def _write(path: Path, examples: Sequence[Example]) -> None:
    """A data file; left alone where it is the same already, since a run goes on only with its own files."""
    text = "".join("\t".join(_row(example)) + "\n" for example in examples)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _row(example: Example) -> list[str]:
    tags = [";".join(example.tags)] if example.tags else []
    return [example.source, example.target or "", *tags]


def _ship(made: Made, exported: Path) -> Path:
    """Put a copy into the package, in one step."""
    target = SHIPPED / made.name
    fresh, old = target.with_name(f"{made.name}.new"), target.with_name(f"{made.name}.old")
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    shutil.copytree(exported, fresh, ignore=shutil.ignore_patterns(".*"))
    if target.exists():
        target.replace(old)
    fresh.replace(target)
    shutil.rmtree(old, ignore_errors=True)
    return target


if __name__ == "__main__":
    main()
