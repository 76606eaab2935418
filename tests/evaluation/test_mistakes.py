from isotone.evaluation import COLUMNS, mistakes
from isotone.results import Judged


def test_the_wrong_ones_worst_first():
    items = [
        Judged("right", (), ("R",), (("X",), ("R",))),
        Judged("one", ("V", "PST"), ("W", "AH", "N"), (("W", "AO", "N"),)),
        Judged("two", (), (), (("T", "UW"), ("T", "UW", "Z"))),
        Judged("also one", (), ("A",), (("B",),)),
    ]
    assert list(mistakes(items)) == [
        ("two", "", "", "T UW | T UW Z", "2"),
        ("one", "V;PST", "W AH N", "W AO N", "1"),
        ("also one", "", "A", "B", "1"),
    ]
    assert len(COLUMNS) == 5


def test_characters_are_set_solid_and_a_cell_stays_a_cell():
    (row,) = mistakes([Judged("a\tb", (), ("x", "\n", "y"), (("\\", "\r"),))], separator="")
    assert row == ("a\\tb", "", "x\\ny", "\\\\\\r", "3")
