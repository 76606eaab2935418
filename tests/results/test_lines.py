"""Rows of tab-separated output, and what stays inside a cell."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isotone.evaluation import mistakes
from isotone.results import MISTAKE_COLUMNS, Candidate, Judged, Prediction, Report, Scored, cell, json_line, tsv_line


@given(st.text())
def test_a_cell_is_one_cell_and_can_be_read_back(text):
    written = cell(text)
    assert not set(written) & set("\t\n\r")
    back = written.replace("\\\\", "\0" if "\0" not in text else "\1").replace("\\t", "\t")
    if not {"\0", "\1"} & set(text):
        assert back.replace("\\n", "\n").replace("\\r", "\r").replace("\0", "\\") == text


def test_infinities_are_null():
    assert json.loads(json_line({"a": -math.inf, "b": [math.nan, 1.0], "c": {"d": math.inf}})) == {
        "a": None,
        "b": [None, 1.0],
        "c": {"d": None},
    }


def test_rows_of_predictions():
    candidates = (Candidate("x\ty", ("x", "\t", "y"), -0.5, 1), Candidate("z", ("z",), -2.0, 2))
    prediction = Prediction("a\nb", ("N", "PL"), candidates)
    assert next(prediction.rows(several=False)) == ["a\\nb", "N;PL", "x\\ty"]
    assert list(prediction.rows(several=True))[1] == ["a\\nb", "N;PL", "2", "-2.0000", "z", "0.1353"]
    assert list(Prediction("a", (), candidates[1:], from_lexicon=True).rows(several=False)) == [["a", "z", "lexicon"]]
    assert list(Prediction("a", (), ()).rows(several=True)) == [["a", "1", "-inf", "", "0.0000"]]
    assert next(prediction.rows(several=False, probability=True))[2:] == ["x\\ty", "0.6065"]


def test_rows_of_scores():
    assert tsv_line(Scored("a", "b", (), -1.5).row()) == "a\tb\t-1.500000\n"
    assert Scored("a", "b", ("N",), -math.inf, "why").row() == ["a", "N", "b", "-inf"]
    assert Scored("a", "b", (), -1.5).row(probability=True)[-1] == "0.2231"


def test_rows_of_reports_and_mistakes():
    report = Report("g2p", 3, {"wer": 50.0, "nll": 2.0}, {"wer": (0.0, 100.0), "nll": (1.0, 3.0)}, {}, impossible=1)
    columns, rows = report.rows()
    assert columns == ["metric", "value", "low", "high"]
    assert rows == [
        ["wer", "50.0000", "0.0000", "100.0000"],
        ["nll", "2.0000", "1.0000", "3.0000"],
        ["impossible", "1", "", ""],
    ]
    assert Report("g2p", 3, {"wer": 50.0}, {}, {}).rows() == (["metric", "value"], [["wer", "50.0000"]])
    items = [Judged("a", ("N",), ("x", "y"), (("x",), ("\t", "z"))), Judged("b", (), ("x",), (("x",),))]
    assert list(mistakes(items)) == [("a", "N", "x y", "x | \\t z", "1")]
    assert len(MISTAKE_COLUMNS) == 5
    assert items[0].mistake_row(1, "")[2:4] == ("xy", "x | \\tz")


@pytest.mark.parametrize("certified", [True, False, None])
def test_the_bound_is_told_where_there_is_no_certificate(certified):
    value = Prediction("a", (), (), certified=certified, log_bound=-1.0).to_json()
    assert value["certified"] is certified and ("bound" in value) == (not certified)
