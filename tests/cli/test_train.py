"""isotone train and isotone info: what a run leaves behind, what it says and where."""

import csv
import gzip
import json
import os
import re

import pytest

import toy
from cli.conftest import table, training


def test_a_run_leaves_a_model_folder_that_anyone_may_read(model):
    assert {path.name: path.stat().st_mode & 0o777 for path in model.iterdir()} == dict.fromkeys(
        [
            "config.json",
            "vocabulary.json",
            "model.safetensors",
            "metrics.json",
            "run.json",
            "train.log.csv",
            "README.md",
        ],
        0o666 & ~umask(),
    )
    assert [path.name for path in model.parent.iterdir() if path.name.startswith(".")] == []
    with (model / "train.log.csv").open() as file:
        assert [row["epoch"] for row in csv.DictReader(file)] == list("12345")


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.trains
def test_training_speaks_on_stderr_only_one_line_per_epoch(isotone, data, tmp_path):
    out = tmp_path / ("a rather long [bold] name for a folder " * 3)
    done = isotone(*training(data, out, "--model", "soft"))
    assert (done.code, done.out) == (0, "")
    lines = done.err.splitlines()
    assert lines[0] == "400 training pairs, 20 dev pairs, recipe small"
    assert re.fullmatch(r"soft, [\d,]+ parameters, 25 batches per epoch", lines[1])
    assert lines[2] == "isotone: 2 of 20 dev sources are training sources too: dev figures will be too good"
    assert re.match(r"epoch   1  train \d.*  dev .*  acc .*  mld .*  rate .* s  best", lines[3])
    assert lines[4].startswith("best epoch 1: dev acc ") and lines[4].endswith(f"; saved in {out}")
    assert len(lines) == 5


def test_info_tells_what_the_folder_holds(isotone, model):
    done = isotone("info", model, "--json")
    facts = json.loads(done.out)
    assert (done.code, done.err, done.out.count("\n")) == (0, "", 1)
    assert (facts["task"], facts["model"], facts["data_format"]) == ("inflection", "1-mono", "conll2017")
    assert (facts["source_symbols"], facts["tags"]) == (8, 3)
    assert facts["training"]["epochs"] == 5 and facts["training"]["finished"]
    plain = dict(line.split("\t", 1) for line in isotone("info", model).lines)
    assert plain.keys() == facts.keys() and plain["model"] == "1-mono"


def test_the_pipeline_from_training_to_evaluation(isotone, data, tmp_path):
    out = tmp_path / "pipeline"
    done = isotone(*training(data, out, "--model", "pipeline-mono", "--epochs", 5))
    assert (done.code, done.out) == (0, ""), done.err
    assert json.loads(isotone("info", out, "--json").out)["model"] == "pipeline-mono"
    report = json.loads(isotone("evaluate", out, data / "test.tsv", "--json").out)
    assert report["n"] == 30 and report["metrics"]["acc"] > 60
    predicted = isotone("predict", out, "--n-best", 2, "--json", stdin="abc\tN;PL\n")
    best = json.loads(predicted.out)
    assert best["certified"] and best["predictions"][0]["target"] == toy.transduce("abc", ("PL",))
    scored = isotone("score", out, "-", "--json", stdin=f"abc\t{best['predictions'][0]['target']}\tN;PL\n")
    assert json.loads(scored.out)["logprob"] == pytest.approx(best["predictions"][0]["logprob"], abs=1e-4)


def test_dev_as_a_share_and_gzip(isotone, tmp_path):
    packed = tmp_path / "pairs.tsv.gz"
    with gzip.open(packed, "wt", encoding="utf-8") as file:
        file.write("".join(f"{e.source}\t{e.target}\n" for e in toy.examples(40, tags=False)))
    arguments = ["--train", packed, "--dev", "5%", "--recipe", "small", "--size", "tiny", "--epochs", 1]
    done = isotone("train", *arguments, "--format", "pairs", "--out", tmp_path / "m")
    assert done.code == 0 and done.err.startswith("38 training pairs, 2 dev pairs, recipe ")
    assert json.loads(isotone("info", tmp_path / "m", "--json").out)["data_format"] == "pairs"


