"""Parts of the report by hand: marks, reasons, choices; no model is trained here."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import tiny
from isotone.errors import ConfigError, DataError
from isotone.evaluation import evaluate
from isotone.experiments.report import Assessment, Mistake, Run, build_page, find_runs
from isotone.experiments.report.assess import _spaced
from isotone.results import END, START, Alignment, Judged
from isotone.store.folder import save_member
from isotone.text.example import Example
from isotone.training.log import read_log


def result(data, model, acc, seed=0):
    return {
        "data": data, "model": model, "seed": seed, "task": "inflection", "n": 9, "metrics": {"acc": acc, "nll": None},
        "dev": {"acc": 1.0}, "best_epoch": 1, "epochs": 1, "seconds": 1.0, "recipe": "fast", "command": "",
        "version": "0",
    }  # fmt: skip


def test_a_sweep_is_shown_as_in_the_paper_from_its_results_alone(tmp_path):
    rows = [
        result(f"d{row}", model, acc + row) for row in range(6) for model, acc in (("1-mono", 60.0), ("soft", 50.0))
    ]
    (tmp_path / "results.json").write_text(json.dumps(rows))
    runs = find_runs([tmp_path])
    assert [run.name for run in runs[:2]] == ["d0, 1-mono, seed 0", "d0, soft, seed 0"]
    page = build_page(runs, [None] * len(runs), title="t")
    text = re.sub(r"<[^>]+>", " ", page)
    assert re.search(r"average\s+52.5\s+62.5\s+⋆", text)
    assert "significantly better ⋆ than soft" in page and "0.0312" in page
    assert "NLL (nats)" not in page and "∞" in page
    assert "and 9 more: there is no train.log.csv in its folder" in page
    assert page.count("and 9 more: the trained model is not in the sweep&#x27;s folder") == 2


def drawn(source, target, path, logprob):
    return Alignment((START, *source, END), (*target, END), path, logprob, np.full((len(path), len(source) + 2), 0.25))


def test_confident_mistakes_are_drawn_with_what_differs():
    items = [
        Judged("ab", ("N",), ("x", "y"), (("x", "z", "z"),), -2.0, -0.1),
        Judged("b", (), ("y",), (("y",),), -0.5, -0.5),
    ]
    wrong = Mistake(items[0], drawn("ab", "xy", (1, 2, 3), -0.1), drawn("ab", "xzz", (1, 2, 2, 3), -2.0), -0.1, ())
    report = evaluate(items, "inflection", bootstrap=0)
    found = Assessment(report, 5, (0.9, 0.6), (False, True), (wrong,))
    run = Run("m", "test", "inflection", Path("nowhere"), Path("test"))
    page = build_page([run], [found], title="t")
    assert "test, m: 1 of 2 wrong" in page and "at most 2 test sources" in page
    summary, grids = re.search(r'<details class="error"><summary>(.*?)</summary>(.*?)</details>', page).groups()
    assert 'predicted</small> <bdi>x<span class="differs">y</span></bdi> <small>p\u00a0=\u00a00.905' in summary
    assert "p\u00a0=\u00a00.135" in summary and "<svg" not in summary
    assert "predicted, log p = −0.10" in grids and "reference, log p = −2.00" in grids and grids.count("<svg") == 2
    assert re.search(r"ECE 65.0%", page)  # (0.9 − 0)/2 + (1 − 0.6)/2
    right = Assessment(evaluate(items[1:], "inflection", bootstrap=0), 1, (0.6,), (True,), ())
    assert "No mistakes." in build_page([run], [right], title="t")


def test_a_limit_takes_sources_evenly_and_with_all_their_references():
    examples = [Example(str(number // 2), str(number)) for number in range(20)]
    chosen, total = _spaced(examples, 3)
    assert total == 10 and [example.source for example in chosen] == ["0", "0", "3", "3", "6", "6"]
    assert _spaced(examples, 10) == _spaced(examples, None) == (examples, 10)


def test_models_are_called_by_the_shortest_names_that_differ(tmp_path):
    folders = [tmp_path / "a" / "model", tmp_path / "b" / "model"]
    for folder in folders:
        save_member(folder, tiny.bundle())
    assert [run.name for run in find_runs(folders)] == ["a/model", "b/model"]
    assert find_runs(folders[:1])[0].name == "model"
    with pytest.raises(ConfigError, match="twice"):
        find_runs([folders[0], folders[0]])
    (folders[0] / "result.json").write_text("{")
    with pytest.raises(DataError, match=r"result.json: not readable as JSON"):
        find_runs(folders[:1])


def test_of_an_epoch_that_is_there_twice_the_later_row_counts(tmp_path):
    head = "epoch,train_loss,dev_loss,dev_wer,dev_per,rate,seconds,best\n"
    (tmp_path / "train.log.csv").write_text(head + "1,3,2,50,0.5,0.1,1,1\n2,9,9,9,9,9,9,0\n2,1,inf,40,0.4,0.1,1,1\n")
    first, second = read_log(tmp_path)
    assert (first.epoch, first.train_loss, first.metrics) == (1, 3, {"wer": 50, "per": 0.5})
    assert (second.dev_loss, second.best) == (float("inf"), True)
    assert read_log(tmp_path / "none") == []
