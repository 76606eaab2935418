"""A temperature travels with the model; folders without one stay as they were; damage is noticed."""

import json

import pytest
from safetensors import safe_open

import isotone
import tiny
from isotone.errors import ConfigError, ModelError
from isotone.store.describe import read_folder
from isotone.store.folder import load_member, load_members, save_member, save_members, set_temperature
from isotone.store.manifest import KEY
from isotone.store.metrics import Metrics
from isotone.store.temperature import Temperature

WARM = Temperature(value=1.25, fitted_on=10, fitted_nll_before=2.0, fitted_nll_after=1.5)
METRICS = Metrics(task="inflection", dev={"acc": 50.0}, finished=True)
RUN = {"seed": 3}


def described(folder):
    with safe_open(folder / "model.safetensors", "pt") as file:
        return json.loads(file.metadata()[KEY])


@pytest.fixture
def folder(tmp_path):
    save_member(tmp_path / "model", tiny.bundle(), metrics=METRICS, run=RUN)
    return tmp_path / "model"


@pytest.fixture
def mixture(tmp_path):
    save_members(tmp_path / "mixture", [(tiny.bundle(), 1), (tiny.bundle("1-mono"), 3)], metrics=METRICS, run=RUN)
    return tmp_path / "mixture"


def test_a_single_model(folder):
    before = (folder / "model.safetensors").read_bytes()
    assert described(folder)["format"] == 2 and "temperature" not in described(folder)
    set_temperature(folder, WARM)
    assert load_member(folder).temperature == WARM == read_folder(folder).temperature
    assert (read_folder(folder).metrics, read_folder(folder).run) == (METRICS, RUN)
    assert json.loads((folder / "temperature.json").read_text()) == WARM.to_json()
    assert described(folder)["format"] == 3  # an older version must not overlook it
    assert "temperature of 1.25" in (folder / "README.md").read_text()
    set_temperature(folder, None)
    assert not (folder / "temperature.json").exists()
    assert (folder / "model.safetensors").read_bytes() == before


def test_a_mixture_as_a_whole(mixture):
    members = [path for path, _ in read_folder(mixture).members]
    set_temperature(mixture, WARM)
    found = read_folder(mixture)
    assert found.temperature == WARM and [path for path, _ in found.members] == members
    assert [share for _, share in found.members] == [0.25, 0.75]
    assert all(member.temperature is None for member, _ in load_members(mixture))
    assert json.loads((mixture / "mixture.json").read_text())["format"] == 3
    set_temperature(mixture, None)
    assert read_folder(mixture).temperature is None
    assert json.loads((mixture / "mixture.json").read_text())["format"] == 2


def test_saving_a_model_without_one_removes_the_file(folder):
    set_temperature(folder, WARM)
    save_member(folder, tiny.bundle(), metrics=METRICS)
    assert not (folder / "temperature.json").exists() and load_member(folder).temperature is None


@pytest.mark.parametrize("value", [0, -1, "hot", 1e9])
def test_a_damaged_temperature_is_an_error(mixture, value):
    path = mixture / "mixture.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 3, "temperature": {"value": value}}))
    with pytest.raises(ModelError, match="temperature"):
        read_folder(mixture)


def test_copies_and_transducers_keep_it(folder, mixture, tmp_path):
    for source in (folder, mixture):
        model = isotone.load(source).with_temperature(1.5)
        model.save_pretrained(tmp_path / f"copy of {source.name}")
        again = isotone.load(tmp_path / f"copy of {source.name}")
        assert again.temperature == model.temperature == Temperature(value=1.5)
        assert again.score("ab", "xy", tags=("N",)) == pytest.approx(model.score("ab", "xy", tags=("N",)), abs=1e-9)
        plain = isotone.load(source)
        assert plain.temperature is None
        assert again.score("ab", "xy", tags=("N",)) != plain.score("ab", "xy", tags=("N",))
        assert again.with_temperature(None).score("ab", "xy") == pytest.approx(plain.score("ab", "xy"), abs=1e-9)


def test_members_keep_theirs_in_a_mixture_of_folders(folder, mixture, tmp_path):
    set_temperature(folder, WARM)
    save_member(tmp_path / "other", tiny.bundle())
    mixed = isotone.load(folder, tmp_path / "other")
    assert mixed.temperature is None and [m.temperature for m in mixed.members] == [WARM, None]
    mixed.save_pretrained(tmp_path / "mixed")
    assert [m.temperature for m in isotone.load(tmp_path / "mixed").members] == [WARM, None]
    set_temperature(mixture, WARM)
    with pytest.raises(ConfigError, match="a temperature of its own"):
        isotone.load(folder, mixture)
