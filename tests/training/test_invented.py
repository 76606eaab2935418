"""Sources without targets: cells of paradigms without a form, and words that look like the known ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isotone.text.config import TextConfig
from isotone.text.example import Example
from isotone.training import invented
from isotone.training.cells import empty_cells
from isotone.training.invented import invented_sources, invented_words

PAIRS = [
    Example("Haus", "Häuser", ("N", "PL")),
    Example("Haus", "Hause", ("N", "DAT", "SG")),
    Example("Tag", "Tage", ("N", "PL")),
    Example("gehen", "ging", ("V", "PST")),
    Example("gehen", "gehend", ("V.PTCP", "PRS")),
    Example("sein", "war", ("V", "PST")),
    Example("sein", "bist", ("V", "2", "SG")),
    Example("ohne", "ohne"),
]


def cell(source, *tags):
    return Example(source, None, tags)


def test_every_lemma_has_the_cells_of_its_kinds():
    assert empty_cells(PAIRS, 100) == [cell("Tag", "N", "DAT", "SG"), cell("gehen", "V", "2", "SG")]


def test_tags_in_another_order_are_the_same_cell():
    assert empty_cells([*PAIRS[:3], Example("Tag", "Tage", ("N", "SG", "DAT"))], 100) == []


def test_data_without_tags_has_none():
    assert empty_cells([Example("a", "b"), Example("c", "d")], 100) == empty_cells([], 100) == []


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("NV"), st.sampled_from("123456")), max_size=20),
    st.integers(0, 30),
)
def test_a_limit_draws_some_of_all(cells, limit):
    pairs = [Example(lemma, "x", (kind, tag)) for lemma, kind, tag in cells]
    every = empty_cells(pairs, 1000)
    known = {(pair.source, pair.tags) for pair in pairs}
    columns = {(kind, tag) for _, kind, tag in cells}
    rows = {(lemma, kind) for lemma, kind, _ in cells}
    expected = {(lemma, tags) for lemma, kind in rows for tags in columns if tags[0] == kind} - known
    assert {(one.source, one.tags) for one in every} == expected and len(every) == len(expected)
    some = empty_cells(pairs, limit)
    assert some == empty_cells(pairs, limit) and len(some) == min(limit, len(every))
    assert [one for one in every if one in some] == some


KNOWN = "banane ananas bananen kanne kannen nase nasen sahne same samen base basen"
WORDS = [tuple(word) for word in KNOWN.split()]


def test_invented_words_are_new_and_made_of_known_pieces(monkeypatch):
    monkeypatch.setattr(invented, "SEEN", 1)
    monkeypatch.setattr(invented, "CONTEXT", 2)
    found = invented_words(WORDS, 15)
    assert found == invented_words(WORDS, 15) and len(set(found)) == len(found) == 15
    assert not set(found) & set(WORDS)
    pieces = {piece for word in WORDS for piece in zip(("^", *word), (*word, "$"), strict=True)}
    for word in found:
        assert len(word) <= 7 and set(zip(("^", *word), (*word, "$"), strict=True)) <= pieces


def test_there_may_be_nothing_to_invent(monkeypatch):
    monkeypatch.setattr(invented, "SEEN", 1)
    assert invented_words([], 10) == invented_words([()], 10) == invented_words([("a",)], 10) == []
    assert invented_words(WORDS, 0) == []


@given(st.lists(st.lists(st.sampled_from(["a", "sch", "́"]), max_size=5).map(tuple), max_size=8), st.integers(0, 20))
def test_any_symbols_will_do(words, limit):
    found = invented_words(words, limit)
    assert len(found) <= limit and not set(found) & set(words) and all(found)


@pytest.mark.parametrize("separator", [None, "_"])
def test_sources_are_spelt_as_the_data_spells_them(separator):
    text = TextConfig(segmentation="separator", separator=separator)
    glue = separator or " "
    pairs = [Example(glue.join(word), "x") for word in WORDS]
    found = invented_sources(pairs, text, 0.5)
    assert len(found) == 6 and all(one.target is None and not one.tags for one in found)
    assert all(set(one.source) <= {glue, *"banesakm"} and len(one.source) % 2 for one in found)


def test_tags_ask_for_cells():
    assert invented_sources(PAIRS, TextConfig(), 2) == empty_cells(PAIRS, 16)
    assert invented_sources(PAIRS, TextConfig(), 0.125) == empty_cells(PAIRS, 1)
