"""Names from CLDR."""

import unicodedata
from collections.abc import Callable

import pytest

from isotone.demos import Corpus, load_names
from isotone.errors import ConfigError
from isotone.text.example import Example

pytest.importorskip("babel", reason="Babel is not installed: pip install isotone[demo]")

SCRIPTS = {
    "ru": "CYRILLIC",
    "ar": "ARABIC",
    "ka": "GEORGIAN",
    "el": "GREEK",
    "ko": "HANGUL",
    "hi": "DEVANAGARI",
}


@pytest.fixture
def russian(load_or_skip: Callable[[str], Corpus]) -> Corpus:
    return load_or_skip("cldr-names")


def test_sizes_are_80_10_10(russian: Corpus) -> None:
    dev, test = ({example.source for example in part} for part in (russian.dev, russian.test))
    total = len(russian.train) + len(dev) + len(test)
    assert 500 <= total <= 700
    assert len(dev) == len(test) == total // 10


@pytest.mark.parametrize("locale", sorted(SCRIPTS))
def test_targets_are_in_the_other_script(locale: str) -> None:
    corpus = load_names(locale=locale)
    for example in corpus.train + corpus.dev + corpus.test + corpus.showcase:
        letters = [letter for letter in example.target or "" if letter.isalpha()]
        assert letters
        assert all(unicodedata.name(letter).startswith(SCRIPTS[locale]) for letter in letters), example


@pytest.mark.parametrize("locale", ["ru", "ja", "de"])
def test_names_are_composed_and_differ(locale: str) -> None:
    corpus = load_names(locale=locale)
    for example in corpus.train + corpus.dev + corpus.test:
        assert example.source != example.target
        assert unicodedata.is_normalized("NFC", example.source + "\n" + (example.target or ""))
        assert not set("&,()\u00ad") & set(example.source + (example.target or ""))


def test_real_samples(russian: Corpus) -> None:
    assert Example("Nairobi", "Найроби") in russian.showcase
    assert Example("Buenos Aires", "Буэнос-Айрес") in russian.showcase
    assert Example("Nairobi", "ナイロビ") in load_names(locale="ja").showcase
    assert "Russian" in russian.title


def test_english_takes_its_spelling_from_cldr_over_the_zone(russian: Corpus) -> None:
    sources = {example.source for example in russian.train + russian.dev + russian.test}
    assert {"Kyiv", "Kolkata", "Los Angeles"} <= sources
    assert not {"Kiev", "Calcutta", "Los_Angeles", "Unknown City", "Unknown Region", "Eastern Africa"} & sources


def test_hyphen_and_underscore_name_the_same_locale() -> None:
    assert load_names(locale="zh-Hant") == load_names(locale="zh_Hant")


@pytest.mark.parametrize("locale", ["", "xx", "not a locale"])
def test_unknown_locale(locale: str) -> None:
    with pytest.raises(ConfigError, match="no locale"):
        load_names(locale=locale)


def test_a_locale_that_spells_as_english_does() -> None:
    with pytest.raises(ConfigError, match="has only"):
        load_names(locale="en_GB")
