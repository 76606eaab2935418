"""Networks that read and write from the end: the same training on turned strings, and mixtures with both."""

from dataclasses import replace

import pytest

import isotone
import toy
from isotone.api.describe import describe
from isotone.api.training import Asked, Request
from isotone.store.describe import read_folder
from isotone.text.config import Texts
from isotone.training.request import DataRecord
from quick import Stop, fit

DATA, DEV = toy.examples(24), toy.examples(6, seed=9)
PAIRS = [(example.source, example.target, example.tags) for example in DEV]


def turned(examples):
    return [replace(one, source=one.source[::-1], target=one.target[::-1]) for one in examples]


@pytest.mark.parametrize("model", ["0-mono", "1-mono"])
def test_it_is_training_on_turned_strings(tmp_path, model):
    options = {"model": model, "guided": 0.4, "precision": "fp32"}
    backwards = fit(DATA, DEV, tmp_path / "a", direction="backwards", **options)
    plain = fit(turned(DATA), turned(DEV), tmp_path / "b", **options)
    assert backwards.dev == plain.dev
    ours, theirs = isotone.load(tmp_path / "a"), isotone.load(tmp_path / "b")
    assert ours.config.backwards and not theirs.config.backwards
    for source, target, tags in PAIRS:
        expected = theirs.score(source[::-1], target[::-1], tags=tags)
        assert ours.score(source, target, tags=tags) == pytest.approx(expected, abs=1e-6)
        for decode in ("greedy", "beam", "exact"):
            found, other = (m(s, tags=tags, decode=decode) for m, s in ((ours, source), (theirs, source[::-1])))
            assert found.target == other.target[::-1]
        alignment, other = (
            m.align(s, t, tags=tags) for m, s, t in ((ours, source, target), (theirs, source[::-1], target[::-1]))
        )
        assert alignment.source[1:-1] == tuple(source)
        last, end = len(alignment.target) - 1, len(alignment.source) - 1
        assert alignment.path[:last] == tuple(end - place for place in other.path[:last][::-1])


def test_both_directions_make_a_mixture(tmp_path):
    outcome = fit(DATA, DEV, tmp_path / "m", direction="both", model="0-mono", decode="exact")
    assert outcome.finished
    names = [member.name for member, _ in read_folder(tmp_path / "m").members]
    assert names == ["seed-0", "seed-0-backwards"]
    model = isotone.load(tmp_path / "m")
    assert [member.config.backwards for member in model.members] == [False, True]
    said = [describe(tmp_path / name)["direction"] for name in ("m", "m/seed-0", "m/seed-0-backwards")]
    assert said == ["both", "forwards", "backwards"]
    report = model.evaluate(DEV)
    assert report.metrics["acc"] == pytest.approx(outcome.dev["acc"])
    exported = tmp_path / "onnx"
    model.export(exported)
    light = isotone.load(exported)
    for source, target, tags in PAIRS:
        found = model(source, tags=tags, n_best=3)
        assert found.certified and len(found.candidates) == 3
        scores = [model.score(source, one.target, tags=tags) for one in found.candidates]
        assert [one.logprob for one in found.candidates] == pytest.approx(scores, abs=1e-5)
        assert light.score(source, target, tags=tags) == pytest.approx(model.score(source, target, tags=tags), abs=1e-4)
        assert light(source, tags=tags).target == found.target
    again = tmp_path / "again"
    model.save_pretrained(again)
    assert isotone.load(again).score(PAIRS[0][0], PAIRS[0][1], tags=PAIRS[0][2]) == pytest.approx(
        model.score(PAIRS[0][0], PAIRS[0][1], tags=PAIRS[0][2])
    )


def test_an_interrupted_backward_run_ends_as_if_nothing_had_happened(tmp_path):
    options = {"model": "0-mono", "direction": "backwards", "guided": 0.4}
    whole = fit(DATA, DEV, tmp_path / "whole", **options)
    assert not fit(DATA, DEV, tmp_path / "part", callbacks=[Stop(2, 1)], **options).finished
    assert fit(DATA, DEV, tmp_path / "part", mode="resume", **options).dev == whole.dev


@pytest.mark.parametrize(
    ("task", "pairs", "model", "backwards"),
    [
        ("inflection", 300, "0-mono", True),
        ("inflection", 3_000, "0-mono", True),
        ("inflection", 3_000, "pipeline-mono", True),
        ("inflection", 3_000, "1-mono", False),
        ("inflection", 30_000, "0-mono", True),
        ("inflection", 30_000, "1-mono", False),
        ("g2p", 3_000, "0-mono", False),
        ("transliteration", 300, "0-mono", False),
    ],
)
def test_inflection_is_learnt_from_the_end(task, pairs, model, backwards):
    asked = Asked(task=task, model=model)
    request = Request.of(asked, data=DataRecord(train_pairs=pairs), texts=Texts())
    assert request.recipe.turned(model) is backwards and not request.is_mixture
    for named in ("forwards", "backwards"):
        own = request.changed(replace(asked, changes={"direction": named}))
        assert own.recipe.turned(model) is (named == "backwards")


def test_every_aligner_goes_its_own_way(tmp_path):
    """Where the recipe leaves the direction to the aligner, a mixture may have both."""
    assert fit(DATA, DEV, tmp_path / "m", model="0-mono,1-mono", direction="auto", epochs=1).finished
    model = isotone.load(tmp_path / "m")
    assert [member.config.backwards for member in model.members] == [True, False]
    assert describe(tmp_path / "m")["direction"] == "both" and model(PAIRS[0][0], tags=PAIRS[0][2]).certified


def test_members_of_a_request():
    asked = Asked(model="1-mono,0-mono", seeds=2, changes={"direction": "both"})
    request = Request.of(asked, data=DataRecord(train_pairs=60), texts=Texts())
    assert request.is_mixture
    found = [(m.architecture.aligner.name, m.seed, m.recipe.direction) for m in request.members()]
    ways = ("forwards", "backwards")
    assert found == [(name, seed, way) for name in ("1-mono", "0-mono") for seed in (0, 1) for way in ways]
    alone = Request.of(Asked(changes={"direction": "backwards"}), data=DataRecord(train_pairs=60), texts=Texts())
    assert not alone.is_mixture and alone.members() == (alone,)
    pair = Request.of(Asked(changes={"direction": "both"}), data=DataRecord(train_pairs=60), texts=Texts())
    assert [m.recipe.direction for m in pair.members()] == list(ways)
