"""Dictionaries in each style: variants, probabilities, and words that a style cannot hold."""

import math

import pytest

from isotone.errors import ConfigError
from isotone.results import STYLES, Candidate, Prediction, dictionary_lines
from isotone.text.readers import read


def word(source: str, *variants: tuple[str, float], lexicon: bool = False) -> Prediction:
    candidates = tuple(
        Candidate(phones, tuple(phones.split()), math.log(p) if p else -math.inf, rank)
        for rank, (phones, p) in enumerate(variants, 1)
    )
    return Prediction(source, (), candidates, from_lexicon=lexicon)


WORDS = [
    word("read", ("R IY1 D", 0.5), ("R EH1 D", 0.25), ("R AH0", 0.001)),
    word("nowhere", ("N OW1 W EH2 R", 0.0), lexicon=True),
]


def lines(style: str, predictions: list[Prediction] = WORDS, **options) -> list[str]:
    return list(dictionary_lines(predictions, style, **options))


def test_cmudict_numbers_variants():
    assert lines("cmudict") == [
        "read  R IY1 D\n",
        "read(2)  R EH1 D\n",
        "read(3)  R AH0\n",
        "nowhere  N OW1 W EH2 R\n",
    ]


def test_mfa_probabilities_are_relative_to_the_best_and_never_below_what_mfa_allows():
    assert lines("mfa") == [
        "read\t1.0\tR IY1 D\n",
        "read\t0.5\tR EH1 D\n",
        "read\t0.01\tR AH0\n",
        "nowhere\t1.0\tN OW1 W EH2 R\n",
    ]


def test_tsv_has_a_header_and_true_probabilities():
    assert lines("tsv")[:2] == ["word\tpronunciation\tprobability\trank\torigin\n", "read\tR IY1 D\t0.5\t1\tmodel\n"]
    assert lines("tsv")[-1] == "nowhere\tN OW1 W EH2 R\t0\t1\tlexicon\n"


def test_lexicon_is_two_columns():
    assert lines("lexicon")[1] == "read\tR EH1 D\n"


def test_words_and_pronunciations_come_once_and_ranks_have_no_gaps():
    twice = [word("a", ("X", 0.5), ("", 0.3), ("X", 0.2), ("Y", 0.1)), word("a", ("Z", 1.0))]
    assert lines("cmudict", twice) == ["a  X\n", "a(2)  Y\n"]


def test_what_does_not_fit_is_left_out_and_named():
    odd = [word("new york", ("N", 1.0)), word("silent", ("", 1.0)), word("", ("X", 1.0)), word("ok", ("X", 1.0))]
    left = []
    assert lines("mfa", odd, on_left_out=lambda each, reason: left.append((each.source, reason))) == ["ok\t1.0\tX\n"]
    assert [source for source, _ in left] == ["new york", "silent", ""]
    assert "white space" in left[0][1] and "no pronunciation" in left[1][1]
    assert lines("lexicon", odd) == ["new york\tN\n", "ok\tX\n"]


def test_an_unknown_style_is_refused():
    with pytest.raises(ConfigError, match="cmudict, mfa, tsv, lexicon"):
        lines("kaldi")
    assert all(name == style.name for name, style in STYLES.items())


@pytest.mark.parametrize("style", ["cmudict", "lexicon"])
def test_dictionaries_can_be_read_back(style, tmp_path):
    file = tmp_path / "words.dict"
    file.write_text("".join(lines(style)), encoding="utf-8")
    found = [(example.source, example.target) for example in read(file, "cmudict" if style == "cmudict" else "g2p")]
    assert found == [(p.source, c.target) for p in WORDS for c in p.candidates]
