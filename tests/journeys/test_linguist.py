"""A computational linguist: a shared task's files as they are, evaluation, alignments, impossible references."""

import json

import pytest

import toy
from cli.conftest import table
from journeys.conftest import QUICK


@pytest.fixture(scope="module")
def inflection(isotone, tmp_path_factory):
    folder = tmp_path_factory.mktemp("inflection")
    (folder / "train").write_text(table(toy.examples(300)) + "gsee\t\tN;SG\n", encoding="utf-8")  # a cell without form
    (folder / "dev").write_text(table(toy.examples(40, seed=9)), encoding="utf-8")
    files = ["--train", folder / "train", "--dev", folder / "dev", "--out", folder / "model"]
    done = isotone("train", "--task", "inflection", "--model", "1-mono", *files, *QUICK, "--epochs", 5)
    assert done.code == 0 and "dev sources are training sources too" in done.err
    return folder


def test_official_files_with_empty_forms(shared):
    from isotone.text.readers import read

    path = shared / "data" / "inflection" / "sigmorphon2020" / "gsw.trn"
    if not path.exists():
        pytest.skip("no Swiss German file")
    assert any(example.target == "" for example in read(path, "conll2017"))


def test_impossible_references_are_counted(isotone, inflection, tmp_path):
    (tmp_path / "test").write_text("abc\tΩ\tN;PL\n" + table(toy.examples(10, seed=3)), encoding="utf-8")
    done = isotone("evaluate", inflection / "model", tmp_path / "test", "--json")
    value = json.loads(done.out)
    assert value["impossible"] == 1 and value["metrics"]["nll"] is not None
    assert "1 of 11 sources have no reference that the model can write; nll is the mean of the other 10" in done.err
    plain = isotone("evaluate", inflection / "model", tmp_path / "test")
    assert ["impossible", "1"] in [line.split("\t")[:2] for line in plain.lines]


def test_dev_pairs_the_wrong_way_round(isotone, tmp_path):
    pairs = [("аба", "aba"), ("баб", "bab"), ("аабб", "aabb")] * 10
    (tmp_path / "train").write_text("".join(f"{a}\t{b}\n" for a, b in pairs), encoding="utf-8")
    (tmp_path / "dev").write_text("".join(f"{b}\t{a}\n" for a, b in pairs), encoding="utf-8")
    files = ["--train", tmp_path / "train", "--dev", tmp_path / "dev", "--out", tmp_path / "m"]
    assert "wrong way round" in isotone("train", *files, "--format", "pairs").refused()


def test_one_bad_pair_never_ends_a_run(isotone, inflection, tmp_path, monkeypatch):
    monkeypatch.setattr("isotone.decoding.align.MOST_CELLS", 2000)
    (tmp_path / "pairs").write_text(f"abc\tabc\tN;PL\n{'ab' * 50}\t{'ab' * 50}\tN;PL\nb\tb\tN;SG\n", encoding="utf-8")
    done = isotone("align", inflection / "model", tmp_path / "pairs", "--json", "--posterior")
    values = [json.loads(line) for line in done.lines]
    assert done.code == 0 and [bool(value["path"]) for value in values] == [True, False, True]
    assert "too large to align" in done.err and values[1]["logprob"] is None


def test_copied_and_greedy_answers(isotone, inflection):
    greedy = isotone("predict", inflection / "model", "--decode", "greedy", "--json", stdin="abc\tN;PL\n")
    assert json.loads(greedy.out)["certified"] is None  # nobody tried
    copied = isotone("predict", inflection / "model", "--unknown", "copy", "--json", stdin="abΩc\tN;PL\n")
    assert copied.code == 0 and json.loads(copied.out)["unseen"] == ["Ω"]