def test_the_best_recipe_says_what_it_costs_before_it_starts(isotone, data, tmp_path):
    asked = ["--recipe", "best", "--seeds", 1, "--set", "decode=greedy", "--train", data / "dev.tsv"]
    printed = isotone(*training(data, tmp_path / "m"), *asked, "--print-config")
    request = json.loads(printed.out)
    assert (request["aligners"], request["seeds"], request["recipe"]["name"]) == (["1-mono", "0-mono"], 1, "best")
    (tmp_path / "run.json").write_text(printed.out)
    done = isotone("train", "--config", tmp_path / "run.json", "--out", tmp_path / "m")
    assert done.code == 0 and done.out == "", done.err
    first = done.err.splitlines()[0]
    assert first.startswith("2 networks, one after another (1-mono-seed-0, 0-mono-seed-0): about ")
    assert first.endswith("for 20 pairs") and "mixture: dev acc " in done.err
    networks = re.findall(r"^(.+), [\d,]+ parameters, ", done.err, flags=re.MULTILINE)
    assert networks == ["1-mono", "0-mono backwards"]
    assert json.loads((tmp_path / "m" / "run.json").read_text()) == request


def test_paradigms_and_known_forms(isotone, data, tmp_path):
    pairs = [
        (a, a + e, t) for a in ("ab", "ba", "bab", "aab") for t, e in (("N;SG", ""), ("N;PL", "s"), ("N;GEN", "en"))
    ]
    (tmp_path / "t.tsv").write_text("".join("\t".join(pair) + "\n" for pair in pairs))
    files = ["--train", tmp_path / "t.tsv", "--dev", tmp_path / "t.tsv", "--set", "decode=greedy"]
    done = isotone(*training(data, tmp_path / "m"), *files, "--paradigm")
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "m" / "run.json").read_text())["recipe"]["paradigm"] == 0.5
    asked, known = ["--decode", "greedy", "--json"], ["--known", tmp_path / "t.tsv"]
    plain, told = (
        json.loads(isotone("predict", tmp_path / "m", *asked, *more, stdin="ab\tN;PL\n").out) for more in ([], known)
    )
    assert told["source"] == "ab" and plain["predictions"] != told["predictions"]
    assert json.loads(isotone("evaluate", tmp_path / "m", tmp_path / "t.tsv", *known, *asked).out)["n"] == len(pairs)
    refused = isotone("predict", tmp_path / "m", "*.tsv", "-o", tmp_path / "o", "--ray", *known).refused()
    assert refused == "--known does not go with --ray"


def test_known_forms_need_a_model_that_reads_them(isotone, data, model):
    refused = isotone("predict", model, data / "dev.tsv", "--known", data / "dev.tsv").refused()
    assert refused == "known forms: this model was trained without --paradigm, so it reads lemmas only"


@pytest.mark.trains
def test_training_begins_with_a_trained_model(isotone, data, tmp_path, model):
    (tmp_path / "more.tsv").write_text("azb\tabz\tN;NEW\n" * 30)
    names = ["--train", tmp_path / "more.tsv", "--dev", data / "dev.tsv", "--start-from", model]
    asked = ["train", *names, "--out", tmp_path / "m", "--recipe", "small", "--epochs", 1]
    done = isotone(*asked)
    assert done.code == 0, done.err
    heading, network = done.err.splitlines()[:2]
    assert heading == f"30 training pairs, 20 dev pairs, recipe small, beginning with {model}"
    assert network.startswith("1-mono, ")
    run = json.loads((tmp_path / "m" / "run.json").read_text())
    assert (run["task"], run["origin"]["model"]) == ("inflection", str(model))
    before, after = (json.loads((folder / "vocabulary.json").read_text()) for folder in (model, tmp_path / "m"))
    assert after["source"] == [*before["source"], "z"] and after["tags"] == [*before["tags"], "NEW"]
    assert isotone(*asked, "--resume").err.startswith("the run in ")
    refused = isotone(*asked, "--overwrite", "--size", "small").refused()
    assert refused == f"{model}: its encoder.embedding is 64, so it cannot be 100"
    assert (
        isotone("train", *names[:4], "--out", tmp_path / "n", "--start-from", "no").refused()
        == "no: no such model folder"
    )


def test_distilling_from_the_command_line(isotone, data, tmp_path):
    (tmp_path / "more.tsv").write_text("abc\tN;PL\nbad\tN;SG\n")
    quick = ["--train", data / "dev.tsv", "--set", "decode=greedy", "--set", "distil.n_best=1", "--seeds", 2]
    asked = ["--distil", "--distil-sources", tmp_path / "more.tsv", "--format", "conll2017", "--model", "0-mono"]
    done = isotone(*training(data, tmp_path / "m"), *quick, *asked)
    assert done.code == 0 and done.out == "", done.err
    assert done.err.startswith("3 networks, one after another (seed-0, seed-1, distilled): about ")
    assert "the mixture it learnt from: dev acc " in done.err and not (tmp_path / "m" / "teacher").exists()
    assert json.loads((tmp_path / "m" / "run.json").read_text())["data"]["further_sources"] == 2
    assert isotone("train", "--resume", "--out", tmp_path / "m").code == 0
    assert "goes with --distil" in isotone(*training(data, tmp_path / "n"), "--keep-teacher").refused()


