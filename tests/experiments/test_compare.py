"""Comparisons against figures worked out by hand."""

import csv
import io

import pytest

from isotone.errors import ConfigError, DataError
from isotone.experiments.compare import compare
from isotone.experiments.intervals import Interval, of_average
from isotone.experiments.plot import plot
from isotone.experiments.results import Score, read_scores
from isotone.experiments.styles import STYLES


def scores(metric="acc", **models):
    return [
        Score(f"d{row}", model.replace("_", "-"), {metric: value, "nll": 1.0})
        for model, values in models.items()
        for row, value in enumerate(values)
    ]


SIX = scores(mine=[6, 7, 8, 9, 10, 11], soft=[5, 5, 5, 5, 5, 5])


def test_six_wins_are_significant_in_one_direction():
    comparison = compare(SIX)
    assert comparison.models == ("soft", "mine")
    assert comparison.averages == {"soft": 5, "mine": 8.5}
    assert [contest.test.p_value for contest in comparison.contests] == [2 / 64] * 2
    assert (comparison.mark("mine"), comparison.mark("soft")) == ("⋆", "")


def test_lower_errors_win():
    comparison = compare(scores("wer", soft=[6, 7, 8, 9, 10, 11], one=[5, 5, 5, 5, 5, 5]))
    assert (comparison.mark("one"), comparison.mark("soft")) == ("⋆", "")
    assert comparison.best(comparison.averages) == {"one"}


def test_seeds_are_averaged_and_holes_left_out():
    comparison = compare([*scores(soft=[1, 2]), *scores(soft=[3, 4]), *scores(mine=[5])])
    assert comparison.means["d0", "soft"] == 2 and comparison.seeds["d0", "soft"] == 2
    assert comparison.complete == ("d0",) and comparison.averages == {"soft": 2, "mine": 5}


def test_metrics_must_be_shared():
    assert compare(SIX, "nll").metric == "nll"
    with pytest.raises(ConfigError, match="all results have: acc, nll"):
        compare(SIX, "wer")
    with pytest.raises(DataError):
        compare([])


def test_errors_count_as_accuracy_beside_accuracies():
    inflection, g2p = scores(soft=[50], mine=[60]), scores("wer", soft=[0, 30], mine=[0, 25])[1::2]
    comparison = compare([*inflection, *g2p])
    assert comparison.metric == "acc" and comparison.means["d1", "mine"] == 75
    assert comparison.averages == {"soft": 60, "mine": 67.5}
    assert compare(g2p).metric == "wer"
    assert compare(g2p, "acc").means["d1", "soft"] == 70


def test_intervals_are_of_seeds_of_an_evaluation_or_of_the_number_of_words():
    seeds = compare([*scores(soft=[10]), *scores(soft=[30])])
    assert seeds.intervals["d0", "soft"] == Interval(10, 30, "lowest to highest seed")
    told = compare([Score("a", "m", {"wer": 10.0}, 50, {"wer": (5.0, 20.0)}), *scores(soft=[1])], "acc")
    assert told.intervals["a", "m"] == Interval(80.0, 95.0, "95 % bootstrap over words")
    counted = compare([Score("a", "m", {"acc": 50.0, "mld": 1.0}, 100)])
    assert counted.intervals["a", "m"].low == pytest.approx(40.383, abs=1e-3)  # Wilson's, from a textbook
    assert counted.intervals["a", "m"].high == pytest.approx(59.617, abs=1e-3)
    assert not compare([Score("a", "m", {"mld": 1.0}, 100)]).intervals
    ends = [compare([Score("a", "m", {"acc": value}, 20)]).intervals["a", "m"] for value in (0.0, 100.0)]
    assert ends[0].low == 0 < ends[0].high and ends[1].low < 100 == ends[1].high


def test_an_average_has_the_interval_of_its_data_sets():
    assert of_average([1.0, 2.0]) is None
    same = of_average([5.0] * 3)
    assert same and (same.low, same.high) == (5, 5)
    wide = of_average([0.0, 50.0, 100.0, 50.0])
    assert wide and 0 <= wide.low < 50 < wide.high <= 100


def test_one_data_set_has_no_average():
    comparison = compare(scores(soft=[1], mine=[2]))
    for style in ("markdown", "latex"):
        assert "average" not in STYLES[style](comparison)
    assert "average" in STYLES["markdown"](compare(scores(soft=[1, 2], mine=[2, 3])))


