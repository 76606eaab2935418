"""Any format without tags, read the other way round: phones to letters."""

from collections.abc import Iterator
from dataclasses import replace
from typing import IO

from isotone.errors import ConfigError
from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.text.readers.cells import filled
from isotone.text.readers.format import Format
from isotone.text.readers.lines import OnMisfit, by_line

__all__ = ["reversed_format"]


def reversed_format(format: Format) -> Format:
    """`format` with sources and targets exchanged.

    For prediction a line is one source, such as phones with spaces between them; of a line with tabs, the last column.
    """
    if format.has_tags:
        raise ConfigError(f"--reverse: {format.name} has tags, which go with the sources it names")

    def parse(stream: IO[bytes], targets: bool, on_misfit: OnMisfit) -> Iterator[Example]:
        if not targets:
            yield from _last_column(stream, targets, on_misfit)
            return
        for example in format.parser(stream, True, on_misfit):
            yield Example(example.target or "", example.source, example.tags)

    return replace(
        format,
        summary=f"{format.summary}, the other way round",
        parser=parse,
        texts=Texts(source=format.texts.target, target=format.texts.source),
        recognises=None,
    )


def _source(line: str, targets: bool) -> Example:
    return Example(filled(line.split("\t")[-1].strip(), "source"))


_last_column = by_line(_source)
