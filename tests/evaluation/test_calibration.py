import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isotone.drawing import reliability_file, reliability_text
from isotone.errors import ConfigError, DataError
from isotone.evaluation import Bin, calibration_of, reliability
from isotone.results import Judged

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


def test_an_interval_holds_the_error_and_obeys_its_seed():
    probabilities, right = [i / 40 for i in range(40)], [i % 3 == 0 for i in range(40)]
    first, again = (reliability(probabilities, right, bootstrap=200, seed=1) for _ in range(2))
    low, high = first.interval
    assert first.interval == again.interval and low <= first.expected_calibration_error <= high and low < high
    assert reliability(probabilities, right).interval is None
    assert first.to_json()["interval"] == first.interval and first.to_json()["binning"] == "equal width"


def test_the_interval_is_the_percentiles_of_resampled_errors():
    # One bin, all certain, half of them right: the error of a resample is its fraction of wrong ones.
    found = reliability([1.0] * 100, [True, False] * 50, bins=1, bootstrap=2000)
    assert found.interval == pytest.approx((0.40, 0.60), abs=0.02)


def test_predictions_without_probabilities_cannot_be_measured():
    with pytest.raises(DataError, match="no probability"):
        calibration_of([Judged("a", (), ("x",), (("x",),))])
    found = calibration_of([Judged("a", (), ("x",), (("x",),), -1.0, 1e-9)])  # a hair above 0
    assert found.expected_calibration_error == 0


def test_the_text_says_everything():
    said = reliability_text(reliability([0.95, 0.9, 0.15], [True, False, False], bins=10, bootstrap=50))
    assert "expected calibration error" in said and "95 % interval" in said and "3 predictions" in said
    assert len(said.splitlines()) == 12 and "█" in said
    for html in (True, False):
        drawn = reliability_file(reliability([0.95], [True]), title="<b>", html=html)
        assert "<b>" not in drawn and drawn.startswith("<!DOCTYPE html>" if html else "<svg")
