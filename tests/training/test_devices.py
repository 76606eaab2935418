"""Several processes that share every batch: the numbers of one process, one writer, and no rank left behind."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
import torch

import tiny
import toy
from isotone.api.training import Asked, Callback, plan_job
from isotone.data.batch import collate
from isotone.errors import ConfigError, DivergedError, IsotoneError
from isotone.text.codec import Codec
from isotone.text.config import Texts
from isotone.text.vocabulary import Vocabulary
from isotone.training import launch
from isotone.training.device import check_device
from isotone.training.ranks import Ranks
from isotone.training.step import optimizer_for, shared_step, train_step
from quick import fit

DATA, DEV = toy.examples(49), toy.examples(6, seed=9)
"""Batches of 16: the last one has one row, and the second of two ranks none."""
SOURCE = Path(__file__).parents[2] / "src"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "COLUMNS": "100"}
ISOTONE = [sys.executable, "-m", "isotone"]
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "isotone"]


class Fabric:
    """One rank of several without processes: gradients and sums add up in the hands of the test."""

    device = torch.device("cpu")

    def __init__(self, rank, count):
        self.global_rank, self.world_size = rank, count

    def all_reduce(self, value, reduce_op):
        return value

    def backward(self, loss):
        loss.backward()


def batch_of(count):
    vocabulary, _ = Vocabulary.build(DATA, Texts())
    codec = Codec(vocabulary, Texts())
    return collate([codec.encode(example) for example in DATA[:count]], len(vocabulary.tags)), vocabulary


@pytest.mark.parametrize(("rows", "count"), [(16, 2), (17, 4), (3, 5), (1, 2)])
def test_shards_are_the_batch_each_row_once(rows, count):
    batch, _ = batch_of(rows)
    shards = [batch.shard(rank, count) for rank in range(count)]
    found = [
        (
            *shard.source[row, : shard.source_lengths[row]].tolist(),
            *shard.target[row, : shard.target_lengths[row]].tolist(),
        )
        for shard in shards
        if shard is not None
        for row in range(len(shard))
    ]
    whole = [
        (
            *batch.source[row, : batch.source_lengths[row]].tolist(),
            *batch.target[row, : batch.target_lengths[row]].tolist(),
        )
        for row in range(rows)
    ]
    assert sorted(found) == sorted(whole) and sum(s is None for s in shards) == max(0, count - rows)
    assert sum(shard.target_symbols for shard in shards if shard) == batch.target_symbols
    assert all(shard.source.shape[1] == int(shard.source_lengths.max()) for shard in shards if shard)


@pytest.mark.parametrize("aligner", tiny.VARIANTS)
@pytest.mark.parametrize(("rows", "count"), [(5, 2), (1, 2)])
@pytest.mark.parametrize("consistency", [0.0, 2.0])
def test_the_mean_of_the_ranks_gradients_is_that_of_one_process(aligner, rows, count, consistency):
    """What DDP computes, without processes; and every parameter has a gradient on every rank, or DDP would wait."""
    batch = tiny.batch_for(aligner, [4, 3, 3, 2, 1][:rows], [5, 4, 3, 2, 2][:rows])
    network = tiny.model(aligner, dropout=0.0).train()
    network.consistency = consistency

    def gradients(step):
        noted = []
        network.zero_grad()
        optimizer = optimizer_for(network, 0.0)
        optimizer.register_step_pre_hook(lambda *_: noted.extend(p.grad.clone() for p in network.parameters()))
        return step(optimizer), noted

    loss, expected = gradients(lambda o: train_step(Fabric(0, 1), network, o, batch, clip=1e9))
    parts = [
        gradients(lambda o, r=rank: shared_step(Ranks(Fabric(r, count)), network, o, batch, clip=1e9))
        for rank in range(count)
    ]
    assert sum(value for (value, _), _ in parts) == pytest.approx(loss, rel=1e-12)
    for place, gradient in enumerate(expected):
        mean = sum(noted[place] for _, noted in parts) / count
        torch.testing.assert_close(mean, gradient, rtol=1e-10, atol=1e-12)


def test_all_ranks_hear_that_one_diverged():
    batch, network = tiny.random_batch([2, 2], [2, 2]), tiny.model("0-mono")

    class Other(Fabric):
        def all_reduce(self, value, reduce_op):
            return value + torch.tensor([0.0, 1.0])  # the other rank has seen a NaN

    with pytest.raises(DivergedError):
        shared_step(Ranks(Other(0, 2)), network, optimizer_for(network, 0.1), batch, clip=5.0)


def test_devices_are_a_fact_of_the_machine(tmp_path):
    job = plan_job(Asked(devices=2), tmp_path / "m", train=DATA, dev=DEV)
    assert job.request.devices == 2 and json.loads(json.dumps(job.request.to_json()))["devices"] == 2
    assert type(job.request).from_json(job.request.to_json(), place="") == job.request
    assert job.request.contradiction(job.request.model_copy(update={"devices": 1})) is None
    with pytest.raises(ConfigError, match="devices"):
        plan_job(Asked(devices=0), tmp_path / "m", train=DATA, dev=DEV)


def test_what_this_machine_lacks_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert check_device("cuda", "fp32", 2)[:2] == ("cuda", 2)
    with pytest.raises(ConfigError, match="--devices 3: this machine has 2 CUDA devices"):
        check_device("auto", "fp32", 3)
    with pytest.raises(ConfigError, match="cuda:1 is one device"):
        check_device("cuda:1", "fp32", 2)


def test_torchrun_and_devices_must_agree(monkeypatch, tmp_path):
    for name, value in (("TORCHELASTIC_RUN_ID", "x"), ("WORLD_SIZE", "4"), ("LOCAL_WORLD_SIZE", "2"), ("RANK", "0")):
        monkeypatch.setenv(name, value)
    job = plan_job(Asked(devices=2), tmp_path / "m", train=DATA, dev=DEV)
    with pytest.raises(ConfigError, match="torchrun has started 4 processes"):
        launch.launch(job, (), lambda *_: pytest.fail("started"))


class Noted(Callback):
    """Which events come, and how often the end does."""

    def __init__(self):
        self.names = []

    def on_start(self, plan):
        self.names.append("start")

    def on_epoch(self, event):
        self.names.append(event.epoch)

    def on_end(self):
        self.names.append("end")


def log(folder):
    with (folder / "train.log.csv").open() as file:
        return [{name: value for name, value in row.items() if name != "seconds"} for row in csv.DictReader(file)]


def test_two_processes_have_the_loss_curve_of_one(tmp_path):
    options = {"epochs": 2, "dropout": 0.0, "precision": "fp64", "threads": 1}
    heard = Noted()
    one = fit(DATA, DEV, tmp_path / "one", **options)
    two = fit(DATA, DEV, tmp_path / "two", devices=2, callbacks=[heard], **options)
    assert heard.names == ["start", 1, 2, "end"]
    assert two.best.train_loss == pytest.approx(one.best.train_loss, rel=1e-6)
    assert two.best.dev_loss == pytest.approx(one.best.dev_loss, rel=1e-6)
    for first, second in zip(log(tmp_path / "one"), log(tmp_path / "two"), strict=True):
        assert first.keys() == second.keys()
        assert {n: float(v) for n, v in second.items()} == pytest.approx(
            {n: float(v) for n, v in first.items()}, abs=2e-6
        )
    with pytest.raises(ConfigError, match="is not empty"):
        fit(DATA, DEV, tmp_path / "two", devices=2, **options)


def test_an_error_of_ours_keeps_its_class(tmp_path):
    """Raised by rank 0 in a process of its own: the folder is somebody else's by the time training begins."""
    job = plan_job(Asked(task="inflection", size="tiny", device="cpu", devices=2), tmp_path / "m", train=DATA, dev=DEV)
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "thesis.tex").write_text("mine")
    from isotone.api.training import run_job

    with pytest.raises(ConfigError, match="is not empty"):
        run_job(job)
    assert [path.name for path in (tmp_path / "m").iterdir()] == ["thesis.tex"]


