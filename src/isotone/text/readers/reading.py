"""One pass over one data file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from isotone.errors import DataError
from isotone.text.example import Example
from isotone.text.readers.files import label, open_bytes
from isotone.text.readers.format import Format
from isotone.text.readers.lines import MisfitError
from isotone.text.readers.table import DataFormat, format_named

__all__ = ["Reading", "read"]


class Reading(Iterable[Example]):
    """One pass over the examples of a file, which counts the lines it leaves out.

    The file is opened at the first example and closed after the last; only the current line is kept in memory.
    """

    def __init__(
        self,
        path: str | Path,
        format: Format,
        *,
        skip_bad: bool,
        targets: bool,
        may_be_empty: bool = False,
        on_skip: Callable[[str], None] = lambda _: None,
        on_end: Callable[[Reading], None] = lambda _: None,
    ) -> None:
        self.path = path
        self.format = format
        self.count = 0
        """Examples returned so far."""
        self.skipped = 0
        """Lines left out so far because they do not fit; always 0 without `skip_bad`."""
        self.first_skipped: str | None = None
        """The message for the first line left out."""
        self._skip_bad = skip_bad
        self._may_be_empty = may_be_empty
        self._on_skip = on_skip
        self._on_end = on_end
        self._examples = self._read(targets)

    def __iter__(self) -> Iterator[Example]:
        return self._examples

    @property
    def left_out(self) -> str | None:
        """One line about the lines left out so far; None where there are none."""
        lines = "1 line" if self.skipped == 1 else f"{self.skipped} lines"
        return f"{self.path}: left out {lines}; the first: {self.first_skipped}" if self.skipped else None

    def _read(self, targets: bool) -> Iterator[Example]:
        name, empty = label(self.path), 0
        with open_bytes(self.path) as stream:
            try:
                for example in self.format.parser(stream, targets, self._on_misfit):
                    self.count += 1
                    empty += example.target == ""
                    yield example
            except MisfitError as misfit:  # the parser cannot go on, so there is nothing to skip to
                raise DataError(f"{name}:{misfit.number}: {misfit}") from None
        if self.count == 0 and (self.skipped or not self._may_be_empty):
            left_out = f"; {self.skipped} left out, first {self.first_skipped}" if self.skipped else ""
            raise DataError(f"{name}: no examples found (expected {self.format.expected}{left_out})")
        if empty == self.count > 1:
            raise DataError(f"{name}: all {self.count} targets are empty; is this a test file without its answers?")
        self._on_end(self)

    def _on_misfit(self, number: int, reason: str) -> None:
        message = f"{label(self.path)}:{number}: {reason}"
        if not self._skip_bad:
            raise DataError(message)
        self.skipped += 1
        self.first_skipped = self.first_skipped or message
        self._on_skip(message)


def read(
    path: str | Path,
    format: str | Format | DataFormat,
    *,
    skip_bad: bool = False,
    targets: bool = True,
    may_be_empty: bool = False,
    on_skip: Callable[[str], None] = lambda _: None,
    on_end: Callable[[Reading], None] = lambda _: None,
) -> Reading:
    """The examples of `path` (`-` is standard input), one by one.

    A line that does not fit raises DataError with file, line and what was expected; with `skip_bad` it is left out and
    counted in `.skipped`, and `on_skip` hears the message; `on_end` is called when the file has been read to its end.
    With `targets=False`, for prediction, targets are neither needed nor returned. A file without examples raises
    DataError too, unless it `may_be_empty`.
    """
    named = format_named(format) if isinstance(format, str) else format
    chosen = named.format() if isinstance(named, DataFormat) else named
    return Reading(
        path,
        chosen,
        skip_bad=skip_bad,
        targets=targets,
        may_be_empty=may_be_empty,
        on_skip=on_skip,
        on_end=on_end,
    )
