"""docs/new-aligner.md runs, and the aligner it adds keeps the contract of the table."""

import importlib
import re
from pathlib import Path

import pytest

from isotone.models import ALIGNERS

PAGE = Path(__file__).parents[2] / "docs" / "new-aligner.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
NAME = "window-mono"


@pytest.fixture(autouse=True)
def in_the_table(monkeypatch):
    """The page's code, from top to bottom, in one namespace; afterwards the table is as it was."""
    monkeypatch.setitem(ALIGNERS, NAME, None)
    names = {"__name__": "new_aligner"}
    for block in BLOCKS:
        exec(compile(block, str(PAGE), "exec"), names)


def contract():
    """The tests of the table of aligners, asked of the page's aligner instead."""
    module = importlib.import_module("models.test_aligners")  # our own copy: pytest knows the other by another name
    for name, test in vars(module).items():
        marks = getattr(test, "pytestmark", []) if name.startswith("test_") else []
        others = [mark for mark in marks if mark.args[0] != "aligner"]
        if len(others) < len(marks):
            test.pytestmark = [pytest.mark.parametrize("aligner", [NAME]).mark, *others]
            yield name, test


globals().update(contract())


def test_the_page_adds_one_aligner_by_its_own_line():
    assert ALIGNERS[NAME].__name__ == "WindowMono"


def test_the_contract_is_here():
    asked = {name for name, test in globals().items() if name.startswith("test_") and hasattr(test, "pytestmark")}
    assert asked >= {
        "test_enumeration_agrees",
        "test_rows_are_distributions_with_exact_zeros",
        "test_log_prob_is_the_same_alone_in_any_batch_with_any_padding",
        "test_stepwise_equals_batched",
        "test_fast_equals_dense_and_gradients_are_finite",
    }


def test_the_file_on_the_page_follows_the_house():
    assert BLOCKS[0].startswith('"""') and '__all__ = ["WindowMono"]' in BLOCKS[0]
    assert max(map(len, BLOCKS[0].splitlines())) <= 120
