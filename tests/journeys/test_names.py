"""Names from one script to another: no copying across scripts, several right answers, greedy beside exact."""

import json

import pytest

from journeys import language
from journeys.conftest import QUICK


@pytest.fixture(scope="module")
def model(isotone, tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    (folder / "train.tsv").write_text(language.lines(language.names(250)), encoding="utf-8")
    files = ["--train", folder / "train.tsv", "--dev", "0.05", "--out", folder / "model"]
    done = isotone("train", "--task", "transliteration", "--model", "1-mono", *files, *QUICK, "--epochs", 5)
    assert done.code == 0, done.err
    return folder / "model"


def test_letters_of_one_script_are_not_copied_into_the_other(isotone, model):
    done = isotone("predict", model, "--json", stdin="Karøl\n")
    value = json.loads(done.out)
    assert value["unseen"] == ["ø"] and "ø" not in value["predictions"][0]["target"]
    assert "'ø' was never seen in training (first in 'Karøl')" in done.err


def test_capitals_are_kept_apart_where_training_has_them(isotone, model):
    facts = json.loads(isotone("info", model, "--json").out)
    assert facts["source_text"]["fold_case"] is False
    answers = isotone("predict", model, "--n-best", 3, stdin="Karo\n").lines
    assert len(answers) == 3 and all(0 <= float(line.split("\t")[4]) <= 1 for line in answers)


def test_the_alphabet_must_be_known(isotone, model):
    assert "never seen in training: 'Q'" in isotone("predict", model, "--alphabet", "К Q", stdin="Karo\n").refused()
