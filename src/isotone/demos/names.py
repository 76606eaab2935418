"""Names of cities and countries in English and another language, from Unicode CLDR (the `Babel` package).

Most are transliterated, but not all (Germany is "Германия" in Russian and "ドイツ" in Japanese): a small, realistic
and noisy task.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from isotone.demos.corpus import Corpus
from isotone.demos.packages import demo_package
from isotone.demos.splits import Key, Sizes, shuffled, split
from isotone.errors import ConfigError
from isotone.text.example import Example

__all__ = ["load_names"]

SHOWCASE = (
    "Copenhagen",
    "Nairobi",
    "Vancouver",
    "Samarkand",
    "Buenos Aires",
    "Kazakhstan",
    "Senegal",
    "Lima",
)
FEWEST = 100
COUNTRY = re.compile(r"[A-Z]{2}")
# Codes that look like a country's: the unions, the pseudo-locales, "unknown" and "outlying Oceania".
NOT_COUNTRIES = {"EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"}
NOT_A_CITY = "Etc/Unknown"
# A list, or a name with an explanation: "Trinidad & Tobago", "Knox, Indiana", "Myanmar (Burma)".
COMPOSED = re.compile(r"[&,،、၊()（）]| [-–—] ")
# A name with one of these is translated rather than transliterated.
TRANSLATED = re.compile(
    r"\b(Islands?|Isle|City|Cape|North|Northern|South|Southern|Western|Central|Equatorial|New|United|States"
    r"|Republic|Territor(y|ies)|American|British|Caribbean|French|SAR)\b"
)


def load_names(*, locale: str = "ru", seed: int = 0) -> Corpus:
    """Every usable name, 80 % train, 10 % dev, 10 % test: "Nairobi" → "Найроби".

    `locale` is a CLDR name such as "ru", "ja", "ar", "ka", "el", "ko" or "zh_Hant".
    """
    there, here = _locale(locale), _locale("en")
    names = _names(here, there)
    if len(names) < FEWEST:
        raise ConfigError(f"locale {locale!r} has only {len(names)} names that differ from English")
    references: dict[Key, list[str]] = {
        (name, ()): names[name] for name in shuffled(names.keys() - set(SHOWCASE), seed=seed)
    }
    tenth = len(references) // 10
    return Corpus(
        name="cldr-names",
        task="transliteration",
        title=f"Place names, English to {there.english_name} (Unicode CLDR)",
        **split(references, Sizes(train=len(references) - 2 * tenth, dev=tenth, test=tenth)),
        format="pairs",
        recipe="demo-transliteration",
        licence="Unicode License v3 (CLDR)",
        showcase=tuple(Example(name, names[name][0]) for name in SHOWCASE if name in names),
    )


def _locale(name: str) -> Any:
    babel = demo_package("babel")
    try:
        return babel.Locale.parse(name.replace("-", "_"))
    except (ValueError, babel.UnknownLocaleError) as error:
        raise ConfigError(f"no locale {name!r} in CLDR: expected a name such as 'ru', 'ja' or 'zh_Hant'") from error


def _names(here: Any, there: Any) -> dict[str, list[str]]:
    """Each English name with its distinct names there; "Singapore" is both a city and a country."""
    names: dict[str, list[str]] = {}
    for source, target in map(_clean, [*_cities(here, there), *_countries(here, there)]):
        if source == target or COMPOSED.search(f"{source}\n{target}") or TRANSLATED.search(source):
            continue
        targets = names.setdefault(source, [])
        if target not in targets:
            targets.append(target)
    return names


def _cities(here: Any, there: Any) -> Iterator[tuple[str, str]]:
    for zone, entry in there.time_zones.items():
        if "city" in entry and zone != NOT_A_CITY:
            # CLDR spells a city out in English only where the zone's name does not: "America/Sao_Paulo".
            spelled = zone.rpartition("/")[2].replace("_", " ")
            yield here.time_zones.get(zone, {}).get("city", spelled), entry["city"]


def _countries(here: Any, there: Any) -> Iterator[tuple[str, str]]:
    for code, target in there.territories.items():
        # The other codes are regions by number: "Eastern Africa".
        if COUNTRY.fullmatch(code) and code not in NOT_COUNTRIES and code in here.territories:
            yield here.territories[code], target


def _clean(pair: tuple[str, str]) -> tuple[str, str]:
    """Both names composed (NFC), without soft hyphens and direction marks."""
    source, target = (unicodedata.normalize("NFC", re.sub("[\u00ad\u200e\u200f]", "", name)).strip() for name in pair)
    return source, target
