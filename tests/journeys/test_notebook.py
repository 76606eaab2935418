"""A notebook: train with progress, call with anything, frames with surprises in them."""

import pytest

import isotone
from isotone.errors import ConfigError, DataError
from journeys import language


@pytest.fixture(scope="module")
def model(g2p):
    return isotone.load(g2p / "model")


def test_predict_takes_plain_strings(model):
    (found,) = model.predict(["karo"])
    assert found == model("karo")
    assert [p.source for p in model(["karo", "mar"], unknown="drop", min_probability=0.1)] == ["karo", "mar"]
    for wrong in (None, 3, [None]):
        with pytest.raises(ConfigError, match="string"):
            model(wrong)
    with pytest.raises(ConfigError, match="expected a list"):
        model.predict("karo")
    with pytest.raises(DataError, match="never seen in training: '5'"):
        model("5", unknown="error")


def test_capitals(model, caplog):
    assert model("KARO").target == model("karo").target  # this model learnt to fold them
    model(["w" * 100])
    assert "no source in training had more than" in caplog.text and model("w" * 100).long
    assert model("w" * 100).to_json()["long"] is True


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_frames(model, package):
    frames = pytest.importorskip(package)
    frame = model.predict_frame(frames.DataFrame({"source": ["karo", "mar"]}))
    expected = [prediction.probability for prediction in model(["karo", "mar"])]
    assert frame["probability"].to_list() == pytest.approx(expected)
    with pytest.raises(ConfigError, match="has a column 'prediction' already"):
        model.predict_frame(frame)
    with pytest.raises(ConfigError, match=r"row 1: expected text, found (None|nan); leave such rows out first"):
        model.predict_frame(frames.DataFrame({"source": ["karo", None]}))


def test_training_tells_how_far_it_is(capsys):
    pairs = language.words(60)
    options = {"recipe": "small", "size": "tiny", "epochs": 2, "device": "cpu", "fold_case": False}
    model = isotone.train(train=pairs, dev=0.1, task="g2p", progress=True, **options)
    said = capsys.readouterr().err
    assert "epoch 1/2  train" in said and "epoch 2/2" in said and "wer" in said
    assert not model.config.text.source.fold_case
    isotone.train(train=pairs, dev=0.1, task="g2p", **options)
    assert "epoch" not in capsys.readouterr().err
