"""docs/new-aligner.md runs, and the aligner and the encoder it adds keep the contracts of their tables."""

import importlib
import re
from pathlib import Path

import pytest

from isotone.models import ALIGNERS, ENCODERS, Architecture

PAGE = Path(__file__).parents[2] / "docs" / "new-aligner.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
NAME, ENCODER = "window-mono", "neighbours"


@pytest.fixture(autouse=True)
def in_the_table(monkeypatch):
    """The page's code, from top to bottom, in one namespace; afterwards the tables are as they were."""
    monkeypatch.setitem(ALIGNERS, NAME, None)
    monkeypatch.setitem(ENCODERS, ENCODER, None)
    names = {"__name__": "new_aligner"}
    for block in BLOCKS:
        exec(compile(block, str(PAGE), "exec"), names)


def contract(module, argument, value):
    """The tests of a table, asked of the page's entry instead."""
    for name, test in vars(importlib.import_module(module)).items():  # our own copy: pytest has another of this file
        marks = getattr(test, "pytestmark", []) if name.startswith("test_") else []
        others = [mark for mark in marks if mark.args[0] != argument]
        if len(others) < len(marks):
            test.pytestmark = [pytest.mark.parametrize(argument, [value]).mark, *others]
            yield f"{name}_{value}".replace("-", "_"), test


globals().update(contract("models.test_aligners", "aligner", NAME))
globals().update(contract("models.test_encoders", "name", ENCODER))


def test_the_page_adds_both_by_a_record_each():
    assert ALIGNERS[NAME].make.__name__ == "WindowMono" and ENCODERS[ENCODER].make.__name__ == "Neighbours"
    assert Architecture(aligner=NAME, encoder=ENCODER).model_dump()["aligner"] == {"name": NAME, "width": 4}


def test_the_contracts_are_here():
    asked = {name for name, test in globals().items() if name.startswith("test_") and hasattr(test, "pytestmark")}
    assert asked >= {
        "test_enumeration_agrees_window_mono",
        "test_rows_are_distributions_with_exact_zeros_window_mono",
        "test_log_prob_is_the_same_alone_in_any_batch_with_any_padding_window_mono",
        "test_stepwise_equals_batched_window_mono",
        "test_fast_equals_dense_and_gradients_are_finite_window_mono",
        "test_states_do_not_depend_on_padding_or_neighbours_neighbours",
        "test_gradients_reach_every_parameter_and_none_comes_from_padding_neighbours",
    }


def test_the_file_on_the_page_follows_the_house():
    assert BLOCKS[0].startswith('"""') and '__all__ = ["WindowMono"]' in BLOCKS[0]
    assert max(map(len, BLOCKS[0].splitlines())) <= 120
