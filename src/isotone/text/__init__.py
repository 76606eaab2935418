"""Text, without torch: examples, symbols, numbers, and the files they come from.

Names are imported on first use, so that the command line can name the formats without loading everything.
"""

from typing import TYPE_CHECKING

from isotone.lazy import lazy_names

if TYPE_CHECKING:
    from isotone.text.codec import Codec, Encoded
    from isotone.text.config import Normalization, Segmentation, TextChanges, TextConfig, Texts
    from isotone.text.example import Example
    from isotone.text.readers import FORMATS, DataFormat, Format, Reading, columns, format_named, guess_format, read
    from isotone.text.segment import Segmenter
    from isotone.text.split import split_off
    from isotone.text.vocabulary import BOS, EOS, FIRST, PAD, UNK, Alphabet, Vocabulary

__all__ = [
    "BOS",
    "EOS",
    "FIRST",
    "FORMATS",
    "PAD",
    "UNK",
    "Alphabet",
    "Codec",
    "DataFormat",
    "Encoded",
    "Example",
    "Format",
    "Normalization",
    "Reading",
    "Segmentation",
    "Segmenter",
    "TextChanges",
    "TextConfig",
    "Texts",
    "Vocabulary",
    "columns",
    "format_named",
    "guess_format",
    "read",
    "split_off",
]

__getattr__ = lazy_names(
    __name__,
    {
        ".codec": (
            "Codec",
            "Encoded",
        ),
        ".config": (
            "Normalization",
            "Segmentation",
            "TextChanges",
            "TextConfig",
            "Texts",
        ),
        ".example": ("Example",),
        ".readers": (
            "FORMATS",
            "DataFormat",
            "Format",
            "Reading",
            "columns",
            "format_named",
            "guess_format",
            "read",
        ),
        ".segment": ("Segmenter",),
        ".split": ("split_off",),
        ".vocabulary": (
            "BOS",
            "EOS",
            "FIRST",
            "PAD",
            "UNK",
            "Alphabet",
            "Vocabulary",
        ),
    },
)
