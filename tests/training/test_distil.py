"""One network from a mixture: what it learns from, what is left in the folder, and going on after an interruption."""

import json
import math
import random
from dataclasses import replace

import pytest

import isotone
import toy
from isotone.api.training import Asked, Callback, Request, plan_job
from isotone.data import Choices
from isotone.errors import ConfigError, ModelError
from isotone.store.metrics import Metrics
from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.training.cells import empty_cells
from isotone.training.distil import STUDENT, best_member, taught_pairs
from isotone.training.request import DataRecord
from quick import fit

DATA, DEV = toy.examples(24), toy.examples(6, seed=9)
FURTHER = ["abc", Example("bad", None, ("N", "PL"))]
QUICK = {"model": "0-mono", "seeds": 2, "epochs": 1, "decode": "greedy", "further": FURTHER}
QUICK |= {"distil": True, "distil.n_best": 3, "distil.invented": 0.25}
NOT_DISTILLED = {"distil": None, "distil.n_best": None, "distil.invented": None}
CELLS = empty_cells(DATA, 6)


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


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A whole run that leaves its teacher, what came out, and which networks it trained."""
    folder, told = tmp_path_factory.mktemp("distilled") / "m", StopIn(None)
    outcome = fit(DATA, DEV, folder, **QUICK, keep_teacher=True, callbacks=[told])
    return folder, outcome, told.members


def test_one_network_is_left(kept):
    folder, outcome, members = kept
    assert outcome.finished and outcome.best.epoch == 1 and members == ["seed-0", "seed-1", STUDENT]
    model, teacher = isotone.load(folder), isotone.load(folder / "teacher")
    assert (len(model.members), len(teacher.members)) == (1, 2) and not (folder / "state").exists()
    assert model.metrics.teacher == teacher.metrics.dev == outcome.teacher and model.metrics.pairs == 32
    assert model.run["distil"] == {"n_best": 3, "mass": 0.99, "gold": 0.5, "invented": 0.25, "keep_teacher": True}
    assert model.run["data"]["further_sources"] == 2
    written = json.loads((folder / "teacher" / "targets.json").read_text())
    assert len(written) == 32 and len(CELLS) == 6
    for example, found in [*zip(DATA[:5], written, strict=False), *zip(CELLS, written[26:], strict=True)]:
        best = teacher(example.source, tags=example.tags, n_best=3, mass=0.99, budget=1000)
        assert 1 <= len(found) <= 3 and found[0][0] == best.target
        assert [p for _, p in found] == pytest.approx([math.exp(c.logprob) for c in best.candidates], rel=1e-4)
    assert fit(DATA, DEV, folder, **QUICK, keep_teacher=True, mode="resume") is None
    with pytest.raises(ConfigError, match="--distil-sources are not those that this run began with"):
        fit(DATA, DEV, folder, **{**QUICK, "further": ["other"]}, keep_teacher=True, mode="resume")


def test_an_interrupted_run_ends_with_the_same_network_and_without_its_teacher(tmp_path, kept):
    folder = tmp_path / "m"
    assert not fit(DATA, DEV, folder, **QUICK, callbacks=[StopIn("seed-1")]).finished
    stop = StopIn(STUDENT)
    assert not fit(DATA, DEV, folder, **QUICK, callbacks=[stop], mode="resume").finished
    assert stop.members == ["seed-1", STUDENT] and (folder / "teacher").is_dir()
    last = StopIn(None)
    assert fit(DATA, DEV, folder, **QUICK, callbacks=[last], mode="resume").finished and last.members == [STUDENT]
    one, other = isotone.load(folder), isotone.load(kept[0])
    assert [one(e.source, tags=e.tags).logprob for e in DEV] == [other(e.source, tags=e.tags).logprob for e in DEV]
    assert one.metrics.teacher == other.metrics.teacher
    assert {path.name for path in folder.iterdir()} == {path.name for path in kept[0].iterdir()} - {"teacher"}


def test_targets_of_other_sources_are_not_taken(tmp_path):
    folder = tmp_path / "m"
    assert not fit(DATA, DEV, folder, **QUICK, callbacks=[StopIn(STUDENT)]).finished
    written = folder / "teacher" / "targets.json"
    written.write_text(json.dumps(json.loads(written.read_text())[1:]))
    with pytest.raises(ModelError, match="has 31 sources, expected 32; remove it to write it again"):
        fit(DATA, DEV, folder, **QUICK, mode="resume")


def test_the_network_is_like_the_member_that_is_best_on_dev():
    asked = Asked(task="g2p", model="0-mono,1-mono", distil=True, changes={"direction": "both"})
    request = Request.of(asked, data=DataRecord(train_pairs=60), texts=Texts())
    names = ["0-mono-seed-0", "0-mono-seed-0-backwards", "1-mono-seed-0", "1-mono-seed-0-backwards"]
    ways = [("0-mono", "forwards"), ("0-mono", "backwards"), ("1-mono", "forwards"), ("1-mono", "backwards")]
    for figures, place in [((9, 8, 7, 6), 3), ((9, 6, 7, 6), 1), ((6, None, 7, 8), 0), ((None,) * 4, 0)]:
        dev = {name: None if wer is None else {"wer": wer} for name, wer in zip(names, figures, strict=True)}
        found = best_member(request, Metrics(task="g2p", members=dev))
        assert (found.architecture.aligner.name, found.recipe.direction) == ways[place]
    assert best_member(request, None) == request.members()[0]


def test_a_mixture_of_both_directions_teaches_a_network_of_one(tmp_path):
    folder = tmp_path / "m"
    options = {**QUICK, "seeds": 1, "direction": "both", "keep_teacher": True}
    assert fit(DATA, DEV, folder, **options).finished
    model, teacher = isotone.load(folder), isotone.load(folder / "teacher")
    best = max(range(2), key=lambda place: list(teacher.metrics.members.values())[place]["acc"])
    assert model.config.backwards is bool(best) and model.run["recipe"]["direction"] == "both"
    assert fit(DATA, DEV, folder, **options, mode="resume") is None


def test_an_abandoned_run_leaves_nothing(tmp_path):
    folder = tmp_path / "m"
    assert not fit(DATA, DEV, folder, **QUICK, callbacks=[StopIn("seed-1")]).finished
    plain = {**QUICK, "seeds": 1, **NOT_DISTILLED, "further": None}
    assert fit(DATA, DEV, folder, **plain, mode="overwrite").finished
    assert not (folder / "teacher").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seeds": 1}, "distil: there is no mixture to learn from; give --seeds, or --recipe best"),
        ({**NOT_DISTILLED, "further": None, "distil.gold": 0.1}, "distil.gold: goes with --distil"),
        ({**NOT_DISTILLED, "further": None, "keep_teacher": True}, "distil.keep_teacher: goes with --distil"),
        ({**NOT_DISTILLED, "further": ["a"]}, "--distil-sources goes with --distil"),
        ({"distil.gold": 2}, "distil.gold: Input should be less than or equal to 1"),
        ({"distil.silver": 1}, "distil.silver: Extra inputs are not permitted"),
    ],
)
def test_mistakes(tmp_path, options, message):
    with pytest.raises(ConfigError, match=message):
        fit(DATA, DEV, tmp_path / "m", **{**QUICK, **options})