def test_columns_and_separators_are_remembered(isotone, tmp_path):
    pairs = toy.examples(40)
    (tmp_path / "t.csv").write_text("".join(f"{e.target},x,{'+'.join(e.tags)},{e.source}\n" for e in pairs))
    columns = ["--source-column", 4, "--target-column", 1, "--tags-column", 3]
    separators = ["--column-separator", ",", "--tag-separator", "+"]
    small = ["--recipe", "small", "--size", "tiny", "--epochs", 1, "--dev", "10%"]
    done = isotone("train", "--train", tmp_path / "t.csv", *small, *columns, *separators, "--out", tmp_path / "m")
    assert done.code == 0, done.err
    scored = isotone("score", tmp_path / "m", tmp_path / "t.csv", "--json")
    assert [json.loads(line)["source"] for line in scored.lines] == [pair.source for pair in pairs]
    first = isotone("predict", tmp_path / "m", stdin="?,?,N+PL,abc\n")
    assert first.code == 0 and first.out.startswith("abc\tN;PL\t")


def test_symbols_and_normalization(isotone, tmp_path):
    (tmp_path / "t.tsv").write_text("a|b\tx y\nb|a\ty x\na|a\tx x\n" * 4, encoding="utf-8")
    texts = ["--source-symbols", "|", "--target-symbols", "spaces", "--normalization", "NFD"]
    small = ["--recipe", "small", "--size", "tiny", "--epochs", 1, "--dev", "34%", "--format", "pairs"]
    assert isotone("train", "--train", tmp_path / "t.tsv", *small, *texts, "--out", tmp_path / "m").code == 0
    facts = json.loads(isotone("info", tmp_path / "m", "--json").out)
    read = {"normalization": "NFD", "segmentation": "separator", "separator": "|", "fold_case": False}
    assert facts["source_text"] == read
    assert facts["source_symbols"] == 2 and facts["target_text"]["segmentation"] == "separator"


def test_formats_are_guessed_where_they_are_certain(isotone, data, tmp_path):
    swapped = "".join(f"{e.source}\t{';'.join(e.tags)}\t{e.target}\n" for e in toy.examples(40))
    (tmp_path / "t.tsv").write_text(swapped)
    small = ["--recipe", "small", "--size", "tiny", "--epochs", 1, "--dev", "10%", "--task", "inflection"]
    assert isotone("train", "--train", tmp_path / "t.tsv", *small, "--out", tmp_path / "m").code == 0
    assert json.loads(isotone("info", tmp_path / "m", "--json").out)["data_format"] == "sigmorphon2023"


def test_duplicate_lines_are_fine(isotone, tmp_path):
    (tmp_path / "t.tsv").write_text(table(toy.examples(10)) * 3)
    done = isotone(*training(tmp_path, tmp_path / "m"), "--train", tmp_path / "t.tsv", "--dev", tmp_path / "t.tsv")
    assert done.code == 0 and done.err.startswith("30 training pairs, 30 dev pairs, recipe ")


def test_skip_bad_goes_on_and_says_what_it_left_out(isotone, data, tmp_path):
    (tmp_path / "t.tsv").write_bytes(b"no columns\n\xff\ta\tN\n" + (data / "dev.tsv").read_bytes())
    done = isotone(
        *training(data, tmp_path / "m"), "--train", tmp_path / "t.tsv", "--format", "conll2017", "--skip-bad"
    )
    assert done.code == 0
    first = "expected 3 tab-separated columns (lemma, form, tags), found 1"
    assert done.err.startswith(f"isotone: {tmp_path}/t.tsv: left out 2 lines; the first: {tmp_path}/t.tsv:1: {first}\n")


