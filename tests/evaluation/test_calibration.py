import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isotone.errors import ConfigError, DataError
from isotone.evaluation import Bin, reliability

outcomes = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30)


def test_two_bins_by_hand():
    result = reliability([0.1, 0.3, 0.5, 0.9, 1.0], [False, True, True, True, False], bins=2)
    low, high = result.bins
    assert (low.lower, low.upper, low.count) == (0, 0.5, 2)
    assert (low.confidence, low.accuracy) == pytest.approx((0.2, 0.5))
    assert (high.count, high.confidence, high.accuracy) == pytest.approx((3, 0.8, 2 / 3))
    assert result.expected_calibration_error == pytest.approx(2 / 5 * 0.3 + 3 / 5 * (0.8 - 2 / 3))


def test_honest_probabilities_have_no_error():
    assert reliability([0.75] * 4, [True, True, True, False]).expected_calibration_error == 0
    assert reliability([1.0, 0.0], [True, False]).expected_calibration_error == 0
    assert reliability([1.0, 0.0], [False, True]).expected_calibration_error == 1


def test_an_empty_bin_has_no_means():
    result = reliability([0.9], [True], bins=2)
    assert result.bins[0] == Bin(0, 0.5, 0, None, None)
    assert json.loads(json.dumps(result.to_json(), allow_nan=False))["bins"][0]["confidence"] is None


@given(outcomes, st.integers(1, 20))
def test_every_prediction_is_in_one_bin_and_the_error_is_a_fraction(pairs, bins):
    result = reliability([p for p, _ in pairs], [right for _, right in pairs], bins=bins)
    assert sum(each.count for each in result.bins) == result.n == len(pairs)
    assert 0 <= result.expected_calibration_error <= 1 + 1e-12
    for each in result.bins:
        if each.confidence is not None:
            assert each.lower - 1e-12 <= each.confidence <= each.upper + 1e-12


def test_what_is_no_probability():
    for probabilities, right in [([1.2], [True]), ([float("nan")], [True]), ([], []), ([0.5], [])]:
        with pytest.raises(DataError):
            reliability(probabilities, right)
    with pytest.raises(ConfigError):
        reliability([0.5], [True], bins=0)
