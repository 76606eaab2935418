"""The one table of formats."""

from isotone.errors import ConfigError
from isotone.text.readers.cmudict import CMUDICT
from isotone.text.readers.conll2017 import CONLL2017
from isotone.text.readers.format import Format
from isotone.text.readers.g2p import G2P
from isotone.text.readers.nettalk import NETTALK
from isotone.text.readers.news import NEWS
from isotone.text.readers.pairs import PAIRS
from isotone.text.readers.pairs_spaced import PAIRS_SPACED
from isotone.text.readers.sigmorphon2016 import SIGMORPHON2016
from isotone.text.readers.sigmorphon2023 import SIGMORPHON2023
from isotone.text.readers.unimorph import UNIMORPH

__all__ = ["FORMATS", "format_named"]

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        CONLL2017,
        SIGMORPHON2016,
        SIGMORPHON2023,
        UNIMORPH,
        G2P,
        CMUDICT,
        NETTALK,
        NEWS,
        PAIRS,
        PAIRS_SPACED,
    )
}
"""Formats by name. `columns` is not among them: it is a format only once its columns are named."""


def format_named(name: str) -> Format:
    """The format called `name`; a ConfigError that lists the formats if there is none."""
    try:
        return FORMATS[name]
    except KeyError:
        raise ConfigError(f"unknown format {name!r}, expected one of {', '.join(FORMATS)}") from None
