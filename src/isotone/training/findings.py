"""What the pairs of a run show before training: how they are best read, and what is probably a mistake in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from isotone.errors import DataError
from isotone.evaluation import task_named
from isotone.text.config import SideChanges, TextConfig, Texts
from isotone.text.example import Example
from isotone.text.segment import Segmenter

__all__ = ["adapted", "check_sides", "remarks"]

NAMED = 10
"""Symbols that one remark names."""
ENOUGH = 20
"""Pairs from which on a remark about most of them makes sense."""
MOST = 0.8


def adapted(
    examples: Sequence[Example], own: Texts, task: str, asked: Texts | SideChanges | None
) -> tuple[Texts, list[str]]:
    """The data's `own` text settings with what suits a task that does not copy, and a remark for each change.

    Sources in lower case only: a capital would be an unknown symbol, so capitals are folded. Hangul syllables: there
    are 11,172 of them, of 67 jamo, so they are taken apart (NFD). What the user asked for is left alone.
    """
    if task_named(task).copies or isinstance(asked, Texts) or own.source.segmentation == "separator":
        return own, []
    changes, said = asked or SideChanges(), []
    letters = {symbol for example in examples for symbol in example.source}
    values: dict[str, object] = {}
    if changes.source.fold_case is None and _lower_only(letters):
        values["fold_case"] = True
        said.append("all sources are lower case: capitals will be read as lower case (--no-fold-case: as unknown)")
    if changes.source.normalization is None and own.source.normalization == "NFC" and _mostly_hangul(letters):
        values["normalization"] = "NFD"
        said.append("sources are Hangul: syllables will be read as jamo (--normalization NFC: as they are)")
    return own.model_copy(update={"source": own.source.model_copy(update=values)}), said


def check_sides(train: Sequence[Example], dev: Sequence[Example], texts: Texts) -> None:
    """DataError where dev sources are written with the training targets' symbols, and not with the sources'."""
    source, target = Segmenter(texts.source), Segmenter(texts.target)
    sources = {symbol for example in train for symbol in source.split(example.source)}
    targets = {symbol for example in train for symbol in target.split(example.target or "")}
    ahead = _known(dev, lambda example: source.split(example.source), sources)
    back = min(
        _known(dev, lambda example: target.split(example.source), targets),
        _known(dev, lambda example: source.split(example.target or ""), sources),
    )
    if ahead < 1 - MOST and back > MOST:
        raise DataError(
            "the dev pairs have their columns the wrong way round: their sources look like training targets"
        )


def remarks(train: Sequence[Example], dev: Sequence[Example], texts: Texts, *, task: str, split: bool) -> list[str]:
    """What the user should know: symbols seen once, columns that look swapped, dev sources that are in training too.

    `split`: the dev pairs were split off the training pairs, so there is no overlap.
    """
    found = []
    phones = texts.target.segmentation == "separator"
    if phones and len(train) >= ENOUGH:
        spaced = sum(" " in example.source.strip() for example in train) / len(train)
        plain = sum(" " not in (example.target or "").strip() for example in train) / len(train)
        if spaced > MOST and plain > MOST:
            found.append("the columns look swapped: most sources are spaced like phones, most targets are not")
    if not task_named(task).copies and len(train) >= ENOUGH:
        found += _once("source", texts.source, train, [example.source for example in train])
        found += _once("target", texts.target, train, [example.target or "" for example in train])
    known = {(example.source, example.tags) for example in train}
    both = {(example.source, example.tags) for example in dev} & known
    if both and not split:
        distinct = len({(example.source, example.tags) for example in dev})
        found.append(
            f"{len(both):,} of {distinct:,} dev sources are training sources too: dev figures will be too good"
        )
    return found


def _once(side: str, text: TextConfig, examples: Sequence[Example], strings: Iterable[str]) -> list[str]:
    """Symbols of one side that occur once, each with the source it stands in."""
    segmenter = Segmenter(text)
    counts: Counter[str] = Counter()
    where: dict[str, str] = {}
    for example, string in zip(examples, strings, strict=True):
        for symbol in segmenter.split(string):
            counts[symbol] += 1
            where.setdefault(symbol, example.source)
    rare = sorted(symbol for symbol, count in counts.items() if count == 1)
    if not rare:
        return []
    named = ", ".join(f"{symbol!r} ({where[symbol]})" for symbol in rare[:NAMED])
    more = f" and {len(rare) - NAMED:,} more" if len(rare) > NAMED else ""
    return [f"{side} symbols seen only once, in case they are mistakes: {named}{more}"]


def _known(examples: Sequence[Example], split: Callable[[Example], Iterable[str]], alphabet: set[str]) -> float:
    """The share of symbols that an alphabet has."""
    symbols = [symbol for example in examples for symbol in split(example)]
    return sum(symbol in alphabet for symbol in symbols) / max(1, len(symbols))


def _lower_only(letters: set[str]) -> bool:
    """Is there lower case, and nothing that lower case would change?"""
    return any(letter.islower() for letter in letters) and all(letter == letter.lower() for letter in letters)


def _mostly_hangul(letters: set[str]) -> bool:
    return 2 * sum("가" <= letter <= "힣" for letter in letters) > len(letters)
