"""Guesses the format of a file, where only one is possible."""

from itertools import islice
from pathlib import Path

from isotone.errors import DataError
from isotone.text.readers.files import is_stdin, is_stream, label, open_bytes
from isotone.text.readers.format import Sample
from isotone.text.readers.lines import MisfitError, numbered_lines
from isotone.text.readers.table import FORMATS

__all__ = ["guess_format"]

_SAMPLE = 500  # lines
_HEAD = 4096  # bytes in which an XML document must name its root


def guess_format(path: str | Path, task: str | None = None) -> str:
    """The name of the only format whose rule (`Format.recognises`) accepts the start of `path`, given the task.

    Raises DataError asking for `--format` if several formats fit, or none, and always for standard input and
    pipes, which cannot be read twice.
    """
    if is_stdin(path):
        raise _ask(path, "the format of standard input is not guessed")
    if is_stream(path):
        raise _ask(path, "the format of a pipe is not guessed")
    sample = _sample(path, task)
    found = [format.name for format in FORMATS.values() if format.recognises and format.recognises(sample)]
    if len(found) > 1:
        raise _ask(path, f"this file could be {' or '.join(found)}")
    if not found:
        raise _ask(path, "cannot tell the format of this file")
    return found[0]


def _sample(path: str | Path, task: str | None) -> Sample:
    with open_bytes(path) as stream:
        head = stream.read(_HEAD)
    with open_bytes(path) as stream:
        # A line that cannot be decoded says nothing about the format; reading will report it with its number.
        found = islice(numbered_lines(stream, lambda *_: None), _SAMPLE)
        try:
            lines = tuple(line for _, line in found)
        except MisfitError as misfit:
            raise DataError(f"{label(path)}:{misfit.number}: {misfit}") from None
    if not lines:
        raise DataError(f"{label(path)}: no examples found (expected lines of UTF-8 text)")
    return Sample(head=head, lines=lines, task=task)


def _ask(path: str | Path, why: str) -> DataError:
    return DataError(f"{label(path)}: {why}; name it with --format ({', '.join(FORMATS)})")
