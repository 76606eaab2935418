"""Several seeds, one mixture: packed, loaded, resumed member by member."""

import json
import math

import pytest

import isotone
import toy
from isotone.api.training import Callback
from isotone.errors import ConfigError
from quick import fit

DATA, DEV = toy.examples(80), toy.examples(20, seed=9)
OPTIONS = {"model": "0-mono", "seed": 3, "seeds": 2, "epochs": 2}


class StopAt(Callback):
    """Ctrl-C in the n-th batch altogether."""

    def __init__(self, batches):
        self.left = batches

    def on_batch(self, event):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seeds") / "m"
    assert fit(DATA, DEV, folder, **OPTIONS).finished
    return folder


@pytest.mark.trains
def test_a_mixture_of_members(packed):
    whole, parts = isotone.load(packed), [isotone.load(packed / name) for name in ("seed-3", "seed-4")]
    pair = DEV[0]
    expected = math.log(sum(math.exp(part.score(pair.source, pair.target, tags=pair.tags)) for part in parts) / 2)
    assert whole.score(pair.source, pair.target, tags=pair.tags) == pytest.approx(expected, abs=1e-5)
    metrics = json.loads((packed / "metrics.json").read_text())
    assert set(metrics["members"]) == {"seed-3", "seed-4"} and metrics["finished"]
    assert metrics["dev"]["acc"] == whole.evaluate(DEV).metrics["acc"]
    assert "Mixture of 2" in (packed / "README.md").read_text()
    assert json.loads((packed / "run.json").read_text())["seeds"] == 2


def test_mixtures_can_be_mixed_and_saved(packed, tmp_path):
    pair = DEV[1]
    three = isotone.load(packed, packed / "seed-3", weights=[2, 1])
    parts = {
        name: isotone.load(packed / name).score(pair.source, pair.target, tags=pair.tags)
        for name in ("seed-3", "seed-4")
    }
    expected = math.log((2 * math.exp(parts["seed-3"]) + math.exp(parts["seed-4"])) / 3)
    assert three.score(pair.source, pair.target, tags=pair.tags) == pytest.approx(expected, abs=1e-5)
    three.save_pretrained(tmp_path / "saved")
    again = isotone.Transducer.from_pretrained(tmp_path / "saved")
    assert again.score(pair.source, pair.target, tags=pair.tags) == pytest.approx(expected, abs=1e-5)


@pytest.mark.trains
@pytest.mark.parametrize("batches", [3, 13])
def test_resume_keeps_finished_members(tmp_path, packed, batches):
    folder = tmp_path / "m"
    assert not fit(DATA, DEV, folder, **OPTIONS, callbacks=[StopAt(batches)]).finished
    assert not (folder / "mixture.json").exists()
    assert fit(DATA, DEV, folder, **OPTIONS, mode="resume").finished
    for name in ("seed-3", "seed-4"):
        assert (folder / name / "model.safetensors").read_bytes() == (packed / name / "model.safetensors").read_bytes()


def test_folders_are_protected(packed, tmp_path):
    with pytest.raises(ConfigError, match="not empty"):
        fit(DATA, DEV, packed, **OPTIONS)
    with pytest.raises(ConfigError, match=r"architecture\.aligner\.name is '0-mono', not '1-mono'"):
        fit(DATA, DEV, packed, **{**OPTIONS, "model": "1-mono"}, mode="resume")
    assert fit(DATA, DEV, packed, **OPTIONS, mode="resume") is None
