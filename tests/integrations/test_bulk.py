"""Bulk prediction with real Ray: a killed driver and a killed actor later, the output is that of one process."""

import gzip
import importlib.util
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import isotone
import toy
from cli.conftest import in_process
from isotone.errors import ConfigError, DataError
from isotone.integrations.answers import Answers, Question
from isotone.integrations.bulk import _names, _Worker, find_files, run_bulk
from isotone.integrations.parts import InputFile, Parts, Shard
from isotone.integrations.ray import Predict
from isotone.text.readers import DataFormat
from quick import fit

needs_ray = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("ray", "pyarrow")), reason="needs isotone[ray]"
)
SOURCE = Path(__file__).parents[2] / "src"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "COLUMNS": "100"}
COLUMNS = DataFormat(name="columns", source=1, target=3, tags=2)
FILES, LINES = 10, 300


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bulk") / "m"
    fit(toy.examples(200), toy.examples(10, seed=9), folder, epochs=2)
    return folder


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Several files, one of them compressed, with blank lines that are no examples."""
    generator, folder = random.Random(0), tmp_path_factory.mktemp("in")
    for number in range(FILES):
        words = ("".join(generator.choices("abcdefgqz", k=generator.randint(1, 7))) for _ in range(LINES))
        text = "\n".join(f"{word}\tN;{generator.choice(['SG', 'PL'])}\n" * (1 + (number == 0)) for word in words)
        path = folder / f"{number}.txt"
        path.write_text(text) if number else (folder / "0.txt.gz").write_bytes(gzip.compress(text.encode()))
    return folder


def asked(model, **options):
    return Question(models=(str(model),), format=COLUMNS, **options)


def expected(model, path):
    return "".join(Answers(asked(model)).lines(asked(model).read(path)))


def below(pid, title):
    """Descendants of a process whose command line contains `title`."""
    parents, found = {}, []
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    for process in parents:
        ancestor = process
        while ancestor in parents and ancestor != pid:
            ancestor = parents[ancestor]
        with suppress(OSError):
            if ancestor == pid and title in Path(f"/proc/{process}/cmdline").read_bytes():
                found.append(process)
    return found


def until(condition, process, seconds=240):
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert process.poll() is None and time.monotonic() < end, process.communicate()
        time.sleep(0.01)
    return value


def outputs(folder):
    return sorted(path.name for path in folder.glob("*.txt")) if folder.is_dir() else []


@needs_ray
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc")
def test_a_killed_driver_and_a_killed_actor(model, inputs, tmp_path):
    out = tmp_path / "out"
    pattern, columns = f"{inputs}/*.txt*", ["--source-column", "1", "--tags-column", "2", "--target-column", "3"]
    command = [sys.executable, "-m", "isotone", "predict", str(model), pattern, "--ray", "--actors", "2", *columns]
    options = {"env": ENVIRONMENT, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    first = subprocess.Popen([*command, "-o", str(out)], **options)
    until(lambda: outputs(out), first)
    first.kill()
    first.communicate()
    kept = {name: (out / name).stat().st_mtime_ns for name in outputs(out)}
    assert 0 < len(kept) < FILES

    second = subprocess.Popen([*command, "-o", str(out)], **options)
    until(lambda: len(outputs(out)) > len(kept), second)
    with suppress(ProcessLookupError, IndexError):  # on a very fast machine they may be done by now
        os.kill(below(second.pid, b"_Worker")[0], signal.SIGKILL)
    stdout, err = second.communicate(timeout=240)
    assert (second.returncode, stdout) == (0, ""), err
    assert f"{FILES} of {FILES} shards" in err
    for path in find_files(pattern):
        assert (out / path.name.removesuffix(".gz")).read_text() == expected(model, path), path
    assert all((out / name).stat().st_mtime_ns == at for name, at in kept.items())  # finished work is kept
    assert not (out / "parts").exists()


@needs_ray
@pytest.mark.filterwarnings("ignore")  # Ray Data's own
def test_predict_in_a_pipeline_of_ones_own(model):
    import ray.data

    from isotone.experiments.cluster import connect

    connect(ray, None, cores=2)
    try:
        rows = [{"source": example.source, "tags": list(example.tags)} for example in toy.examples(40, seed=3)]
        ray.data.DataContext.get_current().enable_progress_bars = False
        answered = ray.data.from_items(rows).map_batches(
            Predict,
            fn_constructor_args=[str(model)],
            fn_constructor_kwargs={"tags": "tags"},
            compute=ray.data.ActorPoolStrategy(size=1),
            batch_size=16,
        )
        taken = answered.take_all()
    finally:
        ray.shutdown()
    found = {(row["source"], tuple(row["tags"])): (row["prediction"], row["logprob"]) for row in taken}
    transducer = isotone.load(model)
    for row in rows:
        best = transducer(row["source"], tags=row["tags"])
        prediction, logprob = found[row["source"], tuple(row["tags"])]
        assert prediction == best.target and logprob == pytest.approx(best.logprob, abs=1e-4)


def test_predict_takes_a_batch_of_columns(model):
    words, tags = ["abc", "bad"], ["N;PL", "N;SG"]
    batch = {"word": np.array(words, dtype=object), "tags": np.array(tags, dtype=object), "id": [1, 2]}
    found = Predict(str(model), source="word", tags="tags", decode="greedy")(batch)
    transducer = isotone.load(model)
    assert list(found) == ["word", "tags", "id", "prediction", "logprob"] and found["id"] == [1, 2]
    assert found["prediction"].tolist() == [
        transducer(word, tags=tag, decode="greedy").target for word, tag in zip(words, tags, strict=True)
    ]


def test_shards_in_any_order_are_the_file(model, inputs):
    """An actor reads on where it stopped, and starts again where it must go back."""
    path = inputs / "1.txt"
    worker = _Worker(asked(model), [str(path)])
    shards = [Shard(0, first, min(70, LINES - first)) for first in range(0, LINES, 70)]
    texts = {}
    for shard in (shards[2], shards[3], shards[0], shards[4], shards[1]):
        batch = {"file": [shard.file], "first": [shard.first], "count": [shard.count]}
        (texts[shard.first],) = worker(batch)["text"]
    assert "".join(text for _, text in sorted(texts.items())) == expected(model, path)
    with pytest.raises(DataError, match="has changed"):
        worker({"file": [0], "first": [LINES - 1], "count": [5]})


def test_parts_are_joined_in_order_and_only_when_all_are_there(tmp_path):
    parts = Parts(tmp_path, [InputFile("in/a", "deep/a", 5, "x"), InputFile("in/b", "b", 0, "y")], 2)
    parts.begin({"model": 1})
    assert parts.left() == [Shard(0, 0, 2), Shard(0, 2, 2), Shard(0, 4, 1), Shard(1, 0, 0)] and parts.count() == 4
    for shard, text in ((Shard(0, 4, 1), "5\n"), (Shard(0, 0, 2), "1\r\n2\n")):
        parts.write(shard, text)
    assert not parts.join(0) and parts.left() == [Shard(0, 2, 2), Shard(1, 0, 0)]
    parts.write(Shard(0, 2, 2), "3\n4\n")
    assert parts.join(0) and (tmp_path / "deep" / "a").read_bytes() == b"1\r\n2\n3\n4\n5\n"
    parts.begin({"model": 1})
    assert parts.left() == [Shard(1, 0, 0)]
    with pytest.raises(ConfigError, match="holds another bulk prediction"):
        parts.begin({"model": 2})


def test_mistakes(model, inputs, tmp_path, monkeypatch):
    with pytest.raises(DataError, match="no such file"):
        find_files(f"{tmp_path}/*.nothing")
    with pytest.raises(ConfigError, match="same name but for"):
        _names([tmp_path / "a.txt", tmp_path / "a.txt.gz"])
    with pytest.raises(ConfigError, match="a name of ours"):
        _names([tmp_path / "bulk.json"])
    with pytest.raises(ConfigError, match="is an input file"):
        list(run_bulk(asked(model), [inputs / "1.txt"], inputs))
    monkeypatch.setitem(sys.modules, "ray.data", None)
    with pytest.raises(ConfigError, match=r"--ray needs Ray: pip install isotone\[ray\]"):
        list(run_bulk(asked(model), [inputs / "1.txt"], tmp_path / "out"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ray"], "--ray needs a folder for the output (-o)"),
        (["--ray", "-o", "out", "--threads", "2"], "--threads does not go with --ray"),
        (["--actors", "2"], "--address and --actors go with --ray"),
    ],
)
def test_refusals(model, arguments, message):
    refused = in_process("predict", model, "x.txt", *arguments).refused()
    assert refused.startswith(message)


def test_what_a_killed_run_has_left_goes_at_the_end(tmp_path):
    """Killed after a file was joined and before its parts were removed, or in the middle of writing one."""
    from isotone.integrations.parts import InputFile, Parts

    parts = Parts(tmp_path / "out", [InputFile("a.txt", "a.txt", 3, "digest")], 2)
    parts.begin({})
    for shard in parts.left():
        parts.write(shard, "x\n")
    names = sorted(path.name for path in (tmp_path / "out" / "parts").iterdir())
    kept = {name: (tmp_path / "out" / "parts" / name).read_text() for name in names}
    assert parts.join(0)
    for name, text in kept.items():
        (tmp_path / "out" / "parts" / name).write_text(text)
        (tmp_path / "out" / "parts" / f".{name}.abcd1234.part").write_text("half")
    assert not parts.left() and parts.join(0)
    parts.end()
    assert not (tmp_path / "out" / "parts").exists() and (tmp_path / "out" / "a.txt").read_text() == "x\nx\n"
