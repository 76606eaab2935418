"""Alphabets, vocabularies and their JSON."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isotone.errors import ModelError
from isotone.text import BOS, EOS, FIRST, PAD, UNK, Alphabet, Example, TextConfig, Texts, Vocabulary

symbols = st.lists(st.text(st.characters(), min_size=1, max_size=3), unique=True, max_size=8).map(tuple)


def test_specials_come_first_and_reserve_nothing() -> None:
    assert (PAD, BOS, UNK, EOS, FIRST) == (0, 1, 2, 3, 4)
    alphabet = Alphabet.build(["_", "<pad>", "<s>", "_"])
    assert alphabet.symbols == ("<pad>", "<s>", "_")
    assert len(alphabet) == 7
    assert alphabet.encode(["<pad>", "_", "?"]) == (4, 6, UNK)
    assert "<s>" in alphabet
    assert "?" not in alphabet
    assert alphabet.id("<s>") == 5
    assert alphabet.symbol(5) == "<s>"


@pytest.mark.parametrize("id", [-1, PAD, BOS, UNK, EOS, 5])
def test_an_id_without_a_symbol(id: int) -> None:
    with pytest.raises(ValueError, match="not a symbol of the data"):
        Alphabet(("a",)).symbol(id)


@given(symbols)
def test_ids_and_symbols_are_inverse(given_symbols: tuple[str, ...]) -> None:
    alphabet = Alphabet(given_symbols)
    assert tuple(alphabet.symbol(i) for i in alphabet.encode(given_symbols)) == given_symbols


def test_build_takes_one_pass_and_counts_source_symbols() -> None:
    def examples() -> Iterator[Example]:
        yield Example("aab", "X Y", ("V", "PST"))
        yield Example("b", None, ("N",))

    texts = Texts(target=TextConfig(segmentation="separator"))
    vocabulary, counts = Vocabulary.build(examples(), texts)
    assert vocabulary == Vocabulary(Alphabet(("a", "b")), Alphabet(("X", "Y")), ("N", "PST", "V"))
    assert counts == {"a": 2, "b": 2}


def test_build_does_not_depend_on_order() -> None:
    examples = [Example("bca", "zx", ("B",)), Example("a", "y", ("A",))]
    assert Vocabulary.build(examples, Texts())[0] == Vocabulary.build(examples[::-1], Texts())[0]


@given(symbols, symbols, symbols)
def test_json_round_trip(source: tuple[str, ...], target: tuple[str, ...], tags: tuple[str, ...]) -> None:
    vocabulary = Vocabulary(Alphabet(source), Alphabet(target), tags)
    assert Vocabulary.from_json(json.loads(json.dumps(vocabulary.to_json()))) == vocabulary


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ([], "expected an object, found list"),
        ({"source": []}, "missing target, tags"),
        ({"source": [], "target": [], "tags": [], "extra": 1}, "unknown key extra"),
        ({"source": "abc", "target": [], "tags": []}, "source: expected a list, found str"),
        ({"source": ["a", 3], "target": [], "tags": []}, r"source\[1\]: expected a string, found int"),
        ({"source": [], "target": ["a", "a"], "tags": []}, "target: symbol 'a' appears twice"),
        ({"source": [], "target": [], "tags": ["V", "V"]}, "tags: symbol 'V' appears twice"),
        ({"source": [], "target": [""], "tags": []}, "target: the empty string is not a symbol"),
    ],
)
def test_json_that_is_not_a_vocabulary(data: object, reason: str) -> None:
    with pytest.raises(ModelError, match=f"^vocabulary: {reason}$"):
        Vocabulary.from_json(data)
