"""Notebook forms are tables that hold what they were given, escaped."""

import math
import re
from xml.etree import ElementTree

import numpy as np

from isotone.drawing import errors_page, facts_table
from isotone.drawing.notebook import ROWS
from isotone.evaluation import analyse, compare_models
from isotone.results import Candidate, Judged, Prediction, Predictions, Report, to_html

NASTY = '<b a="1">&</b>'


def prediction(source="knight", target="N AY T", **changes):
    found = Candidate(target, tuple(target.split()), math.log(0.75), 1), Candidate("K", ("K",), math.log(1e-5), 2)
    return Prediction(**{"source": source, "tags": ("N", "PL"), "candidates": found, "certified": True, **changes})


def text(markup):
    """What people read, and a proof that it is well-formed."""
    tree = ElementTree.fromstring(f"<div>{markup.replace('<br>', '<br/>')}</div>")
    for style in tree.iter("style"):
        style.text = ""
    return re.sub(r"\s+", " ", " ".join(tree.itertext()))


def test_a_prediction_has_a_bar_for_each_candidate_and_says_what_is_certain():
    shown = prediction()._repr_html_()
    assert re.findall(r"width:([\d.]+)%", shown.split("</style>")[1]) == ["75.0", "0.0"]
    assert "N AY T" in text(shown) and "75.00 %" in text(shown) and "< 0.01 %" in text(shown)
    assert "N;PL" in text(shown) and "certified" in text(shown)
    assert "not certified" in text(prediction(certified=False)._repr_html_())
    assert "from the lexicon" in text(prediction(from_lexicon=True)._repr_html_())
    assert "nothing allowed" in text(prediction(candidates=())._repr_html_())
    assert "never seen in training: 7, ◌\u0301" in text(prediction(unseen=("7", "\u0301"))._repr_html_())


def test_a_list_is_one_table_and_stays_a_list():
    several = Predictions([prediction("a"), prediction("b")])
    assert several == [prediction("a"), prediction("b")] and isinstance(several, list)
    assert isinstance(several[:1], Predictions) and isinstance(several[0], Prediction)
    assert several._repr_html_().count("<tr>") == 3
    many = Predictions([prediction()] * (ROWS + 5))
    assert many._repr_html_().count("knight") == ROWS and "and 5 more" in text(many._repr_html_())


def test_a_report_has_its_intervals():
    values = {"acc": np.array([100.0, 0.0]), "nll": np.array([math.inf, math.inf])}
    report = Report("inflection", 2, {"acc": 50.0, "nll": math.inf}, {"acc": (0.0, 100.0)}, values, impossible=2)
    shown = text(report._repr_html_())
    assert "inflection, 2 sources" in shown and "ACC 50 [0, 100]" in shown and "NLL ∞" in shown
    assert "2 references have probability 0" in shown
    assert "interval" not in text(Report("g2p", 1, {"wer": 0.0}, {}, {})._repr_html_())


def test_data_stays_data():
    for shown in (
        prediction(NASTY, NASTY, tags=(NASTY,), unseen=(NASTY,))._repr_html_(),
        Predictions([prediction(NASTY, NASTY)])._repr_html_(),
        facts_table(NASTY, {NASTY: NASTY}),
        to_html(NASTY),
    ):
        assert "<b " not in shown and NASTY in text(shown)
    prediction("\ud800")._repr_html_().encode("utf-8")


def test_errors_show_their_tables():
    wrong = Judged(NASTY, ("N",), ("x", NASTY), (("x", "y"),), -2.0, -0.1)
    report = compare_models(analyse([wrong], "inflection"), [wrong])
    shown = report._repr_html_()
    assert "<b " not in shown and "Edits: 0 of 1 right" in text(shown)
    assert "By tag" in text(shown) and "both wrong 1" in text(shown)
    page = errors_page(report, title=NASTY, model=NASTY, other=NASTY)
    assert "<b " not in page and "script-src" not in page
    perfect = errors_page(analyse([Judged("a", (), ("b",), (("b",),), -0.1, -0.1)], "g2p"), title="t")
    assert "Nothing is wrong." in perfect and "Head to head" not in perfect
