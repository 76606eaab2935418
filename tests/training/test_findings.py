"""What the data shows before training: text settings that suit it, and probable mistakes."""

import pytest

from isotone.errors import DataError
from isotone.text.config import SideChanges, TextChanges, TextConfig, Texts
from isotone.text.example import Example
from isotone.text.readers import SPACED_TARGET
from isotone.training.findings import adapted, check_sides, remarks

LOWER = [Example("abc", "A B"), Example("ßi", "S")]
HANGUL = [Example("가나", "k a"), Example("다라", "t a")]


def test_lower_case_is_folded_in_g2p_only():
    texts, said = adapted(LOWER, SPACED_TARGET, "g2p", None)
    assert texts.source.fold_case and not texts.target.fold_case and "lower case" in said[0]
    assert adapted(LOWER, SPACED_TARGET, "inflection", None) == (SPACED_TARGET, [])
    assert adapted([*LOWER, Example("Ab", "A")], SPACED_TARGET, "g2p", None) == (SPACED_TARGET, [])


@pytest.mark.parametrize("asked", [Texts(), *(SideChanges(source=TextChanges(fold_case=on)) for on in (True, False))])
def test_what_the_user_says_counts(asked):
    assert adapted(LOWER, SPACED_TARGET, "g2p", asked) == (SPACED_TARGET, [])


def test_hangul_becomes_jamo():
    texts, said = adapted(HANGUL, SPACED_TARGET, "g2p", None)
    assert texts.source.normalization == "NFD" and "jamo" in said[0]
    asked = SideChanges(source=TextChanges(normalization="NFC"))
    assert adapted(HANGUL, SPACED_TARGET, "g2p", asked) == (SPACED_TARGET, [])


def test_phones_as_sources_are_left_alone():
    reverse = Texts(source=TextConfig(segmentation="separator"))
    assert adapted([Example("a b", "ab")], reverse, "g2p", None) == (reverse, [])


def test_the_wrong_way_round():
    train = [Example("абв", "abv")]
    check_sides(train, train, Texts())
    with pytest.raises(DataError, match="wrong way round"):
        check_sides(train, [Example("abv", "абв")], Texts())
    same = [Example("abc", "cba")]  # one alphabet: nothing to tell the sides by
    check_sides(same, [Example("cba", "abc")], Texts())


def test_rare_symbols_overlap_and_swapped_columns():
    train = [Example("ab", "A B")] * 30 + [Example("abq", "A /m")]
    found = remarks(train, [Example("ab", "A B")], SPACED_TARGET, task="g2p", split=False)
    assert any("target symbols seen only once" in line and "'/m' (abq)" in line for line in found)
    assert any("'q' (abq)" in line for line in found)
    assert any(line.startswith("1 of 1 dev sources") for line in found)
    assert not any("dev sources" in line for line in remarks(train, train, SPACED_TARGET, task="g2p", split=True))
    swapped = [Example("A B", "ab")] * 30
    assert any("swapped" in line for line in remarks(swapped, [], SPACED_TARGET, task="g2p", split=False))