@pytest.mark.trains
def test_overwrite_replaces_and_resume_leaves_alone(isotone, data, tmp_path):
    out = tmp_path / "m"
    assert isotone(*training(data, out)).code == 0
    assert isotone(*training(data, out)).refused() == (
        f"{out}: is not empty; give --resume to go on or --overwrite to replace its model"
    )
    again = isotone(*training(data, out, "--resume"))
    assert (again.code, again.out) == (0, "") and "is finished; nothing to do" in again.err
    refused = isotone(*training(data, out, "--resume", "--model", "0-hard")).refused()
    assert refused.endswith("its architecture.aligner.name is '0-mono', not '0-hard'")
    (out / "thesis.txt").write_text("precious")
    assert isotone(*training(data, out, "--overwrite", "--model", "0-hard")).code == 0
    assert json.loads(isotone("info", out, "--json").out)["model"] == "0-hard"
    assert (out / "thesis.txt").read_text() == "precious"
    assert isotone("train", "--resume", "--out", out).code == 0  # everything is in the folder


@pytest.mark.trains
def test_a_printed_config_is_a_run(isotone, data, tmp_path):
    printed = isotone(
        *training(data, tmp_path / "a", "--set", "aligner.width=2", "--model", "1-mono", "--print-config")
    )
    assert printed.code == 0, printed.err
    request = json.loads(printed.out)
    assert request["architecture"]["aligner"] == {"name": "1-mono", "width": 2} and request["recipe"]["epochs"] == 1
    assert not (tmp_path / "a").exists()
    (tmp_path / "run.json").write_text(printed.out)
    again = isotone("train", "--config", tmp_path / "run.json", "--print-config")
    assert again.out == printed.out
    done = isotone("train", "--config", tmp_path / "run.json", "--out", tmp_path / "b")
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "b" / "run.json").read_text()) == request
    (tmp_path / "run.json").write_text(printed.out.replace('"rate": 0.003', '"rate": -1'))
    assert "run.json: recipe.rate: " in isotone("train", "--config", tmp_path / "run.json", "--print-config").refused()
    assert "no such file" in isotone("train", "--config", tmp_path / "x", "--print-config").refused()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "encoder.floors=3"], "encoder.floors: no such hyperparameter"),
        (["--set", "aligner.width=3"], "aligner.width"),
        (["--set", "rate"], "--set rate: expected FIELD=VALUE"),
        (["--print-config", "--resume"], "--print-config shows a new run"),
        (["--set", "speed=9"], "unknown setting 'speed'"),
        (["--source-symbols", "space"], "did you mean spaces?"),
    ],
)
def test_changes_that_make_no_sense(isotone, data, tmp_path, options, message):
    assert message in isotone(*training(data, tmp_path / "m", *options)).refused()
    assert not (tmp_path / "m").exists()


@pytest.mark.trains
def test_demo(isotone, tmp_path):
    out = tmp_path / "demo"
    done = isotone("demo", "transliteration", "--locale", "el", "--out", out, "--epochs", 1)
    assert (done.code, done.out) == (0, ""), done.err
    assert {path.name for path in out.iterdir()} == {"train.tsv", "dev.tsv", "test.tsv", "model", "alignments.html"}
    for part in ("held-out sources", "mfs", "Words it has not seen", "⟨/s⟩", "alignments.html", "Try next:"):
        assert part in done.err
    assert isotone("evaluate", out / "model", out / "test.tsv", "--json").code == 0


@pytest.mark.parametrize(("task", "bf16"), [("g2p", "0"), ("g2p", "1"), ("inflection", "1")])
def test_the_other_demos_write_what_their_commands_read(isotone, tmp_path, monkeypatch, task, bf16):
    """In bf16 and in fp32, whichever of the two this machine would choose."""
    monkeypatch.setenv("ISOTONE_BF16", bf16)
    out = tmp_path / "demo"
    done = isotone("demo", task, "--out", out, "--epochs", 1, "--train-size", 40)
    assert (done.code, done.out) == (0, ""), done.err
    assert "held-out sources" in done.err and (out / "alignments.html").is_file()
    head = (out / "test.tsv").read_text(encoding="utf-8").splitlines()[:3]
    assert len(isotone("score", out / "model", "-", stdin="\n".join(head)).lines) == 3


def test_demo_refuses_other_peoples_folders(isotone, tmp_path):
    (tmp_path / "train.tsv").write_text("precious")
    assert "holds something other than a demo" in isotone("demo", "g2p", "--out", tmp_path).refused()
    assert "no demo corpus 'cooking'" in isotone("demo", "cooking", "--out", tmp_path / "d").refused()
    assert "no aligner called 'x'" in isotone("demo", "--model", "x", "--out", tmp_path / "d").refused()
    assert [path.name for path in tmp_path.iterdir()] == ["train.tsv"]
