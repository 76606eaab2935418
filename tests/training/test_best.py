"""Recipes that train a mixture: aligners × seeds, restricted, printed, resumed, and their cost told beforehand."""

import json

import pytest

import isotone
import toy
from isotone.api.training import Asked, Callback, MixturePlan, Request
from isotone.errors import ConfigError
from isotone.text.config import Texts
from isotone.training.request import DataRecord
from quick import Stop, fit

DATA, DEV = toy.examples(24), toy.examples(6, seed=9)
QUICK = {"recipe": "best", "model": None, "epochs": 1, "seeds": 1, "decode": "greedy", "rate": 0.01}
BOTH = ["1-mono-seed-0", "0-mono-seed-0"]


def request(*, pairs=60, **asked):
    return Request.of(Asked(recipe="best", **asked), data=DataRecord(train_pairs=pairs), texts=Texts())


def table(found):
    return [(member.architecture.aligner.name, member.seed) for member in found.members()]


class Told(Callback):
    """What is said before training, and which members are trained."""

    def __init__(self):
        self.plans, self.members = [], []

    def on_mixture(self, plan):
        self.plans.append(plan)

    def on_member(self, name):
        self.members.append(name)


def test_every_aligner_with_every_seed():
    found = request()
    assert table(found) == [(name, seed) for name in ("1-mono", "0-mono") for seed in range(2)]
    assert all(member.seeds == 1 and not member.aligners for member in found.members())
    assert {member.recipe for member in found.members()} == {found.recipe}


def test_inflection_has_both_directions():
    """Each aligner writes in the direction that the default recipe has for it; all in one, or in both, if asked for."""

    def ways(**changes):
        found = request(task="inflection", changes=changes)
        return [(m.architecture.aligner.name, m.recipe.turned(m.architecture.aligner.name)) for m in found.members()]

    assert ways() == [("1-mono", False), ("1-mono", False), ("0-mono", True), ("0-mono", True)]
    assert not any(backwards for _, backwards in ways(direction="forwards"))
    assert ways(direction="both") == [
        (name, way) for name in ("1-mono", "0-mono") for _ in range(2) for way in (False, True)
    ]


def test_g2p_has_each_aligner_in_both_directions():
    """As many networks as two seeds would be; `--seeds` and `direction` still say otherwise."""

    def networks(**asked):
        found = request(task="g2p", **asked).members()
        return [(m.architecture.aligner.name, m.recipe.direction, m.seed) for m in found]

    ways = ("forwards", "backwards")
    assert networks() == [(name, way, 0) for name in ("1-mono", "0-mono") for way in ways]
    assert len(networks(seeds=2)) == 8
    assert networks(changes={"direction": "forwards"}) == [(name, "forwards", 0) for name in ("1-mono", "0-mono")]
    assert networks(model="0-mono") == [("0-mono", way, 0) for way in ways]


def test_what_the_user_names_restricts_the_table():
    assert table(request(seeds=1)) == [("1-mono", 0), ("0-mono", 0)]
    assert table(request(model="0-mono", seed=4)) == [("0-mono", 4), ("0-mono", 5)]
    assert table(request(changes={"aligner.name": "soft"}, seeds=1)) == [("soft", 0)]
    assert table(request(model="soft, 0-hard", seeds=1)) == [("soft", 0), ("0-hard", 0)]
    single = request(model="0-mono", seeds=1)
    assert single.members() == (single,)
    with pytest.raises(ConfigError, match="no aligner called 'x'"):
        request(model="0-mono,x")
    with pytest.raises(ConfigError, match="expected distinct names"):
        request(model="0-mono,0-mono")


def test_options_of_the_first_aligner_reach_those_that_have_them():
    widths = {
        member.architecture.aligner.name: getattr(member.architecture.aligner, "width", None)
        for member in request(changes={"aligner.width": 2}).members()
    }
    assert widths == {"1-mono": 2, "0-mono": None}
    with pytest.raises(ConfigError, match="soft averages over source positions"):
        request(model="0-mono,soft", changes={"copy_gate": True, "smoothing": 0.0}, task="inflection")


