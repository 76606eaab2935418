"""isotone train --copy: symbols that training never saw are copied, and have a probability."""

import json
import math
import random

import pytest

LETTERS = "abcdefghijklm"


def words(count, seed):
    generator = random.Random(seed)
    return ["".join(generator.choices(LETTERS, k=generator.randint(2, 6))) for _ in range(count)]


def training(folder, out, *more):
    files = ["--train", folder / "train.tsv", "--dev", folder / "dev.tsv", "--out", out, "--format", "pairs"]
    recipe = ["--recipe", "small", "--size", "tiny", "--batch-size", 16, "--device", "cpu"]
    return ["train", *files, *recipe, *more]


@pytest.fixture(scope="module")
def copying(isotone, tmp_path_factory):
    """Models with a copy gate, of a language that adds a suffix to words over a…m; dev has a letter of its own."""
    folder = tmp_path_factory.mktemp("copying")
    for name, count, seed in (("train", 400, 0), ("dev", 30, 1)):
        pairs = [*words(count, seed), *(["жab"] if name == "dev" else [])]
        (folder / f"{name}.tsv").write_text("".join(f"{word}\t{word}en\n" for word in pairs), encoding="utf-8")
    for model in ("0-mono", "1-mono"):
        done = isotone(*training(folder, folder / model, "--copy", "--model", model, "--epochs", 6))
        assert done.code == 0, done.err
    return folder


def predicted(isotone, model, sources, *options):
    done = isotone("predict", model, "--json", *options, stdin="".join(f"{source}\n" for source in sources))
    assert (done.code, done.err) == (0, "")
    return [json.loads(line) for line in done.lines]


def scored(isotone, model, pairs):
    done = isotone("score", model, "-", "--json", stdin="".join(f"{s}\t{t}\n" for s, t in pairs))
    assert (done.code, done.err) == (0, "")
    return [json.loads(line) for line in done.lines]


COPIED = ["жab", "f😀ab", "calm"]
"""Sources that a model so small is sure of."""
HARDER = ["cжжd", "яжf", "fab😀"]


@pytest.mark.parametrize("options", [(), ("--decode", "beam"), ("--decode", "exact"), ("--n-best", 4)])
@pytest.mark.parametrize("model", ["0-mono", "1-mono", "0-mono,1-mono"])
def test_unseen_symbols_are_copied_and_score_agrees(isotone, copying, model, options):
    folders = ",".join(str(copying / name) for name in model.split(","))
    lines = predicted(isotone, folders, [*COPIED, *HARDER], *options)
    assert [line["predictions"][0]["target"] for line in lines[:3]] == [word + "en" for word in COPIED]
    assert all(set("жя😀") & set(line["predictions"][0]["target"]) for line in lines[3:5])
    found = [(line["source"], p["target"], p["logprob"]) for line in lines for p in line["predictions"]]
    values = scored(isotone, folders, [pair[:2] for pair in found])
    assert [row["logprob"] for row in values] == pytest.approx([logprob for *_, logprob in found], abs=1e-4)
    assert all(-20 < row["logprob"] < 0 and "reason" not in row for row in values)


def test_what_can_not_be_copied_has_a_reason(isotone, copying):
    rows = scored(isotone, copying / "1-mono", [("жab", "яaben"), ("яabcdefgж", "жяab")])
    assert [row["logprob"] for row in rows] == [None, None]
    assert rows[0]["reason"] == "never seen in training: 'я'"
    assert rows[1]["reason"].startswith("no alignment copies")
    done = isotone("align", copying / "1-mono", "-", "--json", "--posterior", stdin="яabcdefgж\tжяab\n")
    assert done.code == 0 and json.loads(done.out)["logprob"] is None and json.loads(done.out)["path"] == []


def test_align_evaluate_info_and_the_card(isotone, copying):
    done = isotone("align", copying / "1-mono", "-", "--json", "--posterior", stdin="cжd\tcжden\n")
    alignment = json.loads(done.out)
    assert alignment["target"][1] == "ж" and alignment["path"][:3] == [1, 2, 3]
    assert alignment["posterior"][1][2] == pytest.approx(1.0), "there is no other way to write it"
    report = json.loads(isotone("evaluate", copying / "1-mono", copying / "dev.tsv", "--json").out)
    assert report["metrics"]["acc"] > 90 and math.isfinite(report["metrics"]["nll"])
    facts = json.loads(isotone("info", copying / "1-mono", "--json").out)
    assert (
        facts["architecture"]["emission"]["copy_gate"] is True
        and facts["architecture"]["emission"]["copies_unknown"] is False
    )
    assert math.isfinite(facts["training"]["dev"]["loss"]) and facts["run"]["architecture"]["emission"]["copy_gate"]
    assert "copy gate" in (copying / "1-mono" / "README.md").read_text(encoding="utf-8")


def test_without_a_gate_nothing_of_it_is_there(isotone, copying):
    assert isotone(*training(copying, copying / "plain", "--no-copy", "--epochs", 1)).code == 0
    facts = json.loads(isotone("info", copying / "plain", "--json").out)
    assert (
        facts["architecture"]["emission"]["copy_gate"] is False
        and facts["architecture"]["emission"]["copies_unknown"] is True
    )
    assert "copy gate" not in (copying / "plain" / "README.md").read_text(encoding="utf-8")
    mixed = isotone("predict", f"{copying / 'plain'},{copying / '0-mono'}", stdin="ab\n")
    assert mixed.refused() == "models of a mixture must share alphabets, tags, text settings and how they copy"


def test_soft_attention_has_nothing_to_copy_from(isotone, copying, tmp_path):
    refused = isotone(*training(copying, tmp_path / "m", "--copy", "--model", "soft")).refused()
    assert refused == "soft averages over source positions, so there is no one symbol to copy (--copy)"
    assert not (tmp_path / "m").exists()
