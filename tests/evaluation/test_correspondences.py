"""Expected counts by hand: posteriors, silent symbols, runs, contexts, boundaries."""

import numpy as np
import pytest

from isotone.drawing import correspondence_map, correspondences_page
from isotone.errors import ConfigError
from isotone.evaluation import count_correspondences
from isotone.results import END, START, Alignment


def aligned(source, target, posterior, *, stays=None, silence=None):
    rows = [*posterior, [0.0] * (len(source) + 1) + [1.0]]
    return Alignment(
        (START, *source, END),
        (*target, END),
        tuple(int(np.argmax(row)) for row in rows),
        -1.0,
        np.array(rows),
        None if stays is None else np.array([*stays, [0.0] * (len(source) + 2)]),
        None if silence is None else np.array(silence),
    )


XA = aligned(
    "xa",
    "ksa",
    [[0, 1, 0, 0], [0, 0.75, 0.25, 0], [0, 0, 1, 0]],
    stays=[[0, 0, 0, 0], [0, 0.75, 0, 0], [0, 0, 0.25, 0]],
    silence=[1, 0, 0, 1],
)
X = aligned("x", "z", [[0, 0.5, 0.5]], stays=[[0, 0, 0]], silence=[1, 0.5, 0.5])
NOTHING = Alignment((START, "q", END), ("y", END), (), float("-inf"))


def test_counts_by_hand():
    found = count_correspondences([XA, X, NOTHING])
    assert (found.pairs, found.impossible) == (2, 1)
    x, a = found["x"], found["a"]
    assert (x.occurrences, x.emitted, x.silent) == (2, 2.25, 0.5)
    assert [(e.target, e.expected, e.total) for e in x.targets] == [
        (("k",), 1.0, 1.0),
        (("s",), 0.75, 1.0),
        (("z",), 0.5, 1.0),
    ]
    assert [(e.target, e.expected) for e in x.runs] == [(("k", "s"), 0.75)]
    assert x.targets[0].example == ("xa", "ksa")
    assert [(e.target, e.expected) for e in a.runs] == [(("s", "a"), 0.25)]
    assert [(s.symbol, s.boundary) for s in found.sources] == [("a", False), ("x", False), (START, True), (END, True)]
    end = found.sources[-1]
    assert (end.emitted, end.silent) == (0.5, 1.5)  # the final boundary of the target is no symbol
    with pytest.raises(KeyError):
        found["q"]


def test_every_target_symbol_is_counted_once():
    found = count_correspondences([XA, X, X])
    assert sum(e.expected for s in found.sources for e in s.targets) == pytest.approx(3 + 1 + 1)
    assert sum(s.emitted for s in found.sources) == pytest.approx(5)


def test_contexts():
    found = count_correspondences([XA, X], context=1)
    by = {(s.left, s.symbol, s.right): s for s in found.contexts}
    assert by[(START,), "x", ("a",)].occurrences == 1
    assert by[(START,), "x", (END,)].silent == 0.5
    assert by[("x",), "a", (END,)].emitted == pytest.approx(1.25)
    assert found["x"] == count_correspondences([XA, X])["x"]
    assert "contexts" not in count_correspondences([XA]).to_json()
    with pytest.raises(ConfigError):
        count_correspondences([], context=-1)


def test_what_a_model_cannot_tell_is_not_made_up():
    soft = aligned("a", "b", [[0, 1, 0]])
    assert count_correspondences([XA, soft])["a"].silent is None
    assert count_correspondences([soft])["a"].runs == ()


def test_data_may_hold_the_names_of_the_boundaries():
    found = count_correspondences([aligned([START], "b", [[0, 1, 0]], silence=[1, 0, 1])])
    assert [(s.symbol, s.boundary, s.emitted) for s in found.sources] == [
        (START, False, 1.0),
        (START, True, 0.0),
        (END, True, 0.0),
    ]


def test_the_table_and_its_minimum():
    found = count_correspondences([XA, X])
    rows = list(found.rows())
    assert ["", "x", "", "run", "k s", "0.7500", "0.3750", "1.0000", "xa → ksa"] in rows
    assert ["", "x", "", "silent", "", "0.5000", "0.2500", "", ""] in rows
    assert all(float(row[5]) >= 0.6 for row in found.rows(0.6)) and len(list(found.rows(0.6))) < len(rows)
    assert "k 50.0%" in str(found)


def test_the_page_is_self_contained_and_escapes_what_it_shows():
    nasty = aligned(["<b>"], ["&"], [[0, 1, 0]], silence=[1, 0, 1])
    page = correspondences_page(count_correspondences([nasty, XA], context=1), title="<i>")
    assert "<b>" not in page and "<i>" not in page and "&lt;b&gt;" in page
    assert "http" not in page.replace("http-equiv", "") and "prefers-color-scheme:dark" in page
    assert "width=device-width" in page
    assert 'title="x → k 100.0%"' in correspondence_map(count_correspondences([XA]))
