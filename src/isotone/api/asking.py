"""What Python users ask with, made into examples: one string or many, with or without targets and tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from isotone.errors import ConfigError
from isotone.text.example import Example
from isotone.text.inputs import examples_of

__all__ = ["as_examples", "questions"]


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


def _example(item: Any) -> Example:
    if isinstance(item, Example):
        return item
    if isinstance(item, str):
        return Example(item)
    raise ConfigError(f"expected an Example or a string, found {item!r}")
