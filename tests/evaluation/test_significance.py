import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotone.errors import DataError
from isotone.evaluation import paired_permutation_test

tenths = st.integers(-30, 30)


def test_four_wins_by_hand():
    # Of 16 flips only ++++ and −−−− are as far from 0.
    result = paired_permutation_test([1, 2, 3, 4], [0, 0, 0, 0])
    assert (result.difference, result.p_value, result.n, result.exact) == (2.5, 2 / 16, 4, True)


def test_three_differences_by_hand():
    # 3, 2, −1 sum to 4; of ±6, ±4, ±2, ±0 (with |3±2±1|: 6, 4, 2, 0) four of eight reach 4.
    assert paired_permutation_test([3, 2, 0], [0, 0, 1]).p_value == pytest.approx(4 / 8)


def test_ties_survive_decimal_scores():
    # Every difference is 0.6 up to the last bit: of ++++, +++−, … ten flips of sixteen reach |1.2|.
    first, second = [94.4, 93.8, 41.2, 0.7], [93.8, 93.2, 40.6, 1.3]
    assert paired_permutation_test(first, second).p_value == pytest.approx(10 / 16)


def test_sixteen_are_enumerated_seventeen_are_sampled():
    sixteen = paired_permutation_test([1.0] * 16, [0.0] * 16)
    assert (sixteen.p_value, sixteen.exact) == (2 / 2**16, True)
    seventeen = paired_permutation_test([1.0] * 17, [0.0] * 17, resamples=999)
    assert not seventeen.exact
    assert seventeen.p_value == pytest.approx(2 / 1000)  # (0 + 1)/(999 + 1) on either side


def test_sampling_approaches_the_exact_value_and_obeys_its_seed():
    first, second = [i % 5 for i in range(18)], [i % 3 for i in range(18)]
    differences = [a - b for a, b in zip(first, second, strict=True)]
    exact = enumerate_flips(differences)
    result = paired_permutation_test(first, second, seed=1)
    assert result.p_value == pytest.approx(exact, abs=0.02)
    assert result == paired_permutation_test(first, second, seed=1)


def enumerate_flips(differences):
    """All sign patterns by a table of counts of sums: an oracle for integers."""
    counts = {0: 1}
    for difference in differences:
        grown = {}
        for (total, count), sign in itertools.product(counts.items(), (1, -1)):
            grown[total + sign * difference] = grown.get(total + sign * difference, 0) + count
        counts = grown
    observed = abs(sum(differences))
    far = sum(count for total, count in counts.items() if abs(total) >= observed)
    return far / 2 ** len(differences)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(tenths, tenths), min_size=1, max_size=9))
def test_exact_p_values_are_those_of_the_enumeration(pairs):
    first, second = [a / 10 for a, _ in pairs], [b / 10 for _, b in pairs]
    result = paired_permutation_test(first, second)
    assert result.p_value == pytest.approx(enumerate_flips([a - b for a, b in pairs]))
    swapped = paired_permutation_test(second, first)
    assert swapped.p_value == pytest.approx(result.p_value)
    assert swapped.difference == pytest.approx(-result.difference)


def test_equal_systems_and_a_single_language_show_nothing():
    assert paired_permutation_test([1, 2, 3], [1, 2, 3]).p_value == 1
    assert paired_permutation_test([5], [1]).p_value == 1


def test_what_is_not_paired():
    with pytest.raises(DataError, match="2 and 1"):
        paired_permutation_test([1, 2], [1])
    with pytest.raises(DataError):
        paired_permutation_test([], [])
    with pytest.raises(DataError, match="finite"):
        paired_permutation_test([float("inf"), 1], [1, 2])
