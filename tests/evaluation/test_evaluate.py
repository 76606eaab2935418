import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotone.errors import ConfigError, DataError
from isotone.evaluation import TASKS, evaluate
from isotone.results import Judged

words = st.text("abc", max_size=5).map(tuple)
items = st.lists(st.tuples(words, words, st.floats(-50, 0)), min_size=1, max_size=12).map(
    lambda rows: [Judged(str(i), (), a, (b,), p) for i, (a, b, p) in enumerate(rows)]
)


def item(source, prediction, *references, tags=(), logprob=None):
    return Judged(source, tags, tuple(prediction), tuple(map(tuple, references)), logprob)


def test_g2p_by_hand():
    report = evaluate(
        [
            item("cat", ["K", "AE", "T"], ["K", "AE", "T"], logprob=math.log(0.5)),
            item("read", ["R", "AH", "D"], ["R", "IY", "D"], ["R", "EH", "D", "Z"], logprob=math.log(0.25)),
        ],
        "g2p",
    )
    assert (report.task, report.n) == ("g2p", 2)
    assert report.metrics == pytest.approx({"wer": 50, "per": (1 / 3) / 2, "nll": math.log(8) / 2})
    assert report.values["wer"].tolist() == [0, 100]


@pytest.mark.parametrize("task", TASKS)
def test_a_report_holds_the_metrics_of_its_task(task):
    report = evaluate([item("a", "b", "b")], task)
    assert tuple(report.metrics) == tuple(report.intervals) == TASKS[task].metrics


def test_a_source_that_comes_twice_counts_once_with_all_its_references():
    twice = [
        item("read", "red", "reed", logprob=-3.0),
        item("a", "b", "b", logprob=-1.0),
        item("read", "red", "red", logprob=-2.0),
        item("read", "red", "rode", tags=("PST",), logprob=-4.0),
    ]
    report = evaluate(twice, "inflection")
    assert report.n == 3
    assert report.values["acc"].tolist() == [100, 100, 0]
    assert report.values["nll"].tolist() == [2, 1, 4]


def test_nll_needs_every_logprob():
    assert "nll" not in evaluate([item("a", "b", "b", logprob=-1.0), item("c", "d", "d")], "g2p").metrics


def test_impossible_references_are_counted_and_nll_is_the_mean_of_the_others():
    items = [item("a", "b", "b", logprob=-1.0), item("c", "d", "e", logprob=-math.inf)]
    report = evaluate([*items, item("f", "g", "g", logprob=-3.0)], "transliteration")
    assert report.metrics["nll"] == 2.0 and report.impossible == 1
    low, high = report.intervals["nll"]
    assert 1.0 <= low <= 2.0 <= high <= 3.0
    printed = json.loads(json.dumps(report.to_json(), allow_nan=False))
    assert printed["metrics"]["nll"] == 2.0 and printed["impossible"] == 1
    assert report.rows()[1][-1] == ["impossible", "1", "", ""]
    hopeless = evaluate(items[1:], "transliteration")
    assert hopeless.metrics["nll"] == math.inf and hopeless.impossible == 1
    assert hopeless.to_json()["metrics"]["nll"] is None
    assert "impossible" not in evaluate(items[:1], "transliteration").to_json()


@settings(max_examples=40, deadline=None)
@given(items, st.sampled_from(sorted(TASKS)), st.integers(0, 2**32))
def test_intervals_hold_the_mean_and_stay_within_the_values(scored, task, seed):
    report = evaluate(scored, task, bootstrap=50, seed=seed)
    for name, (low, high) in report.intervals.items():
        column = report.values[name]
        assert low <= report.metrics[name] <= high
        assert column.min() - 1e-9 <= low <= high <= column.max() + 1e-9


def test_interval_of_a_proportion_is_the_binomial_one():
    scored = [item(str(i), "a", "a" if i % 2 else "b") for i in range(400)]
    low, high = evaluate(scored, "inflection").intervals["acc"]
    half = 1.96 * 100 * math.sqrt(0.25 / 400)
    assert low == pytest.approx(50 - half, abs=0.8)
    assert high == pytest.approx(50 + half, abs=0.8)


def test_the_seed_settles_the_intervals():
    generator = np.random.default_rng(1)
    scored = [item(str(i), "a" * generator.integers(1, 9), "aaa") for i in range(50)]
    assert evaluate(scored, "g2p", seed=3) == evaluate(scored, "g2p", seed=3)
    assert evaluate(scored, "g2p", seed=3) != evaluate(scored, "g2p", seed=4)


def test_no_bootstrap_no_intervals():
    assert evaluate([item("a", "b", "b")], "g2p", bootstrap=0).intervals == {}


def test_what_cannot_be_evaluated():
    with pytest.raises(DataError, match="nothing to evaluate"):
        evaluate([], "g2p")
    with pytest.raises(DataError, match="no reference"):
        evaluate([item("a", "b")], "g2p")
    with pytest.raises(ConfigError, match="unknown task"):
        evaluate([item("a", "b", "b")], "p2g")