def workers(pid):
    """Process ids of the ranks that a process has started, rank 0 first."""
    found = []
    with suppress(FileNotFoundError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return sorted(child for child in found if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes())


def until(condition, process, seconds=240):
    """Wait for it while the process lives."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert process.poll() is None and time.monotonic() < end, process.communicate()
        time.sleep(0.02)
    return value


def rows(folder):
    with suppress(FileNotFoundError):
        return (folder / "train.log.csv").read_text().count("\n") - 1
    return 0


@pytest.fixture
def files(tmp_path):
    for name, examples in (("train", DATA), ("dev", DEV)):
        lines = (f"{e.source}\t{e.target}\t{';'.join(e.tags)}\n" for e in examples)
        (tmp_path / f"{name}.tsv").write_text("".join(lines))
    return tmp_path


def command(files, out, *more):
    data = ["--train", files / "train.tsv", "--dev", files / "dev.tsv", "--task", "inflection", "--format", "conll2017"]
    recipe = ["--recipe", "paper", "--size", "tiny", "--epochs", 6, "--batch-size", 16, "--device", "cpu"]
    return [*map(str, ["train", *data, *recipe, "--out", out, *more])]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds processes in /proc")
def test_torchrun_and_a_run_that_loses_a_worker_and_is_stopped_write_the_same_bits(files):
    """A run in two processes of torchrun's, one of which speaks; and one in two of our own that loses a worker
    (SIGKILL), goes on, is stopped (SIGINT) and goes on again: they write the same."""
    whole, torn = files / "whole", files / "torn"
    options = {"env": ENVIRONMENT, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    done = subprocess.run([*TORCHRUN, *command(files, whole)], **options)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert done.stderr.count("saved in") == 1 and json.loads((whole / "run.json").read_text())["devices"] == 2

    run = subprocess.Popen([*ISOTONE, *command(files, torn, "--devices", 2)], **options)
    until(lambda: rows(torn) >= 1, run)
    victim = workers(run.pid)[-1]
    os.kill(victim, signal.SIGKILL)
    out, err = run.communicate(timeout=240)
    last = err.splitlines()[-1]
    assert (run.returncode, out) == (1, "") and "Traceback" not in err, err
    assert last.startswith("isotone: process ") and f"(pid {victim}, SIGKILL) of this run was lost; --resume" in last
    before = rows(torn)

    run = subprocess.Popen([*ISOTONE, *command(files, torn, "--devices", 2, "--resume")], **options)
    until(lambda: rows(torn) > before, run)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=240)
    assert (run.returncode, out) == (1, "") and "--resume goes on from here" in err, err

    done = subprocess.run([*ISOTONE, *command(files, torn, "--devices", 2, "--resume")], **options)
    assert done.returncode == 0, done.stderr
    assert (torn / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()
    assert log(torn) == log(whole) and not (torn / "state").exists()


def test_lost_partners_are_told_from_other_errors():
    assert launch._lost_partner(RuntimeError("[../gloo/transport/tcp/pair.cc:534] Connection closed by peer"))
    assert not launch._lost_partner(RuntimeError("mat1 and mat2 shapes cannot be multiplied"))
    assert issubclass(ConfigError, IsotoneError)
