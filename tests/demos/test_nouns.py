"""German nouns."""

from collections import Counter
from collections.abc import Callable

import pytest

from isotone.demos import Corpus, load_nouns
from isotone.demos.nouns import SHOWCASE, _columns, _paradigm, _rows_by_lemma
from isotone.text.example import Example

pytest.importorskip("german_nouns", reason="german-nouns is not installed: pip install isotone[demo]")

CELLS = {("N", case, number) for case in ("NOM", "GEN", "DAT", "ACC") for number in ("SG", "PL")}


@pytest.fixture
def corpus(load_or_skip: Callable[[str], Corpus]) -> Corpus:
    return load_or_skip("german-nouns")


def test_sizes_count_nouns(corpus: Corpus) -> None:
    assert len(corpus.train) == 6_000
    assert len({example.source for example in corpus.dev}) == 500
    assert len({example.source for example in corpus.test}) == 500


def test_lemmas_are_disjoint(corpus: Corpus) -> None:
    parts = [corpus.train, corpus.dev, corpus.test, corpus.showcase]
    count = Counter(lemma for part in parts for lemma in {example.source for example in part})
    assert set(count.values()) == {1}


def test_cells_are_all_but_the_lemma_s_and_about_even(corpus: Corpus) -> None:
    count = Counter(example.tags for example in corpus.train)
    assert set(count) == CELLS - {("N", "NOM", "SG")}
    assert max(count.values()) < 2 * min(count.values())


def test_forms_are_single_plain_words(corpus: Corpus) -> None:
    for example in corpus.train + corpus.dev + corpus.test:
        assert example.source.isalpha() and example.source.istitle()
        assert (example.target or "").isalpha() and (example.target or "").istitle()


def test_real_samples(corpus: Corpus) -> None:
    assert Example("Haus", "Häusern", ("N", "DAT", "PL")) in corpus.showcase
    assert Example("Museum", "Museen", ("N", "NOM", "PL")) in corpus.showcase
    assert Example("Name", "Namens", ("N", "GEN", "SG")) in corpus.showcase


def test_training_size_moves_nothing_else(corpus: Corpus) -> None:
    small = load_nouns(train_size=100)
    assert (small.train, small.dev, small.test) == (corpus.train[:100], corpus.dev, corpus.test)


def test_a_cell_merges_its_columns_and_homonyms_main_form_first() -> None:
    header = ["nominativ singular", "genitiv singular", "genitiv singular*", "dativ plural", "dativ plural 1"]
    rows = [
        ["Bank", "Bank", "", "Bänken", "—"],
        ["Bank", "Bank", "Banks ", "", "Banken"],
        ["Geldhaus", "Geldhauses", "", "Geldhäusern", ""],  # another word's row
    ]
    assert _paradigm("Bank", rows, _columns(header)) == {
        ("N", "GEN", "SG"): ["Bank", "Banks"],
        ("N", "DAT", "PL"): ["Bänken", "Banken"],
    }


def test_showcase_has_one_reference_each() -> None:
    header, rows = _rows_by_lemma()
    for lemma, tags in SHOWCASE:
        assert len(_paradigm(lemma, rows[lemma], _columns(header))[tags]) == 1
