"""The CMU Pronouncing Dictionary: `WORD  W ER1 D`, old and new layout."""

import re

from isotone.text.example import Example
from isotone.text.readers.lines import MisfitError

__all__ = ["parse_cmudict", "without_comment"]

# A trailing comment follows white space. At the start of a line "# …" is one, but "#HASH-MARK" is an entry.
_COMMENT = re.compile(r"\s#.*|^#(?:\s.*)?$", re.DOTALL)
_VARIANT = re.compile(r"(?<=.)\(\d+\)$", re.DOTALL)


def without_comment(line: str) -> str:
    """`line` without its comment and surrounding white space; empty if there is nothing else."""
    return "" if line.startswith(";;;") else _COMMENT.sub("", line).strip()


def parse_cmudict(line: str, targets: bool) -> Example | None:
    """One entry, without the number of its variant; None for a comment."""
    entry = without_comment(line)
    if not entry:
        return None
    word, *phones = entry.split()
    if targets and not phones:
        raise MisfitError(f"expected a word, white space and its phones (WORD  P H N), found only {word!r}")
    return Example(_VARIANT.sub("", word), " ".join(phones) if targets else None)
