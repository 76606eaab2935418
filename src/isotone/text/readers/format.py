"""What a format is: everything that reading, guessing, help texts and docs need to know about one."""

from collections.abc import Callable
from dataclasses import dataclass

from isotone.text.config import TextConfig, Texts
from isotone.text.readers.lines import Parser

__all__ = ["SPACED_TARGET", "Format", "Sample"]

_PLAIN = Texts.model_construct(source=TextConfig.model_construct(), target=TextConfig.model_construct())
# Made without checking, which nothing in this table needs: pydantic takes longer to build its checks than help to draw.
SPACED_TARGET = _PLAIN.model_copy(update={"target": TextConfig.model_construct(segmentation="separator")})
"""Sources by code point, targets as symbols with white space between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The start of a file, from which its format is guessed."""

    head: bytes
    """The first few thousand bytes, decompressed."""

    lines: tuple[str, ...]
    """The first few hundred lines that are not blank; at least one."""

    task: str | None
    """The task the file is for, where it is known."""

    @property
    def rows(self) -> list[list[str]]:
        """The lines, split at tabs."""
        return [line.split("\t") for line in self.lines]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One kind of data file. A new format is one of these records and one line in the table."""

    name: str
    """Its name for `--format`."""

    summary: str
    """One line for help texts and docs: the columns, and where such files come from."""

    expected: str
    """What a line, or the file, should look like, for error messages: "expected …, found 2"."""

    parser: Parser
    """Turns the bytes of a file into examples."""

    texts: Texts = _PLAIN
    """The format's own normalisation and segmentation; users can override them for a model."""

    has_tags: bool = False
    """Whether examples carry tags."""

    tasks: tuple[str, ...] = ()
    """Names of the tasks whose data usually comes in this format; none if it suits any task."""

    recognises: Callable[[Sample], bool] | None = None
    """Whether a file that starts like this is certainly of this format; without a rule the format is never guessed."""
