"""The other direction: phones to letters, from the same list."""

import json

import pytest

import isotone as library
from journeys import language
from journeys.conftest import QUICK


@pytest.fixture(scope="module")
def model(isotone, g2p, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reverse") / "model"
    files = ["--train", g2p / "train.tsv", "--dev", "0.05", "--out", folder]
    done = isotone("train", "--task", "g2p", "--reverse", "--model", "1-mono", *files, *QUICK, "--epochs", 6)
    assert done.code == 0, done.err
    return folder


def test_phones_to_letters(isotone, g2p, model):
    done = isotone("predict", model, stdin="k ɒ r\nm eː s\n")
    spelled = [line.split("\t") for line in done.lines]
    assert [row[0] for row in spelled] == ["k ɒ r", "m eː s"]
    assert all(" " not in row[1] and set(row[1]) <= set("".join(language.PHONES)) for row in spelled)
    report = json.loads(isotone("evaluate", model, g2p / "test.tsv", "--json").out)  # the file is read in reverse too
    assert report["n"] == 100 and report["metrics"]["per"] < 0.5
    assert isotone("predict", model, g2p / "test.tsv").lines[0].split("\t")[0] == language.words(500)[400][1]


def test_reverse_needs_data_without_tags(isotone, tmp_path):
    (tmp_path / "t").write_text("a\tb\tN;SG\nb\ta\tN;PL\n")
    files = ["--train", tmp_path / "t", "--dev", "50%", "--out", tmp_path / "m", "--format", "conll2017"]
    assert "--reverse: conll2017 has tags" in isotone("train", *files, "--reverse").refused()


def test_reverse_from_python_objects(tmp_path):
    pairs = language.words(60)
    options = {"recipe": "small", "size": "tiny", "epochs": 1, "device": "cpu"}
    model = library.train(train=pairs, dev=0.1, task="g2p", reverse=True, **options)
    assert "ɒ" in model.vocabulary.source and "a" in model.vocabulary.target
