"""Configurations of older model folders, rewritten as today's: one function per step. Weights never change."""

from __future__ import annotations

from typing import Any

__all__ = ["upgrade_config"]

OLDEST = 1
"""The first format: an architecture without sections."""

SECTIONS = {
    "embedding": ("encoder.embedding", "decoder.embedding"),
    "hidden": ("encoder.hidden", "decoder.hidden"),
    "encoder_layers": ("encoder.layers",),
    "dropout": ("encoder.dropout", "decoder.dropout"),
    "query_dropout": ("decoder.query_dropout",),
    "tag_embedding": ("tags.size",),
    "copies_unknown": ("emission.copies_unknown",),
    "copy_gate": ("emission.copy_gate",),
}
"""Where the fields of a format-1 architecture are now; `aligner` and `width` are handled apart."""


def upgrade_config(raw: dict[str, Any]) -> dict[str, Any]:
    """config.json as read, in today's format. What is not understood is kept, for the validation that follows."""
    architecture = raw.get("architecture", {})
    if raw.get("format") != OLDEST or not isinstance(architecture, dict):
        return raw
    return {**raw, "format": 2, "architecture": _with_sections(architecture)}


def _with_sections(flat: dict[str, Any]) -> dict[str, Any]:
    """Format 1 → 2: one section per part. Every aligner had a `width`, of which only the first-order ones made use."""
    name = flat.get("aligner", "0-mono")
    aligner = {"name": name}
    if name in ("1-mono", "1-hard") and "width" in flat:
        aligner["width"] = flat["width"]
    sections: dict[str, Any] = {"encoder": {"name": "lstm"}, "decoder": {}, "emission": {}, "tags": {}}
    for old, paths in SECTIONS.items():
        for section, _, field in (path.partition(".") for path in paths if old in flat):
            sections[section][field] = flat[old]
    unknown = {key: value for key, value in flat.items() if key not in {*SECTIONS, "aligner", "width"}}
    return {**sections, "aligner": aligner, **unknown}
