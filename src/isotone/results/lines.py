"""Results as lines of text: JSON objects, and tab-separated cells that stay inside their column."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["cell", "json_line", "tsv_line"]

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def json_line(value: Mapping[str, Any]) -> str:
    """One JSON object on one line; infinities are null, as JSON has none."""
    return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False) + "\n"


def tsv_line(row: Iterable[str]) -> str:
    """The cells of a row, which are escaped already, with tabs between them."""
    return "\t".join(row) + "\n"


def cell(text: str) -> str:
    """Text that stays inside its column of tab-separated output."""
    return text.translate(_ESCAPES)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value
