"""Killed while saving, read while saving: there is always one whole model."""

import json
import os

import pytest


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kills_at_any_moment_leave_a_whole_model(program, tmp_path):
    out, err = program("kill_while_saving.py", tmp_path / "m").communicate(timeout=300)
    found = json.loads(out) if out else pytest.fail(err)
    assert found["strange"] == []
    assert found["loads"] >= 25 and len(found["seen"]) >= 3, found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_run_killed_again_and_again_ends_with_the_same_bits(program, tmp_path):
    out, err = program("kill_while_training.py", tmp_path, 6).communicate(timeout=600)
    found = json.loads(out) if out else pytest.fail(err)
    assert found["strange"] == [] and found["kills"] >= 6, (found, err)
