"""Edits, groups and comparisons on hand-made predictions."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isotone.errors import DataError
from isotone.evaluation import Seen, analyse, compare_models, edits_between, mcnemar, nearest, wilson
from isotone.results import ErrorReport, Judged

strings = st.text("ab", max_size=5).map(tuple)


def judged(source, prediction, *references, tags=()):
    return Judged(source, tuple(tags), tuple(prediction), tuple(map(tuple, references)), -1.0, -0.5)


ITEMS = [
    judged("cat", "kat", "kat", tags=("N", "SG")),
    judged("dog", "tok", "dok", "dog", tags=("N", "PL")),
    judged("horse", "horsse", "horse", tags=("N", "PL")),
    judged("sheepdogs", "sheptok", "shepdok", tags=("V",)),
]


def groups(report, by):
    return {group.key: (group.n, group.right) for group in report.groups if group.by == by}


def test_edits_are_counted_with_their_first_examples():
    report = analyse(ITEMS, "inflection", examples=1)
    assert [(str(e), e.kind, e.count, e.sources) for e in report.edits] == [
        ("t → d", "substituted", 2, 2),
        ("s → ∅", "extra", 1, 1),
    ]
    (example,) = report.edits[0].examples
    assert example == {"source": "dog", "tags": ["N", "PL"], "prediction": "tok", "reference": "dok"}
    assert (report.n, report.right, report.distances) == (4, 1, (0, 1, 1, 1))


def test_groups_by_tag_bundle_and_length():
    report = analyse(ITEMS, "inflection")
    assert groups(report, "tag") == {"N": (3, 1), "PL": (2, 0), "SG": (1, 1), "V": (1, 0)}
    assert groups(report, "tags") == {"N;PL": (2, 0), "N;SG": (1, 1), "V": (1, 0)}
    assert groups(report, "length") == {"1–4": (2, 1), "5–8": (1, 0), "9–12": (1, 0)}
    assert report.train and not groups(report, "source")


def test_groups_by_novelty():
    seen = Seen.of([("cat", ("N", "PL")), ("horse", ("N", "SG"))], list)
    report = analyse(ITEMS, "inflection", seen=seen)
    assert groups(report, "source") == {"seen": (2, 1), "unseen": (2, 0)}
    assert groups(report, "tag set") == {"seen": (3, 1), "unseen": (1, 0)}
    combined = {"seen, seen": (2, 1), "unseen, seen": (1, 0), "unseen, unseen": (1, 0)}
    assert groups(report, "source and tag set") == combined
    assert report.train == ""


def test_head_to_head_by_hand():
    others = [
        judged("cat", "cat", "kat", tags=("N", "SG")),
        judged("dog", "dok", "dok", "dog", tags=("N", "PL")),
        judged("horse", "horse", "horse", tags=("N", "PL")),
        judged("sheepdogs", "x", "shepdok", tags=("V",)),
    ]
    found = compare_models(analyse(ITEMS, "inflection"), others).against
    assert found.outcomes == ("fixed", "broken", "broken", "both wrong")
    assert found.mcnemar == 1.0
    # Edits 0, 1, 1, 1 against 1, 0, 0, 7: differences −1, 1, 1, −6.
    # Of the 16 flips all but ±(6 − 3) reach |5|.
    assert found.permutation["edit_distance"] == {"difference": -1.25, "p_value": pytest.approx(14 / 16), "exact": True}
    assert found.permutation["acc"]["difference"] == pytest.approx(-25.0)
    assert found.to_json()["fixed"] == 1 and found.to_json()["broken"] == 2


def test_only_the_same_sources_can_be_compared():
    report = analyse(ITEMS, "inflection")
    for others in (ITEMS[1:], [*ITEMS[:3], ITEMS[0]]):
        with pytest.raises(DataError, match="same sources"):
            compare_models(report, others)
    with pytest.raises(DataError, match="nothing"):
        analyse([], "g2p")


def test_rows_have_the_columns_of_their_headers():
    plain = analyse(ITEMS, "inflection")
    for report in (plain, compare_models(plain, ITEMS)):
        rows = list(report.item_rows())
        assert len(rows) == 4 and {len(row) for row in rows} == {len(report.item_columns())}
        assert rows[1][:8] == ["dog", "N;PL", "tok", "dok | dog", "no", "1", f"{math.exp(-0.5):.6g}", "t → d"]
        assert len({len(row) for row in report.rows()}) == 1
    assert isinstance(plain, ErrorReport) and "t → d" in str(plain)


@given(strings, strings)
def test_edits_are_as_many_as_the_distance(prediction, reference):
    edits = edits_between(prediction, reference)
    assert len(edits) == nearest(Judged("", (), prediction, (reference,)))[1]
    assert all(written != expected for written, expected in edits)


def test_wilson_by_hand():
    low, high = wilson(0, 10)
    z2 = 1.959963984540054**2
    assert low == 0 and high == pytest.approx(100 * (z2 / 10) / (1 + z2 / 10))
    assert wilson(10, 10)[1] == pytest.approx(100) and wilson(10, 10)[0] == pytest.approx(100 - high)


@given(st.integers(0, 12), st.integers(0, 12))
def test_mcnemar_counts_coin_tosses(fixed, broken):
    n = fixed + broken
    as_uneven = sum(math.comb(n, k) for k in range(n + 1) if abs(2 * k - n) >= abs(fixed - broken))
    assert mcnemar(fixed, broken) == pytest.approx(as_uneven / 2**n)


def test_mcnemar_of_many():
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(5, 0) == 2 / 32
    assert 0 < mcnemar(400, 600) < 1e-9
    with pytest.raises(DataError):
        mcnemar(-1, 3)
