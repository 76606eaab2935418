"""The cut into train, dev and test."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isotone.demos.splits import Key, Sizes, draw, shuffled, split
from isotone.errors import ConfigError
from isotone.text.example import Example


def test_draw_is_the_same_on_every_machine() -> None:
    assert draw("cat", seed=0) == 8827344131216796935
    assert draw("cat", seed=1) != draw("cat", seed=0)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))), st.integers(0, 5))
def test_shuffled_forgets_the_order_it_was_given(texts: list[str], seed: int) -> None:
    order = shuffled(texts, seed=seed)
    assert sorted(order) == sorted(set(texts))
    assert order == shuffled(reversed(texts), seed=seed)


def test_split_keeps_a_key_whole() -> None:
    references: dict[Key, list[str]] = {("a", ()): ["1", "2"], ("b", ("N",)): ["3"], ("c", ()): ["4", "5"]}
    assert split(references, Sizes(train=1, dev=1, test=1)) == {
        "test": (Example("a", "1"), Example("a", "2")),
        "dev": (Example("b", "3", ("N",)),),
        "train": (Example("c", "4"),),
    }


def test_too_many_words_asked_for() -> None:
    with pytest.raises(ConfigError, match="12,000 words were asked for, but the corpus has only 1"):
        split({("a", ()): ["1"]}, Sizes(train=10_000, dev=1_000, test=1_000))


@pytest.mark.parametrize("sizes", [(0, 1, 1), (1, 0, 1), (1, 1, -1)])
def test_no_split_is_empty(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(ConfigError, match="at least one word"):
        Sizes(*sizes)
