"""The lexicon with rejected entries replaced or removed, and every other byte as it was."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from isotone.auditing.decisions import Decisions, key_of
from isotone.auditing.entries import Entry, Lexicon, parse_line
from isotone.errors import ConfigError, DataError
from isotone.files import replacing
from isotone.text.readers import DataFormat

__all__ = ["check_fix", "fixed_content", "write_fixed"]

BOM = b"\xef\xbb\xbf"


def check_fix(lexicon: Lexicon, path: Path, source: object) -> None:
    """Refuse before anything is trained what cannot be written afterwards."""
    if lexicon.content is None or any(entry.line is None for entry in lexicon.entries):
        raise ConfigError("--fix needs a lexicon file with one entry per line")
    if isinstance(source, str | Path) and path.exists() and Path(source).exists() and path.samefile(source):
        raise ConfigError(f"--fix {path}: is the lexicon itself; name another file")


def fixed_content(lexicon: Lexicon, rejected: Decisions) -> tuple[bytes, int, int]:
    """The bytes of the file, and how many entries were replaced and how many removed."""
    content, format = lexicon.content, lexicon.format
    if content is None or format is None:
        raise ConfigError("--fix needs a lexicon file with one entry per line")
    pieces, place, replaced, removed = [], 0, 0, 0
    for entry in lexicon.entries:
        decision = rejected.get(key_of(entry))
        if decision is None or entry.line is None:
            continue
        pieces.append(content[place : entry.line.start])
        place = entry.line.end
        raw = content[entry.line.start : entry.line.end]
        if decision.replacement is None:
            removed += 1
            pieces.append(BOM if entry.line.start == 0 and raw.startswith(BOM) else b"")
            continue
        replaced += 1
        try:
            pieces.append(_replaced(raw, entry, decision.replacement, format))
        except ValueError:
            where = f"{decision.place}: {decision.replacement!r}"
            raise DataError(f"{where} does not fit into line {entry.line.number} of {lexicon.name}") from None
    return b"".join([*pieces, content[place:]]), replaced, removed


def write_fixed(path: Path, content: bytes) -> None:
    """To a file that appears complete or not at all; compressed if its name ends with .gz."""
    with replacing(path) as part:
        part.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def _replaced(raw: bytes, entry: Entry, replacement: str, format: DataFormat) -> bytes:
    """The line with another target: the stretch of text that, once exchanged, is read as the same entry with it."""
    text = raw.decode()
    spaced = r"[ \t]+".join(map(re.escape, entry.target.split())) or re.escape(entry.target)
    wanted = " ".join(replacement.split())
    for pattern in (re.escape(entry.target), spaced):
        for match in reversed(list(re.finditer(f"(?={pattern})", text))):
            length = _length(pattern, text, match.start())
            changed = (text[: match.start()] + replacement + text[match.start() + length :]).encode()
            found = parse_line(changed, format)
            if (
                found is not None
                and (found.source, found.tags) == (entry.example.source, entry.example.tags)
                and " ".join((found.target or "").split()) == wanted
            ):
                return changed
    raise ValueError(replacement)


def _length(pattern: str, text: str, start: int) -> int:
    match = re.compile(pattern).match(text, start)
    return match.end() - start if match else 0
