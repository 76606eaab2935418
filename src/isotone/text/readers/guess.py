"""Guesses the format of a file, where only one is possible."""

from collections import Counter
from dataclasses import replace
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
    found = _recognised(sample)
    if len(found) > 1:
        raise _ask(path, f"this file could be {' or '.join(found)}")
    if not found:
        raise _ask(path, _near_miss(path, sample) or "cannot tell the format of this file")
    return found[0]


def _near_miss(path: str | Path, sample: Sample) -> str | None:
    """What the file looks like but for a few lines with another number of columns, or with its columns swapped."""
    widths = Counter(len(row) for row in sample.rows)
    usual = widths.most_common(1)[0][0]
    odd = [place for place, row in enumerate(sample.rows) if len(row) != usual]
    if odd and len(odd) <= max(3, len(sample.lines) // 20):
        rest = replace(sample, lines=tuple(line for place, line in enumerate(sample.lines) if place not in odd))
        if len(found := _recognised(rest)) == 1:
            number = _numbers(path)[odd[0]]
            more = f" and {len(odd) - 1} more" if len(odd) > 1 else ""
            columns = "1 column" if (width := len(sample.rows[odd[0]])) == 1 else f"{width} columns"
            hint = f"--format {found[0]} --skip-bad leaves such lines out"
            return f"looks like {found[0]}, except line {number}{more} (found {columns}): {hint}"
    swapped = replace(sample, lines=tuple("\t".join(reversed(row)) for row in sample.rows))
    if usual == 2 and not odd and _recognised(swapped) == ["g2p"]:
        return "looks like g2p with its columns swapped: phones first, words second"
    return None


def _recognised(sample: Sample) -> list[str]:
    return [format.name for format in FORMATS.values() if format.recognises and format.recognises(sample)]


def _numbers(path: str | Path) -> list[int]:
    """The line numbers of the sample."""
    with open_bytes(path) as stream:
        return [number for number, _ in islice(numbered_lines(stream, lambda *_: None), _SAMPLE)]


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
