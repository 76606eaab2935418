"""Several seeds, one mixture: packed, loaded, resumed member by member."""

import json
import math

import pytest

import isotone
import toy
from isotone.errors import ConfigError
from isotone.store.describe import read_folder
from isotone.training import Callback, Recipe, Settings
from isotone.training.seeds import train_seeds

TINY = Recipe(
    name="test",
    size="tiny",
    schedule="one-cycle",
    rate=0.01,
    epochs=2,
    batch_size=16,
    dropout=0.1,
    precision="auto",
)
DATA, DEV = toy.examples(80), toy.examples(20, seed=9)


def settings(**changes):
    return Settings(**{"task": "inflection", "aligner": "0-mono", "recipe": TINY, "device": "cpu", **changes})


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
    _, finished = train_seeds(DATA, DEV, folder, settings(seed=3), 2)
    assert finished
    return folder


def test_a_mixture_of_members(packed):
    assert [path.name for path, _ in read_folder(packed).members] == ["seed-3", "seed-4"]
    whole, parts = isotone.load(packed), [isotone.load(packed / name) for name in ("seed-3", "seed-4")]
    pair = DEV[0]
    expected = math.log(sum(math.exp(part.score(pair.source, pair.target, tags=pair.tags)) for part in parts) / 2)
    assert whole.score(pair.source, pair.target, tags=pair.tags) == pytest.approx(expected, abs=1e-5)
    metrics = json.loads((packed / "metrics.json").read_text())
    assert set(metrics["members"]) == {"seed-3", "seed-4"} and metrics["finished"]
    assert "Mixture of 2" in (packed / "README.md").read_text()


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


@pytest.mark.parametrize("batches", [3, 13])
def test_resume_keeps_finished_members(tmp_path, packed, batches):
    folder = tmp_path / "m"
    left, finished = train_seeds(DATA, DEV, folder, settings(seed=3), 2, [StopAt(batches)])
    assert not finished and len(left) == 1 and not (folder / "mixture.json").exists()
    _, finished = train_seeds(DATA, DEV, folder, settings(seed=3, resume=True), 2)
    assert finished
    for name in ("seed-3", "seed-4"):
        assert (folder / name / "model.safetensors").read_bytes() == (packed / name / "model.safetensors").read_bytes()


def test_folders_are_protected(packed, tmp_path):
    with pytest.raises(ConfigError, match="not empty"):
        train_seeds(DATA, DEV, packed, settings(), 2)
    with pytest.raises(ConfigError, match="no run to resume"):
        train_seeds(DATA, DEV, tmp_path / "none", settings(resume=True), 2)
