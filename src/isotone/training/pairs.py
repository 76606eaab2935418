"""The pairs of a run: from files or Python objects, the dev share split off, and told apart by digests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from isotone.errors import ConfigError, DataError
from isotone.text.config import SideChanges, Texts
from isotone.text.example import Example
from isotone.text.inputs import Pairs, format_of, natural_texts, pairs_of
from isotone.text.readers import DataFormat, guess_format, read
from isotone.text.split import split_off
from isotone.training.findings import adapted, check_sides, remarks
from isotone.training.request import DataRecord

__all__ = ["Sources", "TrainingPairs", "Weighted", "digest", "gather"]

Sources = Iterable[Example | str] | str | Path
"""A file of sources, or examples or strings."""
SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*%|(0?\.\d+)")
"""A dev set that is no file: 5%, or 0.05."""


Weighted = Sequence[tuple[Example, float]]
"""Pairs that stand for one another, each with its weight."""


@dataclass(frozen=True)
class TrainingPairs:
    """What a run learns from, and what picks its best epoch."""

    train: Sequence[Example]
    dev: Sequence[Example]
    record: DataRecord
    texts: Texts
    """The segmentation natural to the data."""
    left_out: tuple[str, ...] = ()
    """One message per file with lines that did not fit and were left out."""
    skipped: tuple[str, ...] = ()
    """One message for each of those lines."""
    notes: tuple[str, ...] = ()
    """How the pairs will be read where that was decided by looking at them, and what is probably wrong with them."""
    further: Sequence[Example] = ()
    """Sources without targets, for a network that learns from a mixture."""
    choices: Sequence[Weighted] | None = None
    """What an epoch draws its pairs from, where that is not `train` as it is."""


def gather(
    train: Pairs,
    dev: Pairs | float,
    *,
    task: str,
    format: str | DataFormat | None = None,
    skip_bad: bool = False,
    text: Texts | SideChanges | None = None,
    reverse: bool = False,
    further: Sources | None = None,
) -> TrainingPairs:
    """Read and split. A format that is not named is guessed where only one is possible; the guess counts for both.

    `text` is what the user said about symbols; `reverse` learns sources from targets; `further` are sources alone.
    """
    share = _share(dev)
    chosen = _format(train, dev if share is None else None, format, task)
    if reverse and chosen is not None:
        chosen = chosen.model_copy(update={"reverse": True})
    left_out: list[str] = []
    skipped: list[str] = []
    pairs = _read(train, chosen, skip_bad, left_out, skipped)
    if share is not None:
        pairs, held_out = split_off(pairs, share)
    elif isinstance(dev, float | int):
        raise ConfigError(f"dev: expected a share between 0 and 1, a file or pairs, found {dev}")
    else:
        held_out = _read(dev, chosen or format_of(dev, format, task), skip_bad, left_out, skipped)
    own = natural_texts(pairs, chosen, task)
    if reverse and chosen is None:
        own = Texts(source=own.target, target=own.source)
        pairs, held_out = _turned(pairs), _turned(held_out)
    if not pairs or not held_out:
        raise DataError("training needs at least one training pair and one dev pair")
    sources = [] if further is None else _sources(further, chosen)
    record = DataRecord(
        train=_name(train),
        dev=share if share is not None else _name(dev),
        format=chosen,
        skip_bad=skip_bad,
        train_pairs=len(pairs),
        dev_pairs=len(held_out),
        train_digest=digest(pairs),
        dev_digest=digest(held_out),
        further=_name(further),
        further_sources=len(sources),
        further_digest=digest(sources) if sources else "",
    )
    texts, said = adapted(pairs, own, task, text)
    used = text if isinstance(text, Texts) else text.over(texts) if text else texts
    check_sides(pairs, held_out, used)
    said += remarks(pairs, held_out, used, task=task, split=share is not None)
    return TrainingPairs(pairs, held_out, record, texts, tuple(left_out), tuple(skipped), tuple(said), sources)


def _turned(examples: Iterable[Example]) -> list[Example]:
    """Targets as sources, and sources as targets."""
    return [Example(example.target or "", example.source, example.tags) for example in examples]


def _sources(data: Sources, format: DataFormat | None) -> list[Example]:
    """Sources without targets, of a file in the format of the training pairs, or as Python objects."""
    if isinstance(data, str | Path):
        if format is None:
            raise ConfigError(f"{data}: the training pairs are no file, so give these sources as Python objects too")
        return list(read(data, format.format(), targets=False))
    return [Example(one) if isinstance(one, str) else Example(one.source, None, one.tags) for one in data]


def _share(dev: Pairs | float) -> float | None:
    if isinstance(dev, str) and (found := SHARE.fullmatch(dev)) and not Path(dev).exists():
        return float(found[1]) / 100 if found[1] else float(found[2])
    return dev if isinstance(dev, float) and 0 < dev < 1 else None


def _name(data: object) -> str | None:
    """As the user wrote it: an absolute path would tell others about this machine."""
    return str(data) if isinstance(data, str | Path) else None


def _format(train: Pairs, dev: Pairs | float | None, given: str | DataFormat | None, task: str) -> DataFormat | None:
    """The format of the training file; a dev file that is certainly of another one is a mistake."""
    found = format_of(train, given, task)
    if given is None and found is not None and isinstance(dev, str | Path):
        other = found.name
        with suppress(DataError):  # not certain; reading will tell
            other = guess_format(dev, task)
        if other != found.name:
            raise DataError(f"{dev}: looks like {other}, but {train} like {found.name}; name one with --format")
    return found


def _read(
    data: Pairs | float, format: DataFormat | None, skip_bad: bool, left_out: list[str], skipped: list[str]
) -> list[Example]:
    if not isinstance(data, str | Path) or format is None:
        return pairs_of(data, format)  # type: ignore[arg-type]
    reading = read(data, format, skip_bad=skip_bad, on_skip=skipped.append)
    examples = list(reading)
    if reading.left_out:
        left_out.append(reading.left_out)
    return examples


def digest(examples: Iterable[Example]) -> str:
    """Tells these pairs, in this order, from any others."""
    total = blake2b(digest_size=16)
    for example in examples:
        # JSON keeps the parts apart and spells any string, lone surrogates included, in ASCII.
        total.update(json.dumps([example.source, example.target, example.tags]).encode("ascii") + b"\n")
    return total.hexdigest()
