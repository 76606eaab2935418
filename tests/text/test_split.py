"""The held-out split."""

from unicodedata import normalize

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from isotone.errors import ConfigError, DataError
from isotone.text import Example, split_off

examples = st.lists(
    st.builds(
        Example,
        source=st.text(st.characters(), max_size=3),
        target=st.text(max_size=2),
        tags=st.sampled_from([(), ("V",), ("V", "SG"), ("SG", "V")]),
    ),
    min_size=2,
    max_size=40,
)
many = [Example(f"word{i}", str(i)) for i in range(1000)]


@given(examples, st.floats(0.01, 0.99))
def test_invariants(given_examples: list[Example], fraction: float) -> None:
    groups = {(e.source, frozenset(e.tags)) for e in given_examples}
    assume(len({(normalize("NFC", source), tags) for source, tags in groups}) > 1)
    train, dev = split_off(given_examples, fraction)
    assert train
    assert dev
    side = {id(e) for e in dev}
    assert train == [e for e in given_examples if id(e) not in side]
    assert dev == [e for e in given_examples if id(e) in side]
    train_groups = {(e.source, frozenset(e.tags)) for e in train}
    dev_groups = {(e.source, frozenset(e.tags)) for e in dev}
    assert not train_groups & dev_groups
    assert train_groups | dev_groups == groups


@given(st.permutations(many[:30]))
def test_order_does_not_matter(shuffled: list[Example]) -> None:
    assert set(split_off(shuffled, 0.2)[1]) == set(split_off(many[:30], 0.2)[1])


def test_size_seed_and_iterables() -> None:
    train, dev = split_off(iter(many), 0.05)
    assert (len(train), len(dev)) == (950, 50)
    assert split_off(many, 0.05) == (train, dev)
    assert split_off(many, 0.05, seed=1)[1] != dev


def test_the_split_is_the_same_on_every_machine() -> None:
    assert [e.source for e in split_off(many[:20], 0.1)[1]] == ["word0", "word19"]


def test_normal_forms_of_one_source_stay_together() -> None:
    accents = [Example("é", "1"), Example("e\u0301", "2")]
    for seed in range(20):
        train, _ = split_off([*accents, *many[:3]], 0.5, seed)
        assert len(set(accents) & set(train)) in (0, 2)


@pytest.mark.parametrize("fraction", [0.0, 1.0, -0.5, 5.0, float("nan")])
def test_fractions_out_of_range(fraction: float) -> None:
    with pytest.raises(ConfigError, match="must lie between 0 and 1"):
        split_off(many, fraction)


def test_too_little_to_split() -> None:
    with pytest.raises(DataError, match="at least 2 distinct sources with tags, found 1"):
        split_off([Example("a", "b"), Example("a", "c")], 0.5)
