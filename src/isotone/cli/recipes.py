"""Which recipe `isotone train` follows: the one named, or the one for so many pairs, with the user's changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from isotone.errors import ConfigError

if TYPE_CHECKING:
    from isotone.training import Recipe

__all__ = ["chosen_recipe"]


def chosen_recipe(name: str | None, changes: Sequence[str], named: Mapping[str, Any], *, pairs: int) -> Recipe:
    """`changes` are those of `--set`, FIELD=VALUE each; `named` those with an option of their own."""
    from isotone.training import choose_recipe

    base = choose_recipe(name, pairs=pairs)
    fields = sorted(set(type(base).model_fields) - {"name"})
    values: dict[str, Any] = dict(named)
    for change in changes:
        field, equals, value = change.partition("=")
        if not equals or field not in fields:
            raise ConfigError(f"--set {change}: expected FIELD=VALUE with one of the fields {', '.join(fields)}")
        values[field] = value
    return base.with_changes(**values)
