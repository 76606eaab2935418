"""Models of the toy language, trained once: three aligners over the same alphabets."""

import pytest

import isotone
import toy
from quick import TINY as QUICK

TINY = {**QUICK, "epochs": 8}
TRAIN, DEV = toy.examples(300), toy.examples(40, seed=9)


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """Model folders by aligner."""
    home = tmp_path_factory.mktemp("toy")
    for seed, aligner in enumerate(("soft", "0-mono", "1-mono")):
        isotone.train(
            train=TRAIN,
            dev=DEV,
            out=home / aligner,
            task="inflection",
            model=aligner,
            seed=seed,
            **TINY,
            unknown=30.0,
        )
    return {aligner: home / aligner for aligner in ("soft", "0-mono", "1-mono")}


@pytest.fixture(scope="session", params=["soft", "0-mono", "1-mono"])
def model(folders, request):
    """Each model in turn."""
    return isotone.load(folders[request.param])


@pytest.fixture(scope="session")
def mono(folders):
    return isotone.load(folders["1-mono"])


@pytest.fixture(scope="session")
def mixture(folders):
    """Two kinds of attention, unevenly weighted."""
    return isotone.load(folders["soft"], folders["1-mono"], weights=[1, 3])
