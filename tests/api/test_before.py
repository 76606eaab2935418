"""Predictions and log-probabilities are those of the version that wrote `tests/store/folders`."""

import json
from pathlib import Path

import pytest

import isotone

FOLDERS = Path(__file__).parents[1] / "store" / "folders"
EXPECTED = json.loads((FOLDERS / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", EXPECTED)
def test_numbers_and_strings_have_not_changed(name):
    model, rows = isotone.load(FOLDERS / name), EXPECTED[name]
    sources, tags = [row["source"] for row in rows], [row["tags"] for row in rows]
    scores = model.score(sources, [row["target"] for row in rows], tags=tags)
    assert scores == pytest.approx([row["logprob"] for row in rows], abs=1e-4)
    found = model(sources, tags=tags)
    assert [p.target for p in found] == [row["best"] for row in rows]
    for prediction in found:
        assert prediction.certified
        assert prediction.logprob == pytest.approx(
            model.score(prediction.source, prediction.target, tags=prediction.tags), abs=1e-4
        )
