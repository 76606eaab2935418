"""A whole audit: mistakes come first and are marked, nobody is judged by a model that saw it, and kills lose little."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
from pydantic import TypeAdapter

import isotone
from auditing.conftest import MISTAKES
from isotone.auditing.fold import entries_of
from isotone.auditing.run import run_audit
from isotone.auditing.settings import digest
from isotone.auditing.workers import judge, read_job, write_job
from isotone.errors import ConfigError, IsotoneError
from isotone.results import FINDING_COLUMNS, json_line
from isotone.results.schemas import SCHEMAS
from isotone.text.segment import Segmenter


def test_mistakes_are_the_worst_and_the_place_is_marked(audited):
    worst = {finding.line - 1: finding for finding in audited[:5]}
    assert set(MISTAKES) <= worst.keys()
    for row in MISTAKES:
        finding = worst[row]
        assert "improbable" in finding.kinds and finding.verdict.best.split() != finding.target.split()
    first, end = worst[11].verdict.segment
    assert first <= 3 < end and worst[40].verdict.segment[0] == 0
    assert len(audited) < 40 and audited.folds == 2 and audited.decided == 0


def test_numbers_are_consistent(audited):
    assert [finding.score for finding in audited] == sorted((f.score for f in audited), reverse=True)
    assert [finding.rank for finding in audited] == list(range(1, len(audited) + 1))
    assert len(audited.scores) == 185 and audited.scores[audited[0].line - 1] == audited[0].score
    for finding in audited:
        verdict = finding.verdict
        assert len(verdict.surprisal) == len(finding.target_symbols) + 1
        assert verdict.total == pytest.approx(verdict.per_symbol * len(verdict.surprisal))
        left, right = verdict.source_segment
        assert 0 <= left <= right <= len(finding.source_symbols)
        if verdict.alignment is not None:
            assert verdict.alignment.source[1:-1] == finding.source_symbols
            np.testing.assert_allclose(verdict.alignment.posterior.sum(1), 1, atol=0.1)


def test_no_entry_is_judged_by_a_model_that_saw_its_word(plan):
    for fold in range(plan.settings.folds):
        rest, own = entries_of(plan.lexicon, plan.settings, fold)
        assert not {e.example.source for e in rest} & {e.example.source for e in own}
        assert len(rest) + len(own) == len(plan.lexicon.entries)


def test_what_a_fold_trains_on_is_what_it_says(plan, monkeypatch, tmp_path):
    """The pairs that reach training are those of the other folds, and nothing else."""
    from isotone.auditing import fold as room

    asked = []
    monkeypatch.setattr(room, "train_fold", lambda _, __, pairs, *___, **____: asked.append(list(pairs)))
    monkeypatch.setattr(import_module("isotone.api.load"), "load", lambda _: None)
    monkeypatch.setattr(room, "judge_entries", lambda _, __, ___, entries: list(entries))
    judged = room.run_fold(plan.lexicon, plan.settings, 0, tmp_path)
    assert not {e.example for e in judged} & set(asked[0])


def test_rows_frames_and_notebooks(audited):
    for frame in (audited.to_pandas(), audited.to_polars()):
        assert len(frame) == len(audited) and list(frame.columns)[:3] == ["rank", "line", "score"]
    empty = replace(audited, findings=())
    assert list(empty.to_pandas().columns) == list(audited.to_pandas().columns) == list(empty.to_polars().columns)
    assert "<u>" in audited._repr_html_() and "suspicious" in str(audited) and "[" in str(audited)
    assert all(len(finding.row()) == len(FINDING_COLUMNS) for finding in audited)
    for finding in audited:
        TypeAdapter(SCHEMAS["audit"]).validate_json(json_line(finding.to_json()))


def test_a_missing_package_is_one_clear_line(audited, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ConfigError, match="to_polars needs polars"):
        audited.to_polars()


def test_finished_folds_are_not_run_again(audited, plan, cache, monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    assert run_audit(plan, cache=cache) == audited


def test_a_damaged_or_missing_fold_alone_is_run_again(audited, plan, cache, monkeypatch):
    folder = cache / digest(plan.lexicon, plan.settings)
    whole = (folder / "fold-1.jsonl").read_bytes()
    (folder / "fold-1.jsonl").write_bytes(whole[:100])
    started = []

    def run(what, where, fold):
        started.append((what, fold))
        (where / "fold-1.jsonl").write_bytes(whole)
        return subprocess.Popen([sys.executable, "-c", ""])

    monkeypatch.setattr("isotone.auditing.workers.start_worker", run)
    assert run_audit(plan, cache=cache) == audited and started == [("judge", 1)]
    assert not (folder / "fold-1").exists()


@pytest.mark.parametrize(
    ("code", "error", "message"),
    [
        ("raise SystemExit(2)", IsotoneError, "too few symbols"),
        ("raise SystemExit(1)", IsotoneError, "fold 1: its process ended with code 1"),
        ("raise SystemExit(130)", KeyboardInterrupt, None),
    ],
)
def test_a_worker_that_fails_ends_the_others(plan, tmp_path, monkeypatch, code, error, message):
    processes = []

    def run(_, where, fold):
        if "2" in code and fold == 0:
            (where / "fold-0-mistake.txt").write_text("too few symbols", encoding="utf-8")
        own = code if fold == 0 else "import time; time.sleep(60)"
        processes.append(subprocess.Popen([sys.executable, "-c", own]))
        return processes[-1]

    monkeypatch.setattr("isotone.auditing.workers.start_worker", run)
    with pytest.raises(error, match=message):
        judge(plan.lexicon, plan.settings, tmp_path, processes=2)
    assert all(process.poll() is not None for process in processes)


def test_jobs_travel_as_json(plan, tmp_path):
    write_job(tmp_path, plan.lexicon, plan.settings)
    lexicon, settings = read_job(tmp_path)
    assert settings == plan.settings and lexicon.texts == plan.lexicon.texts
    assert [entry.example for entry in lexicon.entries] == [entry.example for entry in plan.lexicon.entries]


def test_unseen_symbols_are_improbable_but_not_impossible(plan, tmp_path, monkeypatch):
    """Ω is in one entry only, so the model that judges it has never seen it."""
    from isotone.auditing.fold import judge_entries, train_fold

    pairs = [entry.example for entry in plan.lexicon.entries[1:120]]
    train_fold(plan.lexicon, replace(plan.settings, epochs=1, guided=0.0), pairs, tmp_path / "m", seed=0)
    first = plan.lexicon.entries[0]
    split = Segmenter(plan.lexicon.texts.target).split
    odd = replace(first, example=replace(first.example, target="Ω " + first.target + " Ω"))
    plain, strange = judge_entries(isotone.load(tmp_path / "m"), plan.lexicon, pairs, [first, odd])
    assert strange.unseen == ("Ω",) and len(strange.surprisal) == len(split(odd.target)) + 1
    assert strange.surprisal[1:-2] == pytest.approx(plain.surprisal[:-1]) and strange.surprisal[0] > 5
    assert len(strange.path) == len(strange.surprisal) and strange.total < 1e3
    rows = {row for row, _, _ in strange.links}
    assert rows <= set(range(len(strange.surprisal))) - {0, len(strange.surprisal) - 2}


def test_a_killed_audit_goes_on_where_it_stopped(lexicon, tmp_path):
    """Killed in the middle: what was trained is found again, and nothing else in the folder is touched."""
    out = tmp_path / "out.tsv"
    (tmp_path / "out.tsv.folds").mkdir()
    (tmp_path / "out.tsv.folds" / "notes.txt").write_text("mine")
    short = tmp_path / "short.tsv"
    short.write_text("".join(lexicon.read_text(encoding="utf-8").splitlines(keepends=True)[:60]), encoding="utf-8")
    options = ["--folds", "2", "--epochs", "2", "--processes", "1", "--out", str(out)]
    command = [sys.executable, "-m", "isotone", "audit", str(short), *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 300
    while not list(tmp_path.glob("out.tsv.folds/*/fold-0.jsonl")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stderr.close()
    assert not out.exists()
    (first,) = tmp_path.glob("out.tsv.folds/*/fold-0.jsonl")
    written = first.stat().st_mtime_ns
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and out.read_text(encoding="utf-8").startswith("rank\tline\tscore"), done.stderr
    assert first.stat().st_mtime_ns == written and (tmp_path / "out.tsv.folds" / "notes.txt").read_text() == "mine"


class FakeRay:
    """As much of Ray as an audit uses; work is done when it is asked for."""

    exceptions = SimpleNamespace()

    def __init__(self):
        self.addresses, self.open = [], False

    def init(self, address, **_):
        if address == "nowhere:1":
            raise ConnectionError("refused")
        self.addresses.append(address)
        self.open = True

    def shutdown(self):
        self.open = False

    def put(self, value):
        return value

    def remote(self, **_):
        class Task:
            def __init__(self, function):
                self.remote = lambda *arguments: (function, arguments)

        return Task

    def wait(self, tasks, timeout):
        return tasks[:1], tasks[1:]

    def get(self, task):
        function, arguments = task
        return function(*arguments)


def test_folds_run_on_ray(plan, audited, cache, tmp_path, monkeypatch):
    """Entries travel with the task and judgements come back; a second audit asks nobody."""
    from isotone.auditing import workers

    known = judge(plan.lexicon, plan.settings, cache / digest(plan.lexicon, plan.settings))

    def run(lexicon, settings, fold, folder):
        assert settings == plan.settings and not folder.exists()
        return [known[entry.number] for entry in entries_of(lexicon, settings, fold)[1]]

    ray, told = FakeRay(), []
    monkeypatch.setattr("isotone.experiments.cluster.import_ray", lambda _: ray)
    monkeypatch.setattr(workers, "run_fold", run)
    found = run_audit(plan, cache=tmp_path, address="local", on_progress=told.append)
    assert found == audited and ray.addresses == ["local"] and not ray.open
    assert told[-1].done == told[-1].total and run_audit(plan, cache=tmp_path, address="ray://x") == audited
    with pytest.raises(ConfigError, match="--address nowhere:1: no Ray cluster there"):
        run_audit(plan, address="nowhere:1")
    assert workers.unfinished(plan.lexicon, plan.settings, tmp_path) == 0
    assert workers.unfinished(plan.lexicon, plan.settings, tmp_path / "other") == plan.settings.folds == 2


def test_the_estimate_is_measured(plan, monkeypatch):
    from isotone.auditing import timing

    def start(what, folder, _):
        assert what == "measure" and len(read_job(folder)[0].entries) <= timing.SAMPLE
        (folder / timing.RATE).write_text("100.0")
        return subprocess.Popen([sys.executable, "-c", ""])

    assert timing.estimate(plan.lexicon, plan.settings) is None  # it takes no longer than measuring
    monkeypatch.setattr(timing, "start_worker", start)
    monkeypatch.setattr(timing, "WORTH", 10)
    one = timing.estimate(plan.lexicon, plan.settings, processes=1)
    two = timing.estimate(plan.lexicon, plan.settings, processes=2)
    assert one.rate == 100 and one.seconds == pytest.approx(2 * two.seconds) and two.processes == 2
    assert timing.estimate(plan.lexicon, plan.settings, processes=2, folds=1).processes == 1


def test_python_users_call_one_function(entries, monkeypatch):
    found = isotone.audit([(e.source, e.target) for e in entries], folds=0)
    assert found.folds == 0 and all(finding.verdict is None for finding in found)
    assert all(finding.line is None for finding in found) and "suspicious" in str(found) and found._repr_html_()
