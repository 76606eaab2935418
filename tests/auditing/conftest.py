"""A small lexicon with planted mistakes, audited once."""

from pathlib import Path

import pytest

import toy
from isotone.auditing.run import plan_audit, run_audit
from isotone.text.example import Example

MISTAKES = (11, 40, 77)


def corrupted(examples):
    """The toy language with three wrong targets."""
    listed = list(examples)
    for row in MISTAKES:
        source, target, tags = listed[row].source, listed[row].target, listed[row].tags
        wrong = {11: target[:2] + "gg" + target[2:], 40: "g" + target, 77: listed[3].target}[row]
        listed[row] = Example(source, wrong, tags)
    return listed


@pytest.fixture(scope="session")
def entries():
    return corrupted(e for e in toy.examples(260, seed=4, tags=False) if len(e.target) > 3)


@pytest.fixture(scope="session")
def lexicon(entries, tmp_path_factory) -> Path:
    """As a file, spaced."""
    path = tmp_path_factory.mktemp("lexicon") / "words.tsv"
    path.write_text("".join(f"{e.source}\t{' '.join(e.target)}\n" for e in entries), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def cache(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def plan(lexicon):
    return plan_audit(lexicon, folds=2, epochs=12)


@pytest.fixture(scope="session")
def audited(plan, cache):
    """The audit of that file; its folds stay in `cache`."""
    return run_audit(plan, cache=cache, processes=2)
