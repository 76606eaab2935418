"""Folders written by older versions still load, with the same log-probabilities."""

import copy
import json
from pathlib import Path

import pytest

import isotone
from isotone.errors import ModelError
from isotone.models.config import FORMAT, ModelConfig
from isotone.store.manifest import parse_config
from isotone.store.upgrade import upgrade_config

FOLDERS = Path(__file__).parent / "folders"
EXPECTED = json.loads((FOLDERS / "expected.json").read_text(encoding="utf-8"))
FLAT = json.loads((FOLDERS / "single" / "config.json").read_text(encoding="utf-8"))


def flat(**changes):
    return {**copy.deepcopy(FLAT), "architecture": {**FLAT["architecture"], **changes}}


@pytest.mark.parametrize("name", ["single", "mixture"])
def test_an_old_folder_gives_the_same_numbers(name):
    model = isotone.load(FOLDERS / name)
    for pair in EXPECTED[name]:
        logprob = model.score(pair["source"], pair["target"], tags=pair["tags"])
        assert logprob == pytest.approx(pair["logprob"], abs=1e-5)
        assert model(pair["source"], tags=pair["tags"], decode="exact").target == pair["best"]


def test_format_1_becomes_sections():
    assert FLAT["format"] == 1
    before = copy.deepcopy(FLAT)
    config = ModelConfig.model_validate(upgrade_config(FLAT))
    assert before == FLAT, "the caller's dict is left alone"
    assert config.format == FORMAT == 2 and config.task == "inflection"
    assert config.architecture.model_dump() == {
        "encoder": {"name": "lstm", "embedding": 8, "hidden": 12, "layers": 1, "dropout": 0.1},
        "decoder": {"embedding": 8, "hidden": 12, "dropout": 0.1, "query_dropout": 0.0},
        "aligner": {"name": "1-mono", "width": 4},
        "emission": {"copies_unknown": True, "copy_gate": False},
        "tags": {"size": 40, "in_encoder": False},
    }


def test_an_aligner_without_jumps_loses_its_unused_width():
    for aligner in ("soft", "0-hard", "0-mono", "pipeline-mono"):
        upgraded = ModelConfig.model_validate(upgrade_config(flat(aligner=aligner, width=9)))
        assert upgraded.architecture.aligner.model_dump() == {"name": aligner}
    assert ModelConfig.model_validate(upgrade_config(flat(aligner="1-hard", width=9))).architecture.aligner.width == 9


def test_missing_fields_had_the_papers_defaults():
    for raw in ({"format": 1}, {"format": 1, "architecture": {}}):
        assert ModelConfig.model_validate(upgrade_config(raw)) == ModelConfig()


def test_todays_format_is_left_alone():
    raw = ModelConfig().model_dump(mode="json")
    assert upgrade_config(raw) is raw


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (flat(colour=1), "colour"),
        (flat(aligner="2-mono"), "no aligner called '2-mono'"),
        (flat(aligner=["1-mono"]), "no aligner called"),
        (flat(hidden=10**9), "architecture.encoder.hidden: Input should be less than or equal to 65536"),
        ({**FLAT, "architecture": [1]}, "architecture"),
        ({**FLAT, "format": "1"}, "architecture"),
    ],
)
def test_nonsense_is_refused_as_such(raw, message):
    with pytest.raises(ModelError, match=f"config.json: .*{message}"):
        parse_config(raw, Path("config.json"))
