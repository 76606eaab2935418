"""Encoders other than the LSTM, trained, saved and loaded like any other part."""

import pytest

import isotone
import toy
from quick import fit

DATA, DEV = toy.examples(32), toy.examples(6, seed=9)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("name", ["transformer", "convolution"])
def test_a_model_with_it_learns_and_loads(tmp_path, name, precision):
    more = {"encoder.name": name, "tags.in_encoder": True, "decode": "greedy", "precision": precision}
    outcome = fit(DATA, DEV, tmp_path / "m", epochs=2, model="0-mono", **more)
    assert outcome.finished
    model = isotone.load(tmp_path / "m")
    options = model.config.architecture.encoder
    assert (options.name, options.hidden, options.layers) == (name, 96, 1), "what both have is carried over"
    together = model.score([e.source for e in DEV], [e.target for e in DEV], tags=[e.tags for e in DEV])
    alone = [model.score(e.source, e.target, tags=e.tags) for e in DEV]
    assert together == pytest.approx(alone, abs=1e-4)
