"""One pass over one data file."""

from collections.abc import Iterator
from pathlib import Path

from isotone.errors import DataError
from isotone.text.example import Example
from isotone.text.readers.files import label, open_bytes
from isotone.text.readers.format import Format
from isotone.text.readers.lines import MisfitError
from isotone.text.readers.table import format_named

__all__ = ["Reading", "read"]


class Reading(Iterator[Example]):
    """An iterator over the examples of a file that keeps count of what it leaves out.

    The file is opened at the first example and closed after the last; nothing but the current line is kept.
    """

    def __init__(
        self, path: str | Path, format: Format, *, skip_bad: bool, targets: bool, may_be_empty: bool = False
    ) -> None:
        self.path = path
        self.format = format
        self.count = 0
        """Examples given so far."""
        self.skipped = 0
        """Lines left out so far because they do not fit; always 0 without `skip_bad`."""
        self.first_skipped: str | None = None
        """The message about the first line left out."""
        self._skip_bad = skip_bad
        self._may_be_empty = may_be_empty
        self._examples = self._read(targets)

    def __next__(self) -> Example:
        example = next(self._examples)
        self.count += 1
        return example

    def _read(self, targets: bool) -> Iterator[Example]:
        name = label(self.path)
        with open_bytes(self.path) as stream:
            try:
                yield from self.format.parser(stream, targets, self._on_misfit)
            except MisfitError as misfit:  # beyond this the file makes no sense, so there is nothing to skip to
                raise DataError(f"{name}:{misfit.number}: {misfit}") from None
        if self.count == 0 and (self.skipped or not self._may_be_empty):
            left_out = f"; {self.skipped} left out, first {self.first_skipped}" if self.skipped else ""
            raise DataError(f"{name}: no examples found (expected {self.format.expected}{left_out})")

    def _on_misfit(self, number: int, reason: str) -> None:
        message = f"{label(self.path)}:{number}: {reason}"
        if not self._skip_bad:
            raise DataError(message)
        self.skipped += 1
        self.first_skipped = self.first_skipped or message


def read(
    path: str | Path,
    format: str | Format,
    *,
    skip_bad: bool = False,
    targets: bool = True,
    may_be_empty: bool = False,
) -> Reading:
    """The examples of `path` (`-` is standard input), one by one.

    A line that does not fit is a DataError naming file, line and what was expected; with `skip_bad` it is
    left out and counted in `.skipped`. With `targets=False`, for prediction, a target is neither needed
    nor returned. A file without examples is a DataError too, unless it `may_be_empty`.
    """
    chosen = format_named(format) if isinstance(format, str) else format
    return Reading(path, chosen, skip_bad=skip_bad, targets=targets, may_be_empty=may_be_empty)