def test_the_plot_begins_at_zero_with_intervals_and_without_an_average_of_one(tmp_path):
    pytest.importorskip("matplotlib")
    drawn = {}
    for name, several in {"one": scores(soft=[88]), "two": [*scores(soft=[88, 90]), *scores(soft=[80, 91])]}.items():
        plot(compare(several), tmp_path / f"{name}.svg")
        drawn[name] = (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
    assert "<!-- 0 -->" in drawn["one"] and "<!-- 100 -->" in drawn["one"]
    assert "<!-- average -->" not in drawn["one"] and "<!-- average -->" in drawn["two"]
    assert "bars" not in drawn["one"] and "bars: lowest to highest seed" in drawn["two"]


def test_styles():
    comparison = compare(SIX)
    assert "| average | 5.0 | **8.5**⋆ |" in STYLES["markdown"](comparison)
    assert r"average & 5.0 & \textbf{8.5}$^{\star}$ \\" in STYLES["latex"](comparison)
    rows = list(csv.DictReader(io.StringIO(STYLES["csv"](comparison))))
    assert [row["row"] for row in rows] == ["score"] * 12 + ["average"] * 2 + ["test"] * 2
    assert rows[-1] == {
        "row": "test", "data": "", "model": "mine", "other": "soft", "metric": "acc", "value": "3.5", "n": "6",
        "p": "0.03125",
    }  # fmt: skip


def judged(model, right, *, test="t", data="a"):
    return Score(data, model, {"acc": 100 * right.count("1") / len(right)}, len(right), test=test, right=right)


def test_words_are_compared_one_by_one():
    """Eight words that only one model has right: a fair coin does that in 2 of 256 cases."""
    comparison = compare([judged("soft", "1100000000"), judged("mine", "1111111111")])
    there, back = comparison.word_tests
    assert (there.model, there.other, there.n, there.paired) == ("soft", "mine", 10, True)
    assert there.p_value == back.p_value == 2 / 2**8 and back.difference == 80
    assert (comparison.word_mark("a", "mine"), comparison.word_mark("a", "soft")) == ("⋆", "")
    markdown = STYLES["markdown"](comparison)
    assert "| a | 20.0 | **100.0**⋆ |" in markdown
    assert "(p < 0.05; data sets: word by word (McNemar, or permutations over seeds))" in markdown
    rows = list(csv.DictReader(io.StringIO(STYLES["csv"](comparison))))
    assert rows[-1] == {
        "row": "word test", "data": "a", "model": "mine", "other": "soft", "metric": "acc", "value": "80.0", "n": "10",
        "p": "0.0078125",
    }  # fmt: skip


def test_words_of_several_seeds_are_means():
    one, two = judged("mine", "1" * 10), judged("mine", "1" * 9 + "0")
    comparison = compare([judged("soft", "0" * 10), one, two])
    assert comparison.word_tests[0].p_value == 2 / 2**10


def test_published_figures_are_compared_by_their_counts():
    """Fisher's exact test, as in a textbook: 8 of 10 against 1 of 10."""
    published = Score("a", "TRM", {"wer": 90.0})
    comparison = compare([judged("mine", "1111111100"), published, Score("b", "TRM", {"wer": 50.0})], "acc")
    (first, _) = comparison.word_tests
    assert (first.paired, first.difference) == (False, 70)
    assert first.p_value == pytest.approx(0.005477494642)
    assert "by the number of words (Fisher)" in STYLES["markdown"](comparison)
    other = compare([judged("mine", "1111111100"), judged("soft", "0000000011", test="u")])
    assert not other.word_tests[0].paired  # other words: not one by one
    assert not compare([judged("mine", "11"), judged("soft", "0000")]).word_tests
    assert not compare([Score("a", "m", {"mld": 1.0}, 10), Score("a", "o", {"mld": 2.0}, 10)]).word_tests


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "x,y\n1,2\n", "expected the columns data, model"),
        ("a.csv", "data,model,acc\na,b,c\n", "a.csv:2: could not convert"),
        ("a.csv", "data,model,acc\n", "no results"),
        ("a.json", "{", "not readable as JSON"),
        ("a.json", "{}", "MODEL/DATA=FILE"),
        ("a.json", "[{}]", "result 1: expected data, model and metrics"),
    ],
)
def test_what_cannot_be_read(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message):
        read_scores([str(tmp_path / name)])
