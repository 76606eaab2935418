"""Models that come with Isotone, found by name."""

from __future__ import annotations

from pathlib import Path

from isotone.store.layout import holds_model

__all__ = ["SHIPPED", "folder_named", "shipped_names"]

SHIPPED = Path(__file__).parents[1] / "shipped"
"""A folder per model, exported, called by the model's name; made by `make models`."""


def shipped_names() -> list[str]:
    """The names of the models that come with Isotone."""
    return sorted(folder.name for folder in SHIPPED.iterdir() if holds_model(folder)) if SHIPPED.is_dir() else []


def folder_named(name: str | Path) -> Path:
    """The folder that `name` is the path of, or the one of the shipped model called so.

    A model in the current folder goes before a shipped one of the same name; a folder without a model does not.
    """
    path = Path(name)
    if not holds_model(path) and len(path.parts) == 1 and str(name) in shipped_names():
        return SHIPPED / path
    return path
