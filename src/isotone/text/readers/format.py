"""What a format is."""

from dataclasses import dataclass, field

from isotone.text.config import TextConfig, Texts
from isotone.text.readers.lines import Parser

__all__ = ["SPACED_TARGET", "Format"]

SPACED_TARGET = Texts(target=TextConfig(segmentation="separator"))
"""Sources by code point, targets as symbols with white space between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One shape of data file; a new format is one small file with one of these, and one line in the table."""

    name: str
    """What `--format` calls it."""

    expected: str
    """What a line, or the file, should look like, in words."""

    parser: Parser
    """Bytes to examples."""

    texts: Texts = field(default_factory=Texts)
    """The segmentation natural to the format; a model may choose another."""

    has_tags: bool = False
    """Whether examples carry tags."""
