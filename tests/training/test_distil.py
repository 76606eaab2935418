"""One network from a mixture: what it learns from, what is left in the folder, and going on after an interruption."""

import json
import math
import random
from dataclasses import replace

import pytest

import isotone
import toy
from isotone.api.training import Asked, Callback, plan_job
from isotone.data import Choices
from isotone.errors import ConfigError
from isotone.text.example import Example
from isotone.training.distil import STUDENT, taught_pairs
from quick import fit

DATA, DEV = toy.examples(24), toy.examples(6, seed=9)
QUICK = {"model": "0-mono", "seeds": 2, "epochs": 1, "decode": "greedy", "distil": True, "distil.n_best": 1}


def pairs_of(job_folder, **more):
    return plan_job(Asked(task="inflection"), job_folder, train=DATA[:3], dev=DEV, **more).pairs


class StopIn(Callback):
    """Ctrl-C in the first batch of a member."""

    def __init__(self, name):
        self.name, self.member, self.members = name, None, []

    def on_member(self, name):
        self.member = name
        self.members.append(name)

    def on_batch(self, event):
        if self.member == self.name:
            raise KeyboardInterrupt


def test_a_group_gives_one_row_by_its_weights():
    choices = Choices([range(1), range(1, 4)], [[5.0], [0.2, 0.6, 0.2]])
    generator = random.Random(0)
    drawn = [choices.epoch(generator) for _ in range(4000)]
    assert len(choices) == 2 and {first for first, _ in drawn} == {0}
    assert [sum(second == row for _, second in drawn) / 4000 for row in (1, 2, 3)] == pytest.approx(
        [0.2, 0.6, 0.2], abs=0.03
    )


def test_the_distribution_that_the_network_learns(tmp_path):
    pairs = replace(pairs_of(tmp_path / "m"), further=[Example("zz", None, ("N",)), Example("nothing")])
    (a, b, c), tags = DATA[:3], ("N",)
    found = [[("x", 0.6), (a.target, 0.2)], [], [("y", 0.5)], [("z", 0.3), ("zz", 0.1)], []]
    taught = taught_pairs(pairs, found, gold=0.5)
    assert [weight for _, weight in taught[0]] == pytest.approx([0.5, 0.375, 0.125])
    assert taught[0][0][0] == taught[0][2][0] == a, "the mixture may agree with the data"
    assert taught[1:3] == [[(b, 1.0)], [(c, 0.5), (Example(c.source, "y", c.tags), 0.5)]]
    assert taught[3] == [(Example("zz", "z", tags), pytest.approx(0.75)), (Example("zz", "zz", tags), 0.25)]
    assert len(taught) == 4, "a source without any target teaches nothing"
    assert taught_pairs(pairs, found, gold=0.0)[2] == [(Example(c.source, "y", c.tags), 1.0)]
    assert taught_pairs(pairs, found, gold=1.0)[2] == [(c, 1.0)]


def test_one_network_is_left(tmp_path):
    told = StopIn(None)
    options = {**QUICK, "distil.n_best": 3, "keep_teacher": True, "further": ["abc", Example("bad", None, ("N", "PL"))]}
    outcome = fit(DATA, DEV, tmp_path / "m", **options, callbacks=[told])
    assert outcome.finished and outcome.best.epoch == 1 and told.members == ["seed-0", "seed-1", STUDENT]
    model, teacher = isotone.load(tmp_path / "m"), isotone.load(tmp_path / "m" / "teacher")
    assert (len(model.members), len(teacher.members)) == (1, 2)
    assert model.metrics.teacher == teacher.metrics.dev == outcome.teacher and model.metrics.pairs == 26
    assert model.run["distil"] == {"n_best": 3, "mass": 0.99, "gold": 0.5, "keep_teacher": True}
    assert model.run["data"]["further_sources"] == 2
    written = json.loads((tmp_path / "m" / "teacher" / "targets.json").read_text())
    assert len(written) == 26
    for example, found in zip(DATA[:5], written, strict=False):
        best = teacher(example.source, tags=example.tags, n_best=3, mass=0.99, budget=1000)
        assert 1 <= len(found) <= 3 and found[0][0] == best.target
        assert [p for _, p in found] == pytest.approx([math.exp(c.logprob) for c in best.candidates], rel=1e-4)
    assert fit(DATA, DEV, tmp_path / "m", **options, mode="resume") is None
    with pytest.raises(ConfigError, match="--distil-sources are not those that this run began with"):
        fit(DATA, DEV, tmp_path / "m", **{**options, "further": ["other"]}, mode="resume")


@pytest.mark.parametrize("name", ["seed-1", STUDENT])
def test_an_interrupted_run_ends_with_the_same_network(tmp_path, name, whole):
    folder = tmp_path / "m"
    assert not fit(DATA, DEV, folder, **QUICK, callbacks=[StopIn(name)]).finished
    assert (folder / "teacher").is_dir()
    assert fit(DATA, DEV, folder, **QUICK, mode="resume").finished
    assert (folder / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()
    assert {path.name for path in folder.iterdir()} == {path.name for path in whole.iterdir()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("distilled") / "m"
    assert fit(DATA, DEV, folder, **QUICK).finished
    return folder


def test_the_mixture_is_gone_unless_it_is_kept(whole):
    assert not (whole / "teacher").exists() and not (whole / "state").exists()
    assert isotone.load(whole).metrics.teacher["acc"] >= 0


def test_an_abandoned_run_leaves_nothing(tmp_path):
    folder = tmp_path / "m"
    assert not fit(DATA, DEV, folder, **QUICK, callbacks=[StopIn("seed-1")]).finished
    plain = {**QUICK, "seeds": 1, "distil": None, "distil.n_best": None}
    assert fit(DATA, DEV, folder, **plain, mode="overwrite").finished
    assert not (folder / "teacher").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seeds": 1}, "distil: there is no mixture to learn from; give --seeds, or --recipe best"),
        ({"distil": None, "distil.n_best": None, "distil.gold": 0.1}, "distil.gold: goes with --distil"),
        ({"distil": None, "distil.n_best": None, "keep_teacher": True}, "distil.keep_teacher: goes with --distil"),
        ({"distil": None, "distil.n_best": None, "further": ["a"]}, "--distil-sources goes with --distil"),
        ({"distil.gold": 2}, "distil.gold: Input should be less than or equal to 1"),
        ({"distil.silver": 1}, "distil.silver: Extra inputs are not permitted"),
    ],
)
def test_mistakes(tmp_path, options, message):
    with pytest.raises(ConfigError, match=message):
        fit(DATA, DEV, tmp_path / "m", **{**QUICK, **options})
