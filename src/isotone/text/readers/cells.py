"""Lines made of tab-separated columns."""

from collections.abc import Sequence

from isotone.text.example import Example
from isotone.text.readers.lines import LineParser, MisfitError

__all__ = ["describe", "filled", "paired", "split_tags", "tagged"]


def describe(names: Sequence[str]) -> str:
    """What a line should look like, for messages: "3 tab-separated columns (lemma, form, tags)"."""
    return f"{len(names)} tab-separated columns ({', '.join(names)})"


def filled(cell: str, name: str, *, spaced: bool = False) -> str:
    """`cell`, unless it is empty; a spaced cell needs at least one symbol between its spaces."""
    if not (cell.strip() if spaced else cell):
        raise MisfitError(f"empty {name}")
    return cell


def split_tags(cell: str, separator: str) -> tuple[str, ...]:
    """The tags of `cell`, without the empty ones that doubled or trailing separators leave."""
    return tuple(tag for piece in cell.split(separator) if (tag := piece.strip()))


def paired(names: tuple[str, str], *, spaced: bool) -> LineParser:
    """Two columns, source and target; for prediction the source alone will do and the rest is ignored."""

    def parse(line: str, targets: bool) -> Example:
        cells = line.split("\t")
        if not targets:
            return Example(filled(cells[0], names[0]))
        if len(cells) != 2:
            raise MisfitError(f"expected {describe(names)}, found {len(cells)}")
        return Example(filled(cells[0], names[0]), filled(cells[1], names[1], spaced=spaced))

    return parse


def tagged(names: tuple[str, str, str], tag_separator: str) -> LineParser:
    """Three columns, named in their order: "lemma" first, then "form" and "tags" either way round.

    For prediction two columns, lemma and tags, will do; the form of a full line is ignored.
    """
    form, tags = names.index("form"), names.index("tags")

    def parse(line: str, targets: bool) -> Example:
        cells = line.split("\t")
        if len(cells) == 3:
            target = filled(cells[form], "form") if targets else None
            tag_cell = cells[tags]
        elif len(cells) == 2 and not targets:
            target, tag_cell = None, cells[1]
        else:
            short = "" if targets else f"{describe(('lemma', 'tags'))} or "
            raise MisfitError(f"expected {short}{describe(names)}, found {len(cells)}")
        found = split_tags(tag_cell, tag_separator)
        if not found:
            raise MisfitError("empty tags")
        return Example(filled(cells[0], "lemma"), target, found)

    return parse
