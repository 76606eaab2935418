import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isotone.drawing import compact, display_width, grid, visible
from isotone.results import END, START, Alignment

symbols = st.text(min_size=1, max_size=3)
HARD = ["a", "東", "e\u0301", "\u0301", "ᄒ", "ᅡ", "ﾊ", "ש", " ", "\t", "\u202e", "AH0", "👩\u200d🚀", "\ud800", ""]


def hard(source, target, path, posterior=None, logprob=-1.5):
    return Alignment((START, *source, END), (*target, END), tuple(path), logprob, posterior)


def knight(posterior=True):
    table = np.zeros((4, 8))
    table[0, 1:4] = 0.04, 0.95, 0.01
    table[1, 3:5] = 0.7, 0.3
    table[2, 5:8] = 0.15, 0.5, 0.35
    table[3, 7] = 1
    return hard("knight", ["N", "AY", "T"], [2, 3, 6, 7], table if posterior else None)


def test_jamo_stand_as_the_letters_of_a_keyboard():
    assert [visible(jamo) for jamo in "\u1112\u1161\u11ab"] == ["ㅎ", "ㅏ", "ㄴ"]
    assert visible("\u119e") == "\u115f\u119e"  # an old vowel has no such form


def test_the_grid():
    assert str(knight()).splitlines() == [
        "log p = −1.50, p = 0.223",
        "     ⟨s⟩  k   n   i   g   h   t  ⟨/s⟩",
        "   N      ·  [█]  ·                     95%",
        "  AY             [▓]  ▒                 70%",
        "   T                      ░  [▒]   ▒    50%",
        "⟨/s⟩                              [█]  100%",
    ]


def test_without_a_posterior_the_path_is_all():
    assert grid(knight(posterior=False)).splitlines()[2:] == [
        "   N         [█]",
        "  AY             [█]",
        "   T                         [█]",
        "⟨/s⟩                              [█]",
    ]


def test_compact_shows_silent_letters_and_multiple_emissions():
    assert compact(knight()) == "k→_  n→N  i→AY  g→_  h→_  t→T"
    assert compact(hard("box", ["B", "AA", "K", "S"], [1, 2, 3, 3, 4])) == "b→B  o→AA  x→K S"
    assert compact(hard("sag", "gesagt", [0, 0, 1, 2, 3, 4, 4])) == "⟨s⟩→g e  s→s  a→a  g→g  ⟨/s⟩→t"
    assert compact(hard("", "", [0])) == ""


def test_columns_stay_even_with_wide_and_combining_characters():
    drawn = hard(HARD, HARD, range(1, len(HARD) + 2))
    _, heading, *rows = grid(drawn).splitlines()
    for number, row in enumerate(rows):
        mark = display_width(row[: row.index("[")])
        column = visible(drawn.source[number + 1])
        before = heading.rindex(column) if number == len(rows) - 1 else find_column(heading, drawn, number + 1)
        middle = display_width(heading[:before]) + display_width(column) / 2
        assert abs(mark + 1.5 - middle) <= 0.5, (number, column)


def find_column(heading, drawn, position):
    """Where the label of a source position begins, walking over those before it."""
    place = 0
    for symbol in map(visible, drawn.source[:position]):
        place = heading.index(symbol, place) + len(symbol)
    return heading.index(visible(drawn.source[position]), place)


@given(st.lists(symbols, max_size=6), st.lists(symbols, max_size=6), st.data())
def test_any_string_can_be_drawn_twice_alike(source, target, data):
    path = data.draw(st.lists(st.integers(0, len(source) + 1), min_size=len(target) + 1, max_size=len(target) + 1))
    drawn = hard(source, target, path)
    assert grid(drawn) == grid(drawn)
    assert len(grid(drawn).split("\n")) == len(target) + 3
    assert "\n" not in compact(drawn)
    grid(drawn).encode("utf-8")
    compact(drawn).encode("utf-8")


@given(symbols)
def test_visible_symbols_can_be_seen_and_take_room(symbol):
    shown = visible(symbol)
    assert shown.encode("utf-8").decode("utf-8").strip() == shown
    assert display_width(shown) >= 1


def test_widths():
    assert [display_width(text) for text in ("a", "東", "e\u0301", "ハ", "ﾊ", "한", "⟨/s⟩", "")] == [
        1,
        2,
        1,
        2,
        1,
        2,
        4,
        0,
    ]
    assert display_width("\u1112\u1161\u11ab") == 2  # 한 in three jamo


def test_what_cannot_be_seen_is_named():
    assert [visible(text) for text in (" ", "\u0301", "\t", "\u202e", "\ud800", "\u200d", "")] == [
        "␣",
        "◌\u0301",
        "U+0009",
        "U+202E",
        "U+D800",
        "U+200D",
        "∅",
    ]
    assert visible("👩\u200d🚀") == "👩\u200d🚀"
    assert visible("\U000e0020") == "U+E0020"
    assert visible("a\u2069b") == "aU+2069b"
