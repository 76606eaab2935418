"""The checks of fuzz.py under hypothesis: bytes at random, and good files with changes."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faults import fuzz


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_any_bytes(target):
    @given(st.binary(max_size=300))
    def check(data):
        fuzz.TARGETS[target](data)

    check()


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_good_files_with_changes(target):
    @given(st.sampled_from(fuzz.SEEDS[target]), st.integers(0, 255), st.integers(0, 2**32))
    def check(seed, choice, number):
        start = bytes([choice]) + seed if target == "readers" else seed
        fuzz.TARGETS[target](fuzz.change(start, random.Random(number)))

    check()


def test_the_long_run_counts(capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "atheris", None)
    fuzz.main("config", 20)
    assert capsys.readouterr().out == "config: 20 inputs, random changes, no crash\n"
