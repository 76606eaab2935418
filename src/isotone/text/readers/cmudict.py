"""The CMU Pronouncing Dictionary: `WORD  W ER1 D`, old and new layout."""

import re

from isotone.text.example import Example
from isotone.text.readers.format import SPACED_TARGET, Format
from isotone.text.readers.lines import MisfitError, by_line

__all__ = ["CMUDICT", "without_comment"]

# A trailing comment follows white space. At the start of a line "# …" is one, but "#HASH-MARK" is an entry.
_COMMENT = re.compile(r"\s#.*|^#(?:\s.*)?$", re.DOTALL)
_VARIANT = re.compile(r"(?<=.)\(\d+\)$", re.DOTALL)


def without_comment(line: str) -> str:
    """`line` without its comment and the space around it; empty if it was nothing else."""
    return "" if line.startswith(";;;") else _COMMENT.sub("", line).strip()


def _parse(line: str, targets: bool) -> Example | None:
    entry = without_comment(line)
    if not entry:
        return None
    word, *phones = entry.split()
    if targets and not phones:
        raise MisfitError(f"expected {CMUDICT.expected}, found only {word!r}")
    return Example(_VARIANT.sub("", word), " ".join(phones) if targets else None)


CMUDICT = Format(
    name="cmudict",
    expected="a word, white space and its phones (WORD  P H N)",
    parser=by_line(_parse),
    texts=SPACED_TARGET,
)
