"""The table of sizes, by itself: help texts name them without building an architecture."""

from __future__ import annotations

from typing import Literal

__all__ = ["SIZES", "Size"]

Size = Literal["paper", "medium", "small", "tiny"]


def _size(embedding: int, hidden: int, layers: int) -> dict[str, int]:
    """Encoder and decoder of the same width."""
    widths = {"embedding": embedding, "hidden": hidden}
    encoder = {f"encoder.{name}": width for name, width in widths.items()}
    return encoder | {f"decoder.{name}": width for name, width in widths.items()} | {"encoder.layers": layers}


SIZES: dict[Size, dict[str, int]] = {
    "paper": _size(200, 400, 2),
    "medium": _size(128, 256, 2),
    "small": _size(100, 160, 2),
    "tiny": _size(64, 96, 1),
}
"""Presets for `with_preset`: the paper's 8.7 M parameters, and three for laptops, phones and little data."""
