"""What users have decided about entries: tables with the columns source, target, tags and replacement."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from isotone.auditing.entries import Entry
from isotone.errors import DataError
from isotone.results.finding import FINDING_COLUMNS
from isotone.text.readers.files import label, open_bytes

__all__ = ["Decision", "Decisions", "key_of", "read_decisions"]

_UNESCAPES = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}

Key = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Decision:
    """One line of a file of decisions."""

    place: str
    """File and line, for messages."""
    replacement: str | None
    """The right target, where the user has named one."""


Decisions = Mapping[Key, Decision]
"""By source, target and tags."""


def key_of(entry: Entry) -> Key:
    """What a decision about an entry is found by: all of it, so that an entry that is edited is a new one."""
    return entry.example.source, entry.target, tuple(sorted(entry.example.tags))


def read_decisions(path: str | Path) -> Decisions:
    """A file of decisions: the table that `isotone audit --out` writes, with fewer lines, or one like it.

    The first line names the columns: source and target are needed, tags and replacement are used where there are any.
    Between columns stands a tab, a comma or a semicolon, as spreadsheets save them.
    """
    name = label(path)
    with open_bytes(path) as stream:
        content = stream.read()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: not valid UTF-8 (byte {error.start + 1})") from None
    heading = text.split("\n", 1)[0]
    separator = next((mark for mark in "\t;," if mark in heading), "\t")
    # In a table with tabs a quote may be part of the data: _unquoted tells.
    quoting: Literal[0, 3] = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, quoting=quoting)
    columns = [column.strip() for column in next(rows, [])]
    if missing := [column for column in ("source", "target") if column not in columns]:
        raise DataError(
            f"{name}:1: expected a line that names the columns, at least source and target; no {missing[0]}"
        )
    ours = columns[:3] == list(FINDING_COLUMNS[:3])
    found: dict[Key, Decision] = {}
    for row in rows:
        if not any(row):
            continue
        if len(row) < max(columns.index("source"), columns.index("target")) + 1:
            raise DataError(f"{name}:{rows.line_num}: expected {len(columns)} columns, found {len(row)}")
        if separator == "\t":
            row = [_unquoted(cell) for cell in row]
        cells = dict(zip(columns, (_plain(cell, ours) for cell in row), strict=False))
        tags = tuple(sorted(filter(None, cells.get("tags", "").split(";"))))
        replacement = cells.get("replacement", "") or None
        found[cells["source"], cells["target"], tags] = Decision(f"{name}:{rows.line_num}", replacement)
    return found


def _unquoted(cell: str) -> str:
    """A cell without the quotes that spreadsheets put around cells with quotes, commas or semicolons in them."""
    inner = cell[1:-1]
    quoted = len(cell) > 2 and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', "")
    return inner.replace('""', '"') if quoted and any(mark in inner for mark in '",;') else cell


def _plain(cell: str, escaped: bool) -> str:
    """What `safe_cell` was given."""
    if escaped and "\\" in cell:
        pieces, place = [], 0
        while place < len(cell):
            pair = cell[place : place + 2]
            pieces.append(_UNESCAPES.get(pair, cell[place]))
            place += 2 if pair in _UNESCAPES else 1
        cell = "".join(pieces)
    return cell[1:] if cell[:1] == "'" and cell[1:2] in {"=", "+", "-", "@", "'", "\t", "\r", "\n"} else cell
