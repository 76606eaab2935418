"""How formats are recognised: one rule for each format that can be, all certain rather than likely."""

import re
from collections.abc import Sequence

from isotone.text.config import TextConfig
from isotone.text.readers.cmudict import without_comment
from isotone.text.readers.format import Sample
from isotone.text.segment import Segmenter

__all__ = [
    "is_cmudict",
    "is_conll2017",
    "is_g2p",
    "is_news",
    "is_pairs",
    "is_pairs_spaced",
    "is_sigmorphon2016",
    "is_sigmorphon2023",
]

_FEATURES = re.compile(r"[A-Z][A-Z0-9.+/-]*")  # a single UniMorph feature, such as N or V.PTCP
_ATTRIBUTES = re.compile(r"[^=,]+=[^=,]+(,[^=,]+=[^=,]+)*")  # pos=V,tense=PST
_TWO_SPACES = re.compile(r"\S+ {2,}\S+( \S+)*")
_ARPABET = re.compile(r"\S+( [A-Z]{1,2}[0-2]?)+")
_CLUSTERS = Segmenter(TextConfig.model_construct(normalization="none", segmentation="graphemes"))


def is_news(sample: Sample) -> bool:
    """XML with the root element of the NEWS shared tasks."""
    return b"<TransliterationCorpus" in sample.head


def is_cmudict(sample: Sample) -> bool:
    """No tabs, and a `;;;` header, two spaces after every word, or (for g2p) nothing but ARPABET phones."""
    if any("\t" in line for line in sample.lines):
        return False
    entries = [entry for line in sample.lines if (entry := without_comment(line))]
    headed = sample.lines[0].startswith(";;;")
    spaced = bool(entries) and all(_TWO_SPACES.fullmatch(entry) for entry in entries)
    arpabet = bool(entries) and sample.task == "g2p" and all(_ARPABET.fullmatch(entry) for entry in entries)
    return headed or spaced or arpabet


def is_g2p(sample: Sample) -> bool:
    """Two columns, most targets with spaces in them; only when the task is g2p."""
    targets = _second_of_two(sample)
    return sample.task == "g2p" and 2 * sum(" " in target for target in targets) > len(targets)


def is_pairs(sample: Sample) -> bool:
    """Two columns, targets neither spelled out with spaces nor possibly so; only for transliteration."""
    targets = _second_of_two(sample)
    longer = _longer(targets)
    # Spaces everywhere, but between longer pieces: names of several words, or symbols of several letters.
    return sample.task == "transliteration" and bool(targets) and not (longer and all(" " in text for text in longer))


def is_pairs_spaced(sample: Sample) -> bool:
    """Two columns, every target spelled out with spaces; only for transliteration."""
    longer = _longer(_second_of_two(sample))
    return sample.task == "transliteration" and bool(longer) and all(map(_is_spelled_out, longer))


def is_sigmorphon2016(sample: Sample) -> bool:
    """Three columns, the second of the kind `pos=V,tense=PST`."""
    rows = _three_columns(sample)
    return bool(rows) and all(_ATTRIBUTES.fullmatch(row[1]) for row in rows)


def is_sigmorphon2023(sample: Sample) -> bool:
    """Three columns, and only the second can be the tags."""
    return not is_sigmorphon2016(sample) and _columns_like_tags(sample) == [1]


def is_conll2017(sample: Sample) -> bool:
    """Three columns, and only the third can be the tags."""
    return not is_sigmorphon2016(sample) and _columns_like_tags(sample) == [2]


def _three_columns(sample: Sample) -> list[list[str]]:
    rows = sample.rows
    return rows if all(len(row) == 3 for row in rows) else []


def _columns_like_tags(sample: Sample) -> list[int]:
    """The columns that may hold tags; those with several tags in a cell, where there are any."""
    table = list(zip(*_three_columns(sample), strict=True))
    like_tags = [place for place, cells in enumerate(table) if _are_features(cells)]
    return [place for place in like_tags if any(";" in cell for cell in table[place])] or like_tags


def _are_features(cells: Sequence[str]) -> bool:
    return all(";" in cell or _FEATURES.fullmatch(cell.strip()) for cell in cells)


def _second_of_two(sample: Sample) -> list[str]:
    rows = sample.rows
    return [row[1] for row in rows] if all(len(row) == 2 for row in rows) else []


def _longer(targets: Sequence[str]) -> list[str]:
    """The targets of more than one character as readers see them."""
    return [target for target in targets if len(_CLUSTERS.split(target)) > 1]


def _is_spelled_out(target: str) -> bool:
    pieces = target.split()
    return len(pieces) > 1 and all(len(_CLUSTERS.split(piece)) == 1 for piece in pieces)
