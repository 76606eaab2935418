"""Guesses the format of a file, where there is only one it can be."""

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from isotone.errors import DataError
from isotone.text.config import TextConfig
from isotone.text.readers.cmudict import without_comment
from isotone.text.readers.files import is_stdin, label, open_bytes
from isotone.text.readers.lines import numbered_lines
from isotone.text.readers.table import FORMATS
from isotone.text.segment import Segmenter

__all__ = ["guess_format"]

_SAMPLE = 500  # lines
_HEAD = 4096  # bytes in which an XML document must name its root

_FEATURES = re.compile(r"[A-Z][A-Z0-9.+/-]*")  # a single UniMorph feature, such as N or V.PTCP
_ATTRIBUTES = re.compile(r"[^=,]+=[^=,]+(,[^=,]+=[^=,]+)*")  # pos=V,tense=PST
_TWO_SPACES = re.compile(r"\S+ {2,}\S+( \S+)*")
_ARPABET = re.compile(r"\S+( [A-Z]{1,2}[0-2]?)+")
_CLUSTERS = Segmenter(TextConfig(normalization="none", segmentation="graphemes"))


def guess_format(path: str | Path, task: str | None = None) -> str:
    """The name of the only format that the start of `path` fits, given the task.

    Where more than one would do, or none, and always for standard input, a DataError asks for `--format`.
    """
    if is_stdin(path):
        raise _ask(path, "the format of standard input is not guessed")
    with open_bytes(path) as stream:
        if b"<TransliterationCorpus" in stream.read(_HEAD):
            return "news"
    with open_bytes(path) as stream:
        # A line that cannot be decoded says nothing about the format; reading will report it with its number.
        lines = [line for _, line in islice(numbered_lines(stream, lambda *_: None), _SAMPLE)]
    if not lines:
        raise DataError(f"{label(path)}: no examples found (expected lines of UTF-8 text)")
    found = _cmudict(lines, task) or _by_columns([line.split("\t") for line in lines], task)
    if found is None:
        raise _ask(path, "cannot tell the format of this file")
    return found


def _ask(path: str | Path, why: str) -> DataError:
    return DataError(f"{label(path)}: {why}; name it with --format ({', '.join(FORMATS)})")


def _cmudict(lines: list[str], task: str | None) -> str | None:
    if any("\t" in line for line in lines):
        return None
    entries = [entry for line in lines if (entry := without_comment(line))]
    headed = lines[0].startswith(";;;")
    spaced = bool(entries) and all(_TWO_SPACES.fullmatch(entry) for entry in entries)
    arpabet = bool(entries) and task == "g2p" and all(_ARPABET.fullmatch(entry) for entry in entries)
    return "cmudict" if headed or spaced or arpabet else None


def _by_columns(rows: list[list[str]], task: str | None) -> str | None:
    widths = {len(row) for row in rows}
    if widths == {3}:
        return _inflection(list(zip(*rows, strict=True)))
    if widths == {2}:
        targets = [row[1] for row in rows]
        if task == "g2p":
            return "g2p" if 2 * sum(" " in target for target in targets) > len(targets) else None
        if task == "transliteration":
            return _transliteration(targets)
    return None


def _inflection(table: list[tuple[str, ...]]) -> str | None:
    """Which column holds the tags; it counts only if it is the only one that could."""
    if all(_ATTRIBUTES.fullmatch(cell) for cell in table[1]):
        return "sigmorphon2016"
    like_tags = [place for place, cells in enumerate(table) if _are_features(cells)]
    joined = [place for place in like_tags if any(";" in cell for cell in table[place])]
    match joined or like_tags:
        case [1]:
            return "sigmorphon2023"
        case [2]:
            return "conll2017"
        case _:
            return None


def _are_features(cells: Sequence[str]) -> bool:
    return all(";" in cell or _FEATURES.fullmatch(cell.strip()) for cell in cells)


def _transliteration(targets: list[str]) -> str | None:
    longer = [target for target in targets if len(_CLUSTERS.split(target)) > 1]
    if longer and all(_is_spelled_out(target) for target in longer):
        return "pairs-spaced"
    # Spaces everywhere, but between longer pieces: names of several words, or symbols of several letters.
    if longer and all(" " in target for target in longer):
        return None
    return "pairs"


def _is_spelled_out(target: str) -> bool:
    pieces = target.split()
    return len(pieces) > 1 and all(len(_CLUSTERS.split(piece)) == 1 for piece in pieces)
