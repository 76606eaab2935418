"""What `isotone train` reads: which format, which pairs, how they are cut into symbols."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from isotone.cli.data_options import DataOptions
from isotone.errors import ConfigError, DataError

if TYPE_CHECKING:
    from isotone.text.config import TextConfig, Texts
    from isotone.text.example import Example
    from isotone.text.readers import DataFormat

__all__ = ["guess", "read_pairs", "texts_for"]

SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*%")
"""A `--dev` that is no file."""


def guess(train: str, dev: str, task: str) -> str:
    """The format of the training file; a dev file that is certainly of another one is a mistake."""
    from isotone.evaluation import task_named
    from isotone.text.readers import guess_format

    task_named(task)
    found = guess_format(train, task)
    other = found
    if not SHARE.fullmatch(dev):
        with suppress(DataError):  # not certain; reading will tell
            other = guess_format(dev, task)
    if other != found:
        raise DataError(f"{dev}: looks like {other}, but {train} like {found}; name one with --format")
    return found


def read_pairs(train: str, dev: str, format: DataFormat, data: DataOptions) -> tuple[list[Example], list[Example]]:
    """Training and dev pairs; dev may be a share of the training pairs."""
    from isotone.text.split import split_off

    pairs = list(data.read(train, format))
    if share := SHARE.fullmatch(dev):
        return split_off(pairs, float(share[1]) / 100)
    return pairs, list(data.read(dev, format))


def texts_for(format: DataFormat, normalization: str, source: str | None, target: str | None) -> Texts:
    """The format's own segmentation, unless the user names another."""
    from pydantic import ValidationError

    from isotone.text.config import Texts

    natural = format.format().texts
    try:
        return Texts(
            source=_text(natural.source, normalization, source), target=_text(natural.target, normalization, target)
        )
    except ValidationError as error:
        raise ConfigError(f"--normalization or symbols: {error.errors()[0]['msg']}") from error


def _text(natural: TextConfig, normalization: str, symbols: str | None) -> TextConfig:
    from isotone.text.config import TextConfig

    values = natural.model_dump() | {"normalization": normalization}
    if symbols in {"codepoints", "graphemes"}:
        values |= {"segmentation": symbols, "separator": None}
    elif symbols is not None:
        values |= {"segmentation": "separator", "separator": None if symbols == "spaces" else symbols}
    return TextConfig.model_validate(values)
