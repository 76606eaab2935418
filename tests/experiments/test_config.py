"""Sweep files: those in the repository are right, and a mistake is one line."""

from pathlib import Path

import pytest

from isotone.errors import ConfigError
from isotone.experiments.config import load_sweep
from isotone.training.request import DataRecord, Request

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
GOOD = """
name = "toy"
out = "out"
task = "g2p"
models = ["0-mono", "1-mono"]
format = "g2p"
[overrides]
epochs = 3
[text.source]
normalization = "NFD"
[[data]]
name = "a"
train = "a.train"
dev = "a.dev"
test = "a.test"
"""


@pytest.fixture
def load(tmp_path):
    def load(text):
        (tmp_path / "s.toml").write_text(text, encoding="utf-8")
        return load_sweep(tmp_path / "s.toml")

    return load


def request_of(sweep):
    """What the sweep's first cell asks for."""
    corpus = sweep.data[0]
    asked = sweep.asked(corpus, sweep.models[0], 0)
    return Request.of(asked, data=DataRecord(train_pairs=100), texts=sweep.format_of(corpus).format().texts)


FOUR = ("soft", "0-hard", "0-mono", "1-mono")
PAPER = {"conll2017-high": 52, "g2p": 2, "news2015": 11}
"""For users who have the corpora: data sets by sweep."""
SHARED = {"sigmorphon2020": 6, "conll2017-medium": 10, "g2p2020": 4, "g2p2021": 3, "g2p2021-medium": 2}
SHARED |= {"ar2en": 1, "german-high": 1, "cmudict": 1, "emit-mono": 6, "conll2017-high-shared": 10}
"""For the shared data."""


@pytest.mark.parametrize(("name", "count"), [*PAPER.items(), *SHARED.items()])
def test_the_files_of_the_repository(name, count):
    sweep = load_sweep(EXPERIMENTS / f"{name}.toml")
    assert (sweep.name, len(sweep.data)) == (name, count)
    if name in PAPER:
        assert sweep.models == FOUR


def test_no_file_is_forgotten():
    assert {path.stem for path in EXPERIMENTS.glob("*.toml")} == PAPER.keys() | SHARED.keys()


@pytest.mark.parametrize("name", SHARED)
def test_the_shared_data_are_there(shared, name):
    sweep = load_sweep(EXPERIMENTS / f"{name}.toml")
    assert all(path.is_file() for corpus in sweep.data for path in (corpus.train, corpus.dev, corpus.test))


def test_a_good_file(load, tmp_path):
    sweep = load(GOOD)
    (corpus,) = sweep.data
    assert (sweep.out, corpus.train) == (tmp_path / "out", tmp_path / "a.train")
    request = request_of(sweep)
    assert (request.recipe.name, request.recipe.epochs) == ("paper", 3) and request.task == "g2p"
    assert (request.text.source.normalization, request.text.target.normalization) == ("NFD", "NFC")
    assert request.text.target.segmentation == "separator"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('task = "g2p"', 'task = "golf"', "task: unknown task 'golf': expected one of inflection"),
        ('"1-mono"', '"2-mono"', "models: unknown model '2-mono'"),
        ('"1-mono"', '"0-mono"', "models: '0-mono' is there twice"),
        ("epochs = 3", "epochs = 0", "epochs: Input should be greater"),
        ("epochs = 3", "epoch = 3", "unknown setting 'epoch'"),
        ('dev = "a.dev"', "", "data.0.dev: Field required"),
        ('name = "a"', 'name = "a/b"', "data.0.name: String should match"),
        ('format = "g2p"', "", "format: neither the sweep nor the data set 'a'"),
        ('format = "g2p"', 'format = "g3p"', "g3p"),
        ('format = "g2p"', 'format = { name = "columns", source_column = 2 }', "format.source_column: Extra inputs"),
        ('"NFD"', '"NFX"', "text.source.normalization: Input should be"),
        ('out = "out"', 'out = "out', "not TOML"),
        ('out = "out"', 'outt = "out"', "out: Field required"),
    ],
)
def test_mistakes(load, tmp_path, old, new, message):
    with pytest.raises(ConfigError) as error:
        load(GOOD.replace(old, new))
    assert str(error.value).startswith(f"{tmp_path / 's.toml'}: ") and message in str(error.value)


def test_a_copy_gate_is_an_override_like_any_other(load):
    copying = GOOD.replace("epochs = 3", "copy_gate = true").replace('task = "g2p"', 'task = "transduction"')
    assert request_of(load(copying)).architecture.emission.copy_gate
    with pytest.raises(ConfigError, match="soft averages over source positions"):
        load(copying.replace('"1-mono"', '"soft"'))


def test_no_file(tmp_path):
    with pytest.raises(ConfigError, match=r"no\.toml: no such file"):
        load_sweep(tmp_path / "no.toml")


def test_a_recipe_that_trains_a_mixture_brings_its_members(load):
    best = GOOD.replace('models = ["0-mono", "1-mono"]', 'models = ["auto", "0-mono"]\nrecipe = "best"')
    sweep = load(best)
    members = [(member.architecture.aligner.name, member.recipe.direction) for member in request_of(sweep).members()]
    ways = ("forwards", "backwards")
    assert members == [(name, way) for name in ("1-mono", "0-mono") for way in ways]  # as it is for g2p
    (corpus,) = sweep.data
    assert (sweep.asked(corpus, "auto", 2).seed, sweep.asked(corpus, "0-mono", 2).model) == (4, "0-mono")
    more = load(best.replace("epochs = 3", "seeds = 3"))
    assert (more.asked(corpus, "auto", 2).seed, more.asked(corpus, "auto", 2).seeds) == (6, 3)
    assert len(request_of(more).members()) == 12
    with pytest.raises(ConfigError, match="seeds: Input should be greater than or equal to 1"):
        load(best.replace("epochs = 3", "seeds = -1"))
