"""What `isotone.train()` is asked for, made into examples and settings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from isotone.errors import ConfigError
from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.text.inputs import Pairs, format_of, natural_texts, pairs_of
from isotone.text.readers.selection import DataFormat
from isotone.text.split import split_off
from isotone.training.recipe import Recipe, choose_recipe
from isotone.training.settings import Settings

__all__ = ["request"]

OWN = {"task", "aligner", "recipe", "texts", "data_format"}
"""Fields of `Settings` that have arguments of their own."""
FREE = {field.name for field in dataclasses.fields(Settings)} - OWN
CHANGES = set(Recipe.model_fields) - {"name"}


def request(
    *,
    train: Pairs,
    dev: Pairs | float,
    task: str,
    model: str,
    recipe: str | Recipe | None,
    format: str | DataFormat | None,
    texts: Texts | None,
    settings: Mapping[str, Any],
) -> tuple[list[Example], list[Example], Settings]:
    """Training pairs, dev pairs and everything else; `settings` may change fields of the recipe too."""
    if unknown := sorted(settings.keys() - FREE - CHANGES):
        raise ConfigError(f"unknown setting {unknown[0]!r}: expected one of {', '.join(sorted(FREE | CHANGES))}")
    named = format_of(train, format, task)
    pairs = pairs_of(train, named)
    if isinstance(dev, float):
        pairs, held_out = split_off(pairs, dev)
    else:
        held_out = pairs_of(dev, named or format_of(dev, format, task))
    base = recipe if isinstance(recipe, Recipe) else choose_recipe(recipe, pairs=len(pairs))
    chosen = Settings(
        task=task,
        aligner=model,
        recipe=base.with_changes(**{name: settings[name] for name in settings.keys() & CHANGES}),
        texts=texts or natural_texts(pairs, named, task),
        data_format=named,
        **{name: settings[name] for name in settings.keys() & FREE},
    )
    return pairs, held_out, chosen
