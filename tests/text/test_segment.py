"""Normalisation and segmentation."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from isotone.text import Segmenter, TextConfig, Texts

any_text = st.text(st.characters(), max_size=30)  # lone surrogates included
configs = st.builds(
    TextConfig,
    normalization=st.sampled_from(["NFC", "NFD", "NFKC", "NFKD", "none"]),
    segmentation=st.sampled_from(["codepoints", "graphemes", "separator"]),
)


def test_code_points_and_graphemes() -> None:
    text = "e\u0301🇮🇱"
    assert Segmenter(TextConfig()).split(text) == ("é", "🇮", "🇱")
    assert Segmenter(TextConfig(normalization="NFD")).split("é") == ("e", "\u0301")
    assert Segmenter(TextConfig(normalization="none")).split(text) == ("e", "\u0301", "🇮", "🇱")
    graphemes = Segmenter(TextConfig(normalization="NFD", segmentation="graphemes"))
    assert graphemes.split(text) == ("e\u0301", "🇮🇱")


def test_white_space_and_separators() -> None:
    spaced = Segmenter(TextConfig(segmentation="separator"))
    assert spaced.split(" AH0  T\u00a0S ") == ("AH0", "T", "S")
    assert spaced.join(("AH0", "T")) == "AH0 T"
    barred = Segmenter(TextConfig(segmentation="separator", separator="|"))
    assert barred.split("a b||c|") == ("a b", "c")
    assert barred.join(("a b", "c")) == "a b|c"


def test_separator_is_normalised_like_the_text() -> None:
    segmenter = Segmenter(TextConfig(segmentation="separator", separator="e\u0301"))
    assert segmenter.split("aéb") == ("a", "b")


def test_joined_text_is_in_normal_form() -> None:
    assert Segmenter(TextConfig()).join(("e", "\u0301")) == "é"


def test_empty_text_has_no_symbols() -> None:
    for kind in ("codepoints", "graphemes", "separator"):
        segmenter = Segmenter(TextConfig.model_validate({"segmentation": kind}))
        assert segmenter.split("") == ()
        assert segmenter.join(()) == ""


@given(any_text, configs)
def test_splitting_loses_nothing(text: str, config: TextConfig) -> None:
    segmenter = Segmenter(config)
    symbols = segmenter.split(text)
    assert all(symbols)
    if config.segmentation == "separator":
        assert segmenter.split(segmenter.join(symbols)) == symbols
    else:
        form = config.normalization
        expected = text if form == "none" else unicodedata.normalize(form, text)
        assert "".join(symbols) == segmenter.join(symbols) == expected


@pytest.mark.parametrize(
    "settings",
    [
        {"separator": "|"},
        {"segmentation": "separator", "separator": ""},
        {"normalization": "nfc"},
        {"lowercase": True},
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        TextConfig.model_validate(settings)


def test_settings_are_frozen_and_travel_as_json() -> None:
    texts = Texts(target=TextConfig(segmentation="separator"))
    assert Texts.model_validate_json(texts.model_dump_json()) == texts
    with pytest.raises(ValidationError):
        texts.source = TextConfig()
