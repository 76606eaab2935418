import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isotone.errors import ConfigError, DataError
from isotone.evaluation import (
    METRICS,
    TASKS,
    accuracy,
    edit_distance,
    error_rate,
    f_score,
    mean_edit_distance,
    mean_f_score,
    phone_error_rate,
    task_named,
    word_error_rate,
)

words = st.lists(st.sampled_from(["a", "b", "AH0", "ʃː"]), max_size=7).map(tuple)


def symbols(text):
    return tuple(text)


def levenshtein(a, b, substitution=1):
    """The textbook table, as an oracle."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row = row, [i]
        for j, y in enumerate(b, 1):
            change = previous[j - 1] + (0 if x == y else substitution)
            row.append(min(previous[j] + 1, row[-1] + 1, change))
    return row[-1]


def test_edit_distance_counts_whole_symbols():
    assert edit_distance(symbols("kitten"), symbols("sitting")) == 3
    assert edit_distance(("AH0", "B"), ("AH1", "B")) == 1
    assert edit_distance((), ("AH0", "B")) == 2


@given(words, words)
def test_edit_distance_is_the_textbook_one_and_symmetric(a, b):
    assert edit_distance(a, b) == levenshtein(a, b) == edit_distance(b, a)


@given(words, words, words)
def test_edit_distance_is_a_metric(a, b, c):
    assert (edit_distance(a, b) == 0) == (a == b)
    assert edit_distance(a, c) <= edit_distance(a, b) + edit_distance(b, c)


def test_error_rate_divides_by_the_reference():
    assert error_rate(("K", "AE"), ("K", "AE", "T", "S")) == 0.5
    assert error_rate(("K", "AE", "T", "S"), ("K", "AE")) == 1.0
    assert error_rate(("K", "K"), ()) == 2.0


def test_f_score_of_the_news_counts_the_longest_common_subsequence():
    # "acd" is the longest common subsequence of abcd and afcde: P = 3/4, R = 3/5.
    news = f_score(symbols("abcd"), symbols("afcde"), substitution=2)
    assert news == pytest.approx(2 * (3 / 4) * (3 / 5) / (3 / 4 + 3 / 5))


def test_f_score_of_the_papers_code_forgives_half_of_a_substitution():
    # ED = 2, "LCS" = (4 + 5 − 2)/2 = 3.5
    p, r = 3.5 / 4, 3.5 / 5
    paper = f_score(symbols("abcd"), symbols("afcde"))
    assert paper == pytest.approx(2 * p * r / (p + r))


def test_f_score_of_nothing():
    assert f_score((), ("a",)) == 0.0
    assert f_score(("a",), ()) == 0.0
    assert f_score(("a",), ("b",), substitution=2) == 0.0
    assert f_score(("a",), ("b",)) == 0.5  # (1 + 1 − 1)/2 = ½ common
    assert f_score((), ()) == 1.0


@given(words, words)
def test_f_score_is_a_fraction_and_1_only_for_equals(a, b):
    assert 0 <= f_score(a, b, substitution=2) <= f_score(a, b) <= 1
    assert (f_score(a, b) == 1) == (a == b)
    if a and b:
        common = (len(a) + len(b) - levenshtein(a, b, substitution=2)) / 2
        assert f_score(a, b, substitution=2) == pytest.approx(2 * common / (len(a) + len(b)))


def test_means_over_a_data_set_of_three():
    candidates = [symbols("cat"), symbols("dog"), symbols("bid")]
    references = [[symbols("cat")], [symbols("dogs")], [symbols("bad")]]
    assert accuracy(candidates, references) == pytest.approx(100 / 3)
    assert word_error_rate(candidates, references) == pytest.approx(200 / 3)
    assert mean_edit_distance(candidates, references) == pytest.approx(2 / 3)
    assert phone_error_rate(candidates, references) == pytest.approx((0 + 1 / 4 + 1 / 3) / 3)
    assert mean_f_score(candidates, references) == pytest.approx((1 + 6 / 7 + 5 / 6) / 3)


def test_each_metric_takes_the_reference_that_suits_it_best():
    candidate = symbols("ab")
    short, long = symbols("x"), symbols("abcdef")
    assert METRICS["mld"].best(candidate, [long, short]) == 2  # short: 2 edits, long: 4
    assert METRICS["per"].best(candidate, [long, short]) == pytest.approx(4 / 6)  # short: 2/1
    assert METRICS["mfs"].best(candidate, [short, long]) == pytest.approx(2 * 2 / 8)  # short: 1/3
    assert METRICS["acc"].best(candidate, [short, candidate]) == 100
    assert METRICS["wer"].best(candidate, [short, candidate]) == 0


@given(words, st.lists(words, min_size=1, max_size=4), words)
def test_one_more_reference_never_hurts(candidate, references, another):
    for metric in METRICS.values():
        before, after = metric.best(candidate, references), metric.best(candidate, [*references, another])
        assert after >= before if metric.higher_is_better else after <= before


def test_no_reference_and_no_candidate_are_errors():
    with pytest.raises(DataError, match="no reference"):
        METRICS["acc"].best(("a",), [])
    with pytest.raises(DataError, match="nothing to evaluate"):
        accuracy([], [])


def test_the_table_of_tasks():
    selection = {name: (task.metrics, task.selection, task.higher_is_better) for name, task in TASKS.items()}
    assert selection == {
        "inflection": (("acc", "mld"), "acc", True),
        "g2p": (("wer", "per"), "wer", False),
        "transliteration": (("acc", "mfs"), "acc", True),
        "transduction": (("acc", "mld"), "acc", True),
    }
    assert TASKS["g2p"].improves(28.2, 29.3)
    assert not TASKS["g2p"].improves(29.3, 29.3)
    assert TASKS["inflection"].improves(94.4, 92.9)


def test_an_unknown_task_is_a_config_error_that_lists_the_known():
    assert task_named("g2p") is TASKS["g2p"]
    with pytest.raises(ConfigError, match=r"'p2g'.*inflection, g2p"):
        task_named("p2g")


def test_metrics_are_plain_numbers():
    json.dumps([metric.best(("a",), [("b",)]) for metric in METRICS.values()])
