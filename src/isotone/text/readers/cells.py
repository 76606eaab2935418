"""Lines made of tab-separated columns."""

from collections.abc import Sequence

from isotone.text.example import Example
from isotone.text.readers.lines import LineParser, MisfitError

__all__ = ["describe", "filled", "paired", "split_tags", "tagged"]


def describe(names: Sequence[str]) -> str:
    """A line's columns, for error messages: "3 tab-separated columns (lemma, form, tags)"."""
    return f"{len(names)} tab-separated columns ({', '.join(names)})"


def filled(cell: str, name: str, *, spaced: bool = False) -> str:
    """`cell` itself; raises MisfitError if it is empty or, for a spaced cell, nothing but white space."""
    if not (cell.strip() if spaced else cell):
        raise MisfitError(f"empty {name}")
    return cell


def split_tags(cell: str, separator: str) -> tuple[str, ...]:
    """The tags of `cell`; doubled and trailing separators are ignored."""
    return tuple(tag for piece in cell.split(separator) if (tag := piece.strip()))


def paired(names: tuple[str, str], *, spaced: bool, words: bool = False) -> LineParser:
    """A parser for two columns, source and target; for prediction only the source is needed and used.

    Sources that are `words` are taken without the white space around them.
    """

    def parse(line: str, targets: bool) -> Example:
        cells = line.split("\t")
        source = cells[0].strip() if words else cells[0]
        if not targets:
            return Example(filled(source, names[0]))
        if len(cells) != 2:
            raise MisfitError(f"expected {describe(names)}, found {len(cells)}")
        return Example(filled(source, names[0]), filled(cells[1], names[1], spaced=spaced))

    return parse


def tagged(names: tuple[str, str, str], tag_separator: str) -> LineParser:
    """A parser for three columns, named in their order: "lemma" first, then "form" and "tags" in either order.

    A form may be empty: the shared tasks' own files use that for a cell of the paradigm that has no form (Swiss German
    "gsee", V;IMP;SG;2). For prediction two columns, lemma and tags, will do; the form of a full line is ignored.
    """
    form, tags = names.index("form"), names.index("tags")

    def parse(line: str, targets: bool) -> Example:
        cells = line.split("\t")
        if len(cells) == 3:
            target = cells[form] if targets else None
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
