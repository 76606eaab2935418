"""Any symbol, made visible, and the columns it takes on a terminal."""

import unicodedata
from collections.abc import Sequence

__all__ = ["centred", "display_width", "spelled", "visible"]

_DOTTED_CIRCLE = "\u25cc"
_LEADING_JAMO_FILLER = "\u115f"
_COMPATIBILITY_JAMO = {
    **dict(zip(range(0x1100, 0x1113), "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ", strict=True)),
    **{0x1161 + place: chr(0x314F + place) for place in range(21)},
    **dict(zip(range(0x11A8, 0x11C3), "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ", strict=True)),
}
"""Modern conjoining jamo as the letters of a keyboard, which fonts draw without a syllable around them."""
_JOINERS = frozenset("\u200c\u200d")


def visible(symbol: str) -> str:
    """The symbol as something that can be seen, encoded, and put next to others without disturbing them.

    A blank becomes ␣, marks get a ◌ to sit on, a jamo by itself its compatibility form (an old one its filler);
    controls, lone surrogates and directional formatting become U+XXXX, inside longer symbols too.
    """
    if not symbol:
        return "∅"
    if len(symbol) == 1 and ord(symbol) in _COMPATIBILITY_JAMO:
        return _COMPATIBILITY_JAMO[ord(symbol)]
    if all(map(_is_shaping, symbol)):
        return " ".join(_code_point(character) for character in symbol)
    shown = "".join(_shown(character) for character in symbol)
    if unicodedata.category(symbol[0]).startswith("M"):
        return _DOTTED_CIRCLE + shown
    return _LEADING_JAMO_FILLER + shown if _is_following_jamo(symbol[0]) else shown


def spelled(symbols: Sequence[str]) -> str:
    """A whole string for reading: letters set solid, longer symbols such as phones apart."""
    gap = " " if any(_letters(symbol) > 1 for symbol in symbols) else ""
    return "".join(" " if character == " " else _shown(character) for character in gap.join(symbols))


def _letters(symbol: str) -> int:
    """Characters that are not marks: 1 for a letter with its accents."""
    return sum(not unicodedata.category(character).startswith("M") for character in symbol)


def _shown(character: str) -> str:
    if character == " ":
        return "␣"
    category = unicodedata.category(character)
    hidden = category in {"Cc", "Cs", "Cn", "Zs", "Zl", "Zp"} or (category == "Cf" and not _is_shaping(character))
    return _code_point(character) if hidden else character


def _is_shaping(character: str) -> bool:
    """Joiners shape the letters around them and tags spell flags; other formatting could reorder the line."""
    return character in _JOINERS or "\U000e0020" <= character <= "\U000e007f"


def _code_point(character: str) -> str:
    return f"U+{ord(character):04X}"


def _is_following_jamo(character: str) -> bool:
    """Hangul vowels and finals that terminals draw over the consonant before them."""
    return "\u1160" <= character <= "\u11ff" or "\ud7b0" <= character <= "\ud7ff"


def display_width(text: str) -> int:
    """Terminal columns: 2 for wide characters, 0 for marks, formatting and following jamo, else 1."""
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"} or _is_following_jamo(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def centred(text: str, width: int) -> str:
    """`text` in the middle of `width` terminal columns."""
    room = max(width - display_width(text), 0)
    return " " * (room // 2) + text + " " * (room - room // 2)
