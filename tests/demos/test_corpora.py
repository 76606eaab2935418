"""What every corpus of the table promises."""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise

import pytest

import isotone.demos
from isotone.demos import CORPORA, Corpus, load_corpus
from isotone.errors import ConfigError
from isotone.text import FORMATS, Segmenter
from isotone.text.example import Example


@pytest.fixture(params=sorted(CORPORA))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def corpus(name: str, load_or_skip: Callable[[str], Corpus]) -> Corpus:
    return load_or_skip(name)


def keys(examples: Iterable[Example]) -> set[tuple[str, tuple[str, ...]]]:
    return {(example.source, example.tags) for example in examples}


def test_says_what_it_is(name: str, corpus: Corpus) -> None:
    assert corpus.name == name
    assert corpus.task == CORPORA[name].task
    assert corpus.task in FORMATS[corpus.format].tasks
    assert FORMATS[corpus.format].has_tags == any(example.tags for example in corpus.train)
    assert corpus.title
    assert corpus.licence


def test_no_key_is_in_two_places(corpus: Corpus) -> None:
    parts = [corpus.train, corpus.dev, corpus.test, corpus.showcase]
    count = Counter(key for part in parts for key in keys(part))
    assert set(count.values()) == {1}


def test_training_has_one_target_for_each_key(corpus: Corpus) -> None:
    assert len(keys(corpus.train)) == len(corpus.train)


def test_references_of_a_key_stand_side_by_side_and_differ(corpus: Corpus) -> None:
    for part in (corpus.dev, corpus.test):
        assert len(set(part)) == len(part)
        starts = sum(keys([a]) != keys([b]) for a, b in pairwise(part))
        assert starts + 1 == len(keys(part))


def test_test_keeps_several_references(corpus: Corpus) -> None:
    held_out = corpus.dev + corpus.test
    assert len(held_out) > len(keys(held_out))


def test_no_string_is_empty_or_padded(corpus: Corpus) -> None:
    for example in corpus.train + corpus.dev + corpus.test + corpus.showcase:
        assert example.target is not None
        for text in (example.source, example.target, *example.tags):
            assert text and text == text.strip()


def test_showcase_is_small_and_has_one_row_for_each_word(corpus: Corpus) -> None:
    assert 5 <= len(corpus.showcase) <= 10
    assert len(keys(corpus.showcase)) == len(corpus.showcase)


def test_most_test_symbols_were_seen_in_training(corpus: Corpus) -> None:
    segment = Segmenter(FORMATS[corpus.format].texts.target).split

    def symbols(examples: Iterable[Example]) -> set[str]:
        return {symbol for example in examples for symbol in segment(example.target or "")}

    assert len(symbols(corpus.test) - symbols(corpus.train)) <= 2


def test_same_seed_same_corpus_in_seconds(name: str, corpus: Corpus) -> None:
    start = time.process_time()
    assert load_corpus(name) == corpus
    assert time.process_time() - start < 5  # about 1; a busy machine is no failure


def test_other_seed_other_words_and_the_task_is_a_name_too(name: str, corpus: Corpus) -> None:
    other = load_corpus(CORPORA[name].task, seed=1)
    assert other.name == name
    assert keys(other.test) != keys(corpus.test)
    assert other.showcase == corpus.showcase


def test_missing_package_says_how_to_install(
    name: str, package_of: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package_of[name], None)
    with pytest.raises(ConfigError, match=r"^the demo data needs `pip install isotone\[demo\]`$"):
        load_corpus(name)


def test_unknown_option_is_named(name: str) -> None:
    with pytest.raises(ConfigError, match="no option 'colour'"):
        load_corpus(name, colour="red")


def test_unknown_corpus_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"no demo corpus 'klingon': expected one of cmudict, .*inflection"):
        load_corpus("klingon")


def test_import_loads_no_data_package(package_of: dict[str, str]) -> None:
    program = f"import sys, isotone.demos; sys.exit(bool({set(package_of.values())!r} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_all_names_exist() -> None:
    assert len(set(isotone.demos.__all__)) == len(isotone.demos.__all__)
    assert all(hasattr(isotone.demos, public) for public in isotone.demos.__all__)
