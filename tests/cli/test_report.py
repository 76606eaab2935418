"""isotone report: a page with four sections whose numbers are those of evaluate and of the log."""

import csv
import json
import re
import shutil
from html.parser import HTMLParser
from math import exp
from xml.etree import ElementTree

import pytest

from cli.conftest import sweep_file
from isotone.experiments.cell import cells_of, run_cell
from isotone.experiments.config import load_sweep
from isotone.experiments.results import write_results
from isotone.store.mixture import save_mixture

SECTIONS = {"results": "Results", "curves": "Learning curves", "calibration": "Calibration", "errors": "Errors"}


def sections(page):
    """By address, the markup of each."""
    return dict(re.findall(r'<section id="(\w+)".*?>(.*?)</section>', page, flags=re.DOTALL))


def balanced(page):
    """Every tag that opens is closed, in order."""
    stack = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: stack.append(tag) if tag != "meta" else None
    parser.handle_startendtag = lambda tag, attributes: None
    parser.handle_endtag = lambda tag: stack.pop() == tag or pytest.fail(f"</{tag}>")
    parser.feed(page)
    return not stack


def drawings(markup):
    return [ElementTree.fromstring(svg) for svg in re.findall(r"<svg xmlns.*?</svg>", markup)]


@pytest.fixture(scope="module")
def page(isotone, model, other, data, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "r.html"
    done = isotone("report", model, other, "--test", data / "test.tsv", "-o", path, "--errors", 3)
    assert (done.code, done.out, done.err) == (0, "", f"2 models in {path}\n")
    assert [file.name for file in path.parent.iterdir()] == ["r.html"]
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def evaluated(isotone, model, other, data):
    """Metrics of both models."""
    found = {}
    for folder in (model, other):
        found[folder.name] = json.loads(isotone("evaluate", folder, data / "test.tsv", "--json").out)["metrics"]
    return found


def test_the_four_sections_are_there(page):
    parts = sections(page)
    assert list(parts) == list(SECTIONS) and balanced(page)
    for name, title in SECTIONS.items():
        assert f'<a href="#{name}">{title}</a>' in page
        assert f'<h2 id="{name}-title">{title}</h2>' in parts[name]
    assert "Missing for" not in page
    assert set(re.findall(r"""(?:https?:)?//[^"'\s<]+""", page)) == {"http://www.w3.org/2000/svg"}


def test_a_page_names_models_not_the_folders_of_this_machine(page, model):
    assert "<h1>Report: good, other</h1>" in page
    assert str(model.parent) not in page


def test_the_table_has_the_figures_of_evaluate(page, evaluated):
    results = sections(page)["results"]
    good, poor = evaluated["good"]["acc"], evaluated["other"]["acc"]
    assert '<th scope="col">good</th><th scope="col">other</th>' in results
    assert f'<th scope="row">test.tsv</th><td><strong>{good:.1f}</strong></td><td>{poor:.1f}</td>' in results
    assert f"{evaluated['good']['mld']:.3f} <small>[" in results
    assert f'<td data-head="MLD">{evaluated["good"]["mld"]:.3f} <small>[' in results  # a phone lists cells by heads


def test_the_curves_have_a_point_for_each_epoch(page, model):
    with (model / "train.log.csv").open() as file:
        log = list(csv.DictReader(file))
    loss, metric = drawings(sections(page)["curves"])
    assert loss[0].text == "train and dev loss" and metric[0].text == "dev ACC"
    lengths = [len(line.attrib["points"].split()) for line in loss.iter() if line.tag.endswith("polyline")]
    assert lengths == [len(log)] * 2  # the other model has one epoch: dots
    assert sum(node.tag.endswith("circle") for node in loss.iter()) == 2
    best = [row for row in log if row["best"] == "1"][-1]
    (tip,) = [node[0].text for node in metric.iter() if node.tag.endswith("path") and "good" in node[0].text]
    assert tip == f"test.tsv, good: {float(best['dev_acc']):.4g} at {best['epoch']}"


def test_the_diagram_counts_every_word_and_its_error_is_that_of_predict(isotone, page, model, data):
    first, _ = drawings(sections(page)["calibration"])
    assert first[0].text == "good"
    texts = [node.text for node in first if node.tag.endswith("text")]
    counts = list(map(int, texts[-10:]))
    predicted = [json.loads(line) for line in isotone("predict", model, data / "test.tsv", "--json").lines]
    wanted = {}
    for line in (data / "test.tsv").read_text().splitlines():
        source, target, tags = line.split("\t")
        wanted[source, tags] = target
    bins = [[] for _ in range(10)]
    for value in predicted:
        best = value["predictions"][0]
        right = best["target"] == wanted[value["source"], ";".join(value["tags"])]
        confidence = exp(best["logprob"])
        bins[min(int(confidence * 10), 9)].append((confidence, right))
    assert counts == [len(each) for each in bins] and sum(counts) == 30
    error = sum(abs(sum(c for c, _ in each) - sum(r for _, r in each)) for each in bins) / 30
    assert f"ECE {error:.1%}" in texts


def test_errors_come_worst_first_with_both_alignments(page):
    errors = sections(page)["errors"]
    folds = re.findall(r"<summary>(test[^<]*)</summary>(.*?)(?=<details open|$)", errors, flags=re.DOTALL)
    assert [re.sub(r"\d+ of", "N of", title) for title, _ in folds][1] == "test.tsv, other: N of 30 wrong, 3 shown"
    cards = folds[1][1].split('<details class="error">')[1:]
    assert len(cards) == 3
    for card in cards:
        assert len(drawings(card)) == 2 and '<span class="differs">' in card
        assert card.index("predicted") < card.index("reference") < card.index("</summary>") < card.index("<svg")
    sure = [float(re.search(r"p\u00a0=\u00a0([\d.e-]+)", card)[1]) for card in cards]
    assert sure == sorted(sure, reverse=True)


@pytest.fixture(scope="module")
def sweep(data, tmp_path_factory):
    """A finished sweep, run without Ray."""
    folder = tmp_path_factory.mktemp("sweep")
    (folder / "sweep.toml").write_text(sweep_file("."))
    for name in ("test.tsv", "dev.tsv"):
        shutil.copy(data / name, folder / name)
    cells = cells_of(load_sweep(folder / "sweep.toml"), f"isotone sweep {folder}/sweep.toml")
    write_results(folder / "out", [run_cell(cell) for cell in cells])
    return folder


def test_a_sweep_finds_its_test_data(isotone, sweep):
    done = isotone("report", sweep / "out", "-o", "-", "--limit", 5, "--errors", 1)
    assert (done.code, done.err) == (0, "")
    parts = sections(done.out)
    assert "Missing for" not in done.out and "at most 5 test sources" in done.out
    results = json.loads((sweep / "out" / "results.json").read_text())
    shown = [f"{result['metrics']['acc']:.1f}" for result in results]
    row = re.search(r'<th scope="row">a</th>(.*?)</tr>', parts["results"])[1]
    assert re.findall(r"[\d.]+", re.sub("<[^>]*>", " ", row)) == shown
    assert len(drawings(parts["curves"])) == 2 and len(drawings(parts["calibration"])) == 2
    assert "of 5 wrong, 1 shown" in parts["errors"]
    cell = isotone("report", sweep / "out" / "cells" / "a-1-mono-0", "-o", "-", "--errors", 0)
    assert cell.code == 0 and "a, 1-mono, seed 0" in cell.out and "(--errors 0)" in cell.out


def test_a_sweep_that_has_lost_its_test_data_says_so(isotone, sweep, tmp_path):
    moved = shutil.copytree(sweep, tmp_path / "moved") / "out"
    for file in moved.glob("cells/*/cell.json"):  # as written before the path was noted down
        value = json.loads(file.read_text())
        del value["files"]
        file.write_text(json.dumps(value))
    assert "Missing" not in isotone("report", moved, "-o", "-").out  # the command still names the sweep file
    results = moved / "results.json"
    results.write_text(results.read_text().replace("sweep.toml", "gone.toml"))
    done = isotone("report", moved, "-o", "-")
    assert done.code == 0 and list(sections(done.out)) == list(SECTIONS)
    said = "Missing for a, 0-mono, seed 0; a, 1-mono, seed 0: the sweep&#x27;s records (cell.json) do not say where"
    assert [name for name, part in sections(done.out).items() if said in part] == ["calibration", "errors"]
    asked = moved / "cells" / "a-0-mono-0" / "cell.json"
    asked.write_text(json.dumps(json.loads(asked.read_text()) | {"files": {"test": str(sweep / "test.tsv")}}))
    assert (
        f"a, 0-mono, seed 0: {sweep}/test.tsv: has changed since the sweep" in isotone("report", moved, "-o", "-").out
    )


def test_a_model_without_test_data_still_has_its_curves(isotone, model, tmp_path):
    copy = shutil.copytree(model, tmp_path / "copy")
    done = isotone("report", copy, "-o", "-")
    parts = sections(done.out)
    assert done.code == 0 and len(drawings(parts["curves"])) == 2
    for name in ("results", "calibration", "errors"):
        assert "Missing for copy: no test data was given (--test FILE)" in parts[name]
    (copy / "train.log.csv").unlink()
    assert "Missing for copy: there is no train.log.csv in its folder" in isotone("report", copy, "-o", "-").out


def test_nasty_strings_stay_data(isotone, model, tmp_path):
    test = tmp_path / "<b>&.tsv"
    test.write_text('a<script>"&\tab<i>\tN;SG\ncab\tx\tN;<u>\n')
    done = isotone("report", model, "--test", test, "-o", "-")
    assert done.code == 0 and balanced(done.out)
    assert not re.search("<(?:script|b|i|u)>", done.out)
    assert "a&lt;script&gt;&quot;&amp;" in done.out and "No alignment: never seen in training: &lt;" in done.out


def test_a_mixture_folder_is_a_model_like_any_other(isotone, model, data, tmp_path):
    mixture = tmp_path / "mixture"
    for name in ("seed-0", "seed-1"):
        shutil.copytree(model, mixture / name)
    save_mixture(mixture, ["seed-0", "seed-1"])
    done = isotone("report", mixture, "--test", data / "test.tsv", "-o", "-")
    assert done.code == 0, done.err
    assert balanced(done.out) and "Missing for test.tsv, mixture: there is no train.log.csv in its folder" in done.out
    acc = json.loads(isotone("evaluate", mixture, data / "test.tsv", "--json").out)["metrics"]["acc"]
    assert f"{acc:.1f}" in re.sub(r"<[^>]+>", " ", sections(done.out)["results"])
    found = isotone("report", mixture, "-o", "-")
    assert found.code == 0 and "no test data was given" in found.out


def test_mistakes(isotone, model, data, sweep, tmp_path):
    out = ("-o", tmp_path / "r.html")
    test = ("--test", data / "test.tsv")
    assert "no such folder (expected model.safetensors" in isotone("report", tmp_path / "no", *out).refused()
    assert "neither a model folder nor a sweep's" in isotone("report", tmp_path, *out).refused()
    assert isotone("report", model, "--test", tmp_path / "no.tsv", *out).refused() == f"{tmp_path}/no.tsv: no such file"
    assert "the same model folder is there twice" in isotone("report", model, model, *test, *out).refused()
    assert "a sweep names its own test data" in isotone("report", sweep / "out", *test, *out).refused()
    bad = tmp_path / "bad.tsv"
    bad.write_text("a\taa\tN;SG\nb\n")
    assert f"{bad}:2: " in isotone("report", model, "--test", bad, *out).refused()
    (tmp_path / "empty" / "cells").mkdir(parents=True)
    assert "no cell of this sweep is finished yet" in isotone("report", tmp_path / "empty", *out).refused()
    (tmp_path / "empty" / "results.json").write_text('[{"data": "a"}]')
    assert "result 1: model: Field required" in isotone("report", tmp_path / "empty", *out).refused()
    damaged = shutil.copytree(model, tmp_path / "damaged")
    with (damaged / "train.log.csv").open("a") as file:
        file.write("6,0.1\n")
    assert f"{damaged}/train.log.csv:7: expected epoch, " in isotone("report", damaged, *out).refused()
    assert "there is no folder" in isotone("report", model, "-o", tmp_path / "x" / "r.html").refused()
    assert not (tmp_path / "r.html").exists()
    done = isotone("report", model, "--test", bad, "--skip-bad", *out)
    assert done.code == 0 and f"{bad}: left out 1 line; the first: {bad}:2: " in done.err
    page = (tmp_path / "r.html").read_text()
    assert "bad.tsv: left out 1 line; the first: bad.tsv:2: " in page and str(tmp_path) not in page