def test_the_amount_of_data_decides_about_size_and_epochs():
    """Each network is trained as the recipe that the data would get by themselves trains it."""
    for pairs in (999, 1_000, 5_000):
        for task in ("g2p", "inflection"):
            alone = Request.of(Asked(task=task), data=DataRecord(train_pairs=pairs), texts=Texts())
            mixed = request(pairs=pairs, task=task)
            direction = "both" if task == "g2p" else alone.recipe.direction
            assert mixed.recipe == alone.recipe.model_copy(update={"name": "best", "direction": direction})
            assert mixed.architecture == alone.architecture.with_changes({"aligner.name": "1-mono"})


def test_a_round_trip_changes_nothing():
    first = request(seeds=2)
    again = Request.from_json(json.loads(json.dumps(first.to_json())), place="x")
    assert again == first and again.members() == first.members()
    assert again.changed(Asked(recipe="best")) == first
    assert first.contradiction(request(model="1-mono", seeds=2)) == "aligners is ['1-mono', '0-mono'], not []"
    with pytest.raises(ConfigError, match="aligners: expected distinct names, the network's own first"):
        Request.from_json({**first.to_json(), "aligners": ["0-mono", "1-mono"]}, place="x")


def test_another_recipe_brings_its_members():
    plain = Request.of(Asked(recipe="small"), data=DataRecord(train_pairs=60), texts=Texts())
    assert table(plain.changed(Asked(recipe="best"))) == table(request())


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.2, "1 second "), (42.4, "42 seconds"), (1500, "25 minutes"), (9000, "2.5 hours")]
)
def test_the_cost_in_words(seconds, said):
    plan = MixturePlan(("seed-0", "seed-1"), 1_000, 2, seconds)
    assert str(plan).startswith(f"2 networks, one after another (seed-0, seed-1): about {said}")
    assert str(plan).endswith("on 2 threads for 1,000 pairs")
    assert str(MixturePlan(("seed-1",), 5, 1, 1)) == "1 network (seed-1): about 1 second on 1 thread for 5 pairs"


def test_one_folder_of_two_aligners_and_resuming_keeps_what_is_finished(tmp_path):
    told = Told()
    assert fit(DATA, DEV, tmp_path / "whole", **QUICK, callbacks=[told]).finished
    assert told.members == list(told.plans[0].members) == BOTH and told.plans[0].seconds > 0
    model = isotone.load(tmp_path / "whole")
    assert [member.config.architecture.aligner.name for member in model.members] == ["1-mono", "0-mono"]
    assert set(model.metrics.members) == set(BOTH) and model.metrics.recipe["name"] == "best"

    class StopInTheSecond(Callback):
        def on_member(self, name):
            self.second = name == BOTH[1]

        def on_batch(self, event):
            if self.second:
                raise KeyboardInterrupt

    folder, again = tmp_path / "parts", Told()
    assert not fit(DATA, DEV, folder, **QUICK, callbacks=[StopInTheSecond()]).finished
    with pytest.raises(ConfigError, match="--resume: the run in this folder is another one: its aligners"):
        fit(DATA, DEV, folder, **{**QUICK, "model": "1-mono"}, mode="resume")
    assert fit(DATA, DEV, folder, **QUICK, mode="resume", callbacks=[again]).finished
    assert again.members == list(again.plans[0].members) == BOTH[1:]
    for name in BOTH:
        whole, parts = (tmp_path / run / name / "model.safetensors" for run in ("whole", "parts"))
        assert whole.read_bytes() == parts.read_bytes()


def test_a_member_is_the_model_that_would_be_trained_alone(tmp_path):
    """The estimate before the first step changes nothing."""
    options = {**QUICK, "seeds": 2, "model": "0-mono"}
    fit(DATA, DEV, tmp_path / "two", **options)
    fit(DATA, DEV, tmp_path / "one", **{**options, "seed": 1, "seeds": 1})
    one, two = isotone.load(tmp_path / "one"), isotone.load(tmp_path / "two" / "seed-1")
    assert [one(e.source, tags=e.tags).logprob for e in DEV] == [two(e.source, tags=e.tags).logprob for e in DEV]
    assert not fit(DATA, DEV, tmp_path / "other", **options, callbacks=[Stop(1, 1)]).finished
