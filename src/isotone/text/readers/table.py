"""The table of formats. Those made of tab-separated columns are defined here, the others in files of their own."""

from pydantic import BaseModel, ConfigDict, Field

from isotone.errors import ConfigError
from isotone.text.example import Example
from isotone.text.readers import recognise
from isotone.text.readers.cells import describe, paired, tagged
from isotone.text.readers.cmudict import parse_cmudict
from isotone.text.readers.columns import columns
from isotone.text.readers.format import SPACED_TARGET, Format
from isotone.text.readers.lines import by_line
from isotone.text.readers.mfa import is_mfa, parse_mfa
from isotone.text.readers.nettalk import NETTALK_COLUMNS, parse_nettalk
from isotone.text.readers.news import parse_news
from isotone.text.readers.reverse import reversed_format

__all__ = ["FORMATS", "DataFormat", "format_named"]

_FORM_THEN_TAGS = ("lemma", "form", "tags")
_TAGS_THEN_FORM = ("lemma", "tags", "form")
_WORD = ("word", "spaced phones")
_PAIR = ("source", "target")
_SPACED_PAIR = ("source", "spaced target")


_form_then_tags = tagged(_FORM_THEN_TAGS, ";")


def _unimorph(line: str, targets: bool) -> Example | None:
    # Only a line without columns is a comment: "#" may well be somebody's lemma.
    return None if line.startswith("#") and "\t" not in line else _form_then_tags(line, targets)


FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        Format(
            name="conll2017",
            summary="lemma, form, tags with semicolons (CoNLL–SIGMORPHON 2017–2020)",
            expected=describe(_FORM_THEN_TAGS),
            parser=by_line(_form_then_tags),
            has_tags=True,
            tasks=("inflection",),
            recognises=recognise.is_conll2017,
        ),
        Format(
            name="sigmorphon2016",
            summary="lemma, tags with commas, form (SIGMORPHON 2016)",
            expected=describe(_TAGS_THEN_FORM),
            parser=by_line(tagged(_TAGS_THEN_FORM, ",")),
            has_tags=True,
            tasks=("inflection",),
            recognises=recognise.is_sigmorphon2016,
        ),
        Format(
            name="sigmorphon2023",
            summary="lemma, tags with semicolons, form (SIGMORPHON 2021–2023)",
            expected=describe(_TAGS_THEN_FORM),
            parser=by_line(tagged(_TAGS_THEN_FORM, ";")),
            has_tags=True,
            tasks=("inflection",),
            recognises=recognise.is_sigmorphon2023,
        ),
        Format(
            name="unimorph",
            summary="lemma, form, tags with semicolons, and # comments (UniMorph)",
            expected=describe(_FORM_THEN_TAGS),
            parser=by_line(_unimorph),
            has_tags=True,
            tasks=("inflection",),
        ),
        Format(
            name="g2p",
            summary="word, phones with spaces between them (WikiPron, SIGMORPHON 2020–2022)",
            expected=describe(_WORD),
            parser=by_line(paired(_WORD, spaced=True, words=True)),
            texts=SPACED_TARGET,
            tasks=("g2p",),
            recognises=recognise.is_g2p,
        ),
        Format(
            name="cmudict",
            summary="word, white space, phones (CMU Pronouncing Dictionary)",
            expected="a word, white space and its phones (WORD  P H N)",
            parser=by_line(parse_cmudict),
            texts=SPACED_TARGET,
            tasks=("g2p",),
            recognises=recognise.is_cmudict,
        ),
        Format(
            name="mfa",
            summary="word, probabilities if there are any, phones (Montreal Forced Aligner)",
            expected="a word, probabilities if there are any, and its phones",
            parser=by_line(parse_mfa),
            texts=SPACED_TARGET,
            tasks=("g2p",),
            recognises=is_mfa,
        ),
        Format(
            name="nettalk",
            summary="word, one phoneme character per letter, stress, class (NETtalk)",
            expected=describe(NETTALK_COLUMNS),
            parser=by_line(parse_nettalk),
            texts=SPACED_TARGET,
            tasks=("g2p",),
        ),
        Format(
            name="news",
            summary="XML with one or more targets per name (NEWS shared tasks)",
            expected="NEWS XML with <Name>, <SourceName> and <TargetName>",
            parser=parse_news,
            tasks=("transliteration",),
            recognises=recognise.is_news,
        ),
        Format(
            name="pairs",
            summary="any two strings, source and target",
            expected=describe(_PAIR),
            parser=by_line(paired(_PAIR, spaced=False)),
            tasks=("transliteration", "transduction"),
            recognises=recognise.is_pairs,
        ),
        Format(
            name="pairs-spaced",
            summary="a string, and a target with spaces between its symbols",
            expected=describe(_SPACED_PAIR),
            parser=by_line(paired(_SPACED_PAIR, spaced=True)),
            texts=SPACED_TARGET,
            tasks=("transliteration", "transduction"),
            recognises=recognise.is_pairs_spaced,
        ),
    )
}
"""Formats by name. `columns` is not among them: it becomes a format only when its columns are named."""


def format_named(name: str) -> Format:
    """The format called `name`; raises ConfigError listing the known formats."""
    if name not in FORMATS:
        raise ConfigError(f"unknown format {name!r}, expected one of {', '.join(FORMATS)}")
    return FORMATS[name]


class DataFormat(BaseModel):
    """A format by name, or `columns` with its columns and separators: saved with a model as the default for its files.

    A `Format` holds functions and cannot be written to a file; this can.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    name: str
    """A name in the table of formats, or "columns"."""
    source: int = Field(default=1, ge=1)
    """columns: number of the source column, counted from 1."""
    target: int | None = Field(default=2, ge=1)
    """columns: number of the target column."""
    tags: int | None = Field(default=None, ge=1)
    """columns: number of the tags column, if there is one."""
    separator: str = "\t"
    """columns: the string between two columns."""
    tag_separator: str = ";"
    """columns: the string between two tags."""
    reverse: bool = False
    """Targets are sources, and sources targets."""

    def format(self) -> Format:
        """The format with its parser; raises ConfigError for an unknown name or impossible columns."""
        if self.name != "columns":
            chosen = format_named(self.name)
        else:
            chosen = columns(
                source=self.source,
                target=self.target,
                tags=self.tags,
                separator=self.separator,
                tag_separator=self.tag_separator,
            )
        return reversed_format(chosen) if self.reverse else chosen
