"""Charts are well-formed, hold what they were given, and say it in words too."""

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isotone.drawing import Curve, line_chart, reliability_diagram
from isotone.drawing.chart import COLOURS, key
from isotone.drawing.curves import HEIGHT, WIDTH
from isotone.drawing.report import Section, fold, note, report_page, table
from isotone.drawing.scale import Scale, number, scale_over
from isotone.evaluation.calibration import Bin

SVG = "{http://www.w3.org/2000/svg}"
NASTY = """<b a="1">&'</b>"""


BINS = [Bin(0, 0.5, 2, 0.2, 0.5), Bin(0.5, 0.75, 0, None, None), Bin(0.75, 1, 6, 0.9, 5 / 6)]


def points(line):
    return [tuple(map(float, pair.split(","))) for pair in line.attrib["points"].split()]


def test_linear_ticks_are_round_and_inside():
    scale = scale_over([1, 18], 0, 200)
    assert (scale.low, scale.high, scale.ticks(whole=True)) == (0, 20, [0, 5, 10, 15, 20])
    assert (scale(0), scale(5), scale(20)) == (0, 50, 200)
    assert scale_over([62.5, 91.1], 200, 0).ticks() == [60, 70, 80, 90, 100]
    assert scale_over([3.0], 0, 1).ticks(whole=True) == [1, 2, 3, 4, 5]
    assert scale_over([], 0, 1).ticks() == [0, 0.2, 0.4, 0.6, 0.8, 1]


def test_logarithms_only_where_values_allow_them():
    scale = scale_over([0.004, 1.2], 0, 100, log=True)
    assert scale.log and scale.ticks() == pytest.approx([0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1])
    assert scale(math.sqrt(scale.low * scale.high)) == pytest.approx(50)
    assert Scale(1e-6, 1, 0, 1, log=True).ticks() == pytest.approx([10.0**power for power in range(-6, 1)])
    for values in ([0.0, 1.0], [1.0, 2.0], [-1.0, 100.0]):
        assert not scale_over(values, 0, 1, log=True).log


@given(st.lists(st.floats(-1e9, 1e9), min_size=1), st.booleans())
def test_every_value_is_inside_its_scale(values, log):
    scale = scale_over(values, 0, 100, log=log)
    assert all(-1e-6 <= scale(value) <= 100 + 1e-6 for value in values)
    assert all(-1e-6 <= scale(tick) <= 100 + 1e-6 for tick in scale.ticks())


def test_numbers():
    assert (number(-0.00125), number(20.0), number(91.14583)) == ("−0.00125", "20", "91.15")


def test_a_chart_has_a_line_for_each_curve_and_a_point_for_each_epoch():
    curves = [
        Curve("train", ((1, 1.2), (2, 0.5), (3, 0.2)), dashed=True),
        Curve("dev", ((1, 1.0), (2, 0.4), (3, 0.6)), place=1, marked=2),
    ]
    tree = ElementTree.fromstring(line_chart(curves, title="Loss"))
    train, dev = tree.findall(f"{SVG}polyline")
    assert [len(points(line)) for line in (train, dev)] == [3, 3]
    assert "dashed" in train.attrib["class"] and "dashed" not in dev.attrib["class"]
    assert (train.attrib["stroke"], dev.attrib["stroke"]) == COLOURS[:2]
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for line in (train, dev) for x, y in points(line))
    assert points(dev)[1][1] > points(dev)[2][1] > points(dev)[0][1]  # down the page is down the scale
    (best,) = tree.findall(f"{SVG}path")
    assert best.findtext(f"{SVG}title") == "dev: 0.4 at 2"
    assert best.attrib["transform"] == "translate({:.1f} {:.1f})".format(*points(dev)[1])
    assert tree.attrib["role"] == "img" and tree.findtext(f"{SVG}title") == "Loss"
    assert tree.findtext(f"{SVG}desc").startswith("train: from 1.2 to 0.2 in 3 epochs up to 3; dev: ")


def test_what_is_not_finite_is_a_gap_and_a_lonely_point_a_dot():
    curve = Curve("a", ((1, 5.0), (2, 4.0), (3, math.inf), (4, 3.0), (5, math.nan)))
    tree = ElementTree.fromstring(line_chart([curve], title=""))
    assert [len(points(line)) for line in tree.findall(f"{SVG}polyline")] == [2]
    assert len(tree.findall(f"{SVG}circle")) == 1
    empty = ElementTree.fromstring(line_chart([Curve("a", ((1, math.inf),))], title=""))
    assert empty.findtext(f"{SVG}desc") == "a: no values"


def test_a_reliability_diagram_has_a_bar_and_a_mark_for_each_bin_that_is_not_empty():
    tree = ElementTree.fromstring(reliability_diagram(BINS, title="1-mono", error=0.123))
    low, high = tree.findall(f"{SVG}rect[@class='bar']")
    assert float(high.attrib["height"]) / float(low.attrib["height"]) == pytest.approx(5 / 3, rel=1e-2)
    assert float(low.attrib["width"]) > float(high.attrib["width"])
    assert len(tree.findall(f"{SVG}path")) == 2
    assert [float(bar.attrib["height"]) for bar in tree.findall(f"{SVG}rect[@class='count']")] == [12, 0, 36]
    texts = [text.text for text in tree.findall(f"{SVG}text")]
    assert "ECE 12.3%" in texts and texts[-3:] == ["2", "0", "6"]
    said = tree.findtext(f"{SVG}desc")
    assert "8 predictions" in said and "50% to 75%: none." in said
    assert "75% to 100%: 6 words, 83.3% right at a mean confidence of 90.0%." in said


def test_names_are_data_not_markup():
    chart = line_chart([Curve(NASTY, ((1, 1.0), (2, 2.0)), marked=2)], title=NASTY, x_label=NASTY)
    assert ElementTree.fromstring(chart).findtext(f"{SVG}title") == NASTY
    diagram = reliability_diagram(BINS, title=NASTY, error=0.0)
    assert ElementTree.fromstring(diagram).findtext(f"{SVG}title") == NASTY
    assert ElementTree.fromstring(key([NASTY, "b"])).findall("li")[0].find("svg").tail == NASTY
    parts = [table(NASTY, [NASTY], [["a"]]), note(NASTY), fold(NASTY, "", open=True)]
    for part in parts:
        assert NASTY in "".join(ElementTree.fromstring(part).itertext())
    page = report_page(NASTY, [NASTY], [Section("s", NASTY, "".join(parts))])
    assert "<b" not in re.sub("<b(?:ody)", "", page)


def test_a_report_fetches_nothing_and_runs_nothing():
    page = report_page("t", ["\ud800 cannot be encoded"], [Section("one", "One", note("x"))])
    page.encode("utf-8")
    assert "default-src 'none'; style-src 'unsafe-inline'\"" in page and "<script" not in page
    assert set(re.findall(r"""(?:src|href)="([^"]*)""", page)) == {"#one"}
    assert not re.search(r"//[a-z]|url\(|@import", page)


def test_a_table_has_headings_for_rows_and_columns():
    tree = ElementTree.fromstring(table("ACC", ["data", "soft"], [["a", "1.0"], ["average", "2.0"]], last=True))
    assert [cell.text for cell in tree.iter("th")] == ["data", "soft", "a", "average"]
    assert [cell.attrib["scope"] for cell in tree.iter("th")] == ["col", "col", "row", "row"]
    assert [row.attrib.get("class") for row in tree.find("table").find("tbody")] == [None, "last"]
