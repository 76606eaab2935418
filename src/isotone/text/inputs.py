"""Turns the strings, tags and pairs that Python users pass in into examples."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from isotone.errors import ConfigError
from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.text.readers import SPACED_TARGET, DataFormat, guess_format, read

__all__ = [
    "Pairs",
    "Tags",
    "as_examples",
    "examples_of",
    "format_of",
    "natural_texts",
    "pairs_of",
    "questions",
    "stream_of",
    "tags_of",
]

Tags = Sequence[str] | str
"""("N", "PL") and "N;PL" mean the same."""

Pairs = Iterable[Example | tuple[str, str] | tuple[str, str, Tags]] | str | Path
"""A data file, or examples, or (source, target) and (source, target, tags) tuples."""


def tags_of(tags: Tags | None) -> tuple[str, ...]:
    """The tags as a tuple."""
    if tags is None:
        return ()
    return tuple(filter(None, tags.split(";"))) if isinstance(tags, str) else tuple(tags)


def examples_of(sources: Iterable[str], targets: Any = None, tags: Any = None) -> list[Example]:
    """One example per source, with its target and tags if they are given."""
    listed = list(sources)
    columns = [_column(name, values, len(listed)) for name, values in (("targets", targets), ("tags", tags))]
    examples = [Example(s, t, tags_of(own)) for s, t, own in zip(listed, *columns, strict=True)]
    for row, example in enumerate(examples):
        if not isinstance(example.source, str) or not isinstance(example.target, str | None):
            raise ConfigError(
                f"sources and targets are strings; number {row} is {example.source!r}, {example.target!r}"
            )
    return examples


def questions(source: str | Iterable[str], target: Any, tags: Any) -> list[Example]:
    """One source with one target and its tags, or lists of them."""
    if isinstance(source, str):
        return examples_of([source], [target], [tags])
    if not isinstance(source, Iterable):
        raise ConfigError(f"expected a string or a list of strings, found {source!r}")
    return examples_of(source, target, tags)


def as_examples(items: Iterable[Example | str]) -> Iterator[Example]:
    """A stream of examples or plain strings, as examples."""
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise ConfigError(f"expected a list of examples or strings, found {items!r}")
    return map(_example, items)


def pairs_of(data: Pairs, format: DataFormat | None) -> list[Example]:
    """The examples of a file, or those passed in."""
    return list(stream_of(data, format))


def stream_of(data: Pairs, format: DataFormat | None) -> Iterator[Example]:
    """The examples of a file, or those passed in, one at a time."""
    if isinstance(data, str | Path):
        if format is None:
            raise ConfigError(f"{data}: name the format of this file")
        return iter(read(data, format.format()))
    return (item if isinstance(item, Example) else _pair(item) for item in data)


def format_of(data: Pairs | float, given: str | DataFormat | None, task: str) -> DataFormat | None:
    """The format that was given, else the only one that fits the file; None for examples."""
    if given is not None:
        return DataFormat(name=given) if isinstance(given, str) else given
    return DataFormat(name=guess_format(data, task)) if isinstance(data, str | Path) else None


def natural_texts(examples: Sequence[Example], format: DataFormat | None, task: str) -> Texts:
    """Default text settings: those of the format; without one, g2p targets that contain spaces are split at spaces."""
    if format is not None:
        return format.format().texts
    spaced = task == "g2p" and any(" " in (example.target or "") for example in examples)
    return SPACED_TARGET if spaced else Texts()


def _column(name: str, values: Any, length: int) -> list[Any]:
    if values is None:
        return [None] * length
    listed = [] if isinstance(values, str) else list(values)
    if isinstance(values, str) or len(listed) != length:
        raise ConfigError(f"{length} sources need a list of as many {name}")
    return listed


def _example(item: Any) -> Example:
    if isinstance(item, Example):
        return item
    if isinstance(item, str):
        return Example(item)
    raise ConfigError(f"expected an Example or a string, found {item!r}")


def _pair(item: Any) -> Example:
    match item:
        case (str(source), str(target)):
            return Example(source, target)
        case (str(source), str(target), tags):
            return Example(source, target, tags_of(tags))
    raise ConfigError(f"expected an Example, (source, target) or (source, target, tags), found {item!r}")
