"""Characters that look like others, as they turn up in phonetic and orthographic lexicons.

Unicode's own list of confusables (UTS #39) has thousands of pairs, most of which matter for domain names only, and it
treats as one what phoneticians must keep apart. This is the part that lexicographers type by mistake: keyboards have no
ɡ, ː or ʻ, and word processors curl quotes. Letters of other scripts (Cyrillic а for a) are found by mixed scripts, and
full-width forms, ligatures and the like by Unicode's own compatibility normalisation.
"""

from __future__ import annotations

import unicodedata

__all__ = ["look_alikes"]

_GROUPS = (
    "gɡ",
    ":ː∶꞉˸",
    "'’‘ʼʻʹ′ˈ`´ʽʾʿ‛",
    '"“”„″˝ˮ',
    ",ˌ‚",
    "əǝә",
    "ɛεєԑ",
    "ɸφϕ",
    "βßꞵ",
    "θϴө",
    "χꭓ",
    "ɣγ",
    "ʋυ",
    "ɑα",
    "ɪıι",
    "ʊᴜ",
    "ʃ∫ſ",
    "ʒӡȝ",
    "!ǃ",
    "|ǀ∣",
    "ǁ∥",
    "-‐‑−–—",
    "~˜∼",
    "?ʔ",
    "3ɜз",
    "ɾг",
    "ŋη",
    "ðδ",
    "ɫł",
    "ˑ·‧∙•",
    "ʰʱ",
    "ɐᴀ",
)
"""In each group any character may be typed for any other."""

_ALIKE: dict[str, str] = {}
for _group in _GROUPS:
    for _character in _group:
        _ALIKE[_character] = _ALIKE.get(_character, "") + _group.replace(_character, "")


def look_alikes(character: str) -> tuple[str, ...]:
    """Characters that it may have been typed for."""
    folded = unicodedata.normalize("NFKC", character)
    plain = (folded,) if folded != character and len(folded) == 1 else ()
    return (*_ALIKE.get(character, ""), *plain)
