"""Text to symbols and back."""

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache

from isotone.text.config import TextConfig

__all__ = ["Segmenter"]


@cache
def _clusters() -> Callable[[str], list[str]]:
    """Splits text into extended grapheme clusters."""
    import regex  # type: ignore[import-untyped]  # takes a while to import, and few models need it

    found: Callable[[str], list[str]] = regex.compile(r"\X").findall
    return found


class Segmenter:
    """Splits text into symbols and joins symbols into text, for one side of a model.

    Any Unicode string is legal, lone surrogates included. `join(split(text))` is the normalised text, its
    separators tidied where there are any, and `split(join(split(text))) == split(text)`.
    """

    def __init__(self, config: TextConfig) -> None:
        self.config = config
        # Text is normalised before it is split, so the separator must be spelled the same way.
        self._separator = None if config.separator is None else self.normalise(config.separator)

    def normalise(self, text: str) -> str:
        """`text` in the configured normal form, in lower case if the configuration folds case."""
        form = self.config.normalization
        if self.config.fold_case:
            text = text.lower()  # not casefold(): the ß of a spelling is not its ss
        return text if form == "none" else unicodedata.normalize(form, text)

    def split(self, text: str) -> tuple[str, ...]:
        """The symbols of `text` after normalisation; no symbol is ever empty."""
        text = self.normalise(text)
        match self.config.segmentation:
            case "codepoints":
                return tuple(text)
            case "graphemes":
                return tuple(_clusters()(text))
            case "separator":
                # str.split(None) splits on runs of white space and never gives an empty piece.
                return tuple(piece for piece in text.split(self._separator) if piece)

    def join(self, symbols: Sequence[str]) -> str:
        """The text that `symbols` spell, in the configured normal form."""
        if self.config.segmentation == "separator":
            glue = " " if self._separator is None else self._separator
        else:
            glue = ""
        # A model may emit a letter and its accent as two symbols, so the text is normalised again.
        return self.normalise(glue.join(symbols))
