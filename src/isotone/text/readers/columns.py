"""Any other table: columns and separators named one by one."""

from isotone.errors import ConfigError
from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.text.readers.cells import filled, split_tags
from isotone.text.readers.format import Format
from isotone.text.readers.lines import MisfitError, by_line

__all__ = ["columns"]


def columns(
    *,
    source: int = 1,
    target: int | None = 2,
    tags: int | None = None,
    separator: str = "\t",
    tag_separator: str = ";",
    texts: Texts | None = None,
) -> Format:
    """A format with the given columns, counted from 1; other columns are ignored and tags may be empty.

    `target` may be None for files to predict; reading for prediction never needs the target column.
    """
    named = {"source": source, "target": target, "tags": tags}
    places = {name: place for name, place in named.items() if place is not None}
    _check(places, separator, tag_separator)

    def parse(line: str, targets: bool) -> Example:
        if targets and target is None:
            raise MisfitError("no target column was named")
        cells = line.split(separator)
        needed = max(place for name, place in places.items() if targets or name != "target")
        if len(cells) < needed:
            raise MisfitError(f"expected at least {needed} columns separated by {separator!r}, found {len(cells)}")
        return Example(
            filled(cells[source - 1], f"source (column {source})"),
            filled(cells[target - 1], f"target (column {target})") if targets and target else None,
            split_tags(cells[tags - 1], tag_separator) if tags else (),
        )

    listed = ", ".join(f"{name} in column {place}" for name, place in places.items())
    return Format(
        name="columns",
        summary="columns and separators named one by one",
        expected=f"columns separated by {separator!r}: {listed}",
        parser=by_line(parse),
        texts=texts or Texts(),
        has_tags=tags is not None,
    )


def _check(places: dict[str, int], separator: str, tag_separator: str) -> None:
    for name, place in places.items():
        if place < 1:
            raise ConfigError(f"columns are counted from 1, found {name} column {place}")
    if len(set(places.values())) != len(places):
        raise ConfigError(f"two of the columns {', '.join(places)} are the same")
    if not separator or not tag_separator:
        raise ConfigError("a column or tag separator cannot be empty")
