"""Calling a model: shapes of questions and answers, honest probabilities, no influence of neighbours or threads."""

import dataclasses
import math
from concurrent.futures import ThreadPoolExecutor

import pytest

import isotone
import toy
from isotone.decoding.lexicon import Lexicon
from isotone.errors import ConfigError

WORDS = ["abc", "q", "", "gadeb", "fa", "cqqd"]
DECODERS = [{"decode": "greedy"}, {"decode": "beam", "n_best": 3}, {"decode": "exact", "n_best": 4}, {"mass": 0.3}]
every_decoder = pytest.mark.parametrize("options", DECODERS, ids=lambda options: next(iter(options.values())))


def pairs(predictions):
    return [(p.source, p.tags, c) for p in predictions for c in p.candidates]


def test_the_toy_language_is_learnt(mono):
    examples = toy.examples(60, seed=7)
    right = [mono(e.source, tags=e.tags).target == e.target for e in examples]
    assert sum(right) > 40


def test_one_string_gives_one_prediction_and_a_list_gives_a_list(mono):
    one = mono("abc", tags="N;PL")
    assert (one.source, one.tags) == ("abc", ("N", "PL"))
    assert one.target == one.candidates[0].target == "".join(one.best.symbols)
    assert one.logprob == one.candidates[0].logprob and one.probability == pytest.approx(math.exp(one.logprob))
    several = mono(["abc", "fa"], tags=[("N", "PL"), "N;SG"])
    assert several[0].target == one.target and several[1].tags == ("N", "SG")
    assert mono([]) == [] and mono(("abc",), tags=(["N", "PL"],))[0].target == one.target
    assert [p.source for p in mono(word for word in WORDS)] == WORDS


@pytest.mark.parametrize("field", ["target", "candidates", "certified"])
def test_results_are_frozen(mono, field):
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError, TypeError)):
        setattr(mono("abc"), field, None)


@every_decoder
def test_probabilities_are_those_that_score_gives(model, options):
    found = pairs(model(WORDS, tags=["N;PL"] * len(WORDS), **options))
    assert len(found) >= len(WORDS)
    expected = model.score([s for s, _, _ in found], [c.target for _, _, c in found], tags=[t for _, t, _ in found])
    assert [c.logprob for _, _, c in found] == pytest.approx(expected, abs=1e-5, rel=1e-5)


@every_decoder
def test_order_and_neighbours_do_not_matter(model, options):
    tags = ["N;PL", "N;SG"] * 3
    together = model(WORDS, tags=tags, **options)
    backwards = model(WORDS[::-1], tags=tags[::-1], **options)[::-1]
    alone = [model(word, tags=tag, **options) for word, tag in zip(WORDS, tags, strict=True)]
    for others in (backwards, alone):
        assert [[c.target for c in p.candidates] for p in others] == [
            [c.target for c in p.candidates] for p in together
        ]
        assert [c.logprob for _, _, c in pairs(others)] == pytest.approx(
            [c.logprob for _, _, c in pairs(together)], abs=1e-5
        )


def test_lists_hold_each_string_once_best_first_and_never_more_than_all_there_is(model):
    for prediction in model(WORDS, n_best=6):
        targets, values = zip(*((c.target, c.logprob) for c in prediction.candidates), strict=True)
        assert len(set(targets)) == len(targets) and list(values) == sorted(values, reverse=True)
        assert [c.rank for c in prediction.candidates] == list(range(1, len(targets) + 1))
        assert sum(map(math.exp, values)) <= 1 + 1e-5


def test_exact_is_never_worse_and_says_when_it_is_not_sure(model):
    for word in WORDS:
        greedy, beam, exact = (model(word, decode=name) for name in ("greedy", "beam", "exact"))
        assert exact.certified and exact.log_bound <= exact.logprob
        assert exact.logprob >= max(greedy.logprob, beam.logprob) - 1e-5
        assert greedy.certified is None and greedy.log_bound is None and greedy.to_json()["certified"] is None
    hard = model("gadeb", mass=0.999999, budget=1)
    assert not hard.certified and hard.log_bound > -math.inf and hard.to_json()["bound"] == hard.log_bound


def test_mass_is_covered(mono):
    for prediction in mono(WORDS, mass=0.9):
        total = sum(c.probability for c in prediction.candidates)
        assert prediction.certified and total >= 0.9 > total - prediction.candidates[-1].probability


def test_four_threads_give_what_one_gives(mono):
    examples = toy.examples(10, seed=3)

    def work(example):
        tags, target = example.tags, example.target
        candidates = mono(example.source, tags=tags, n_best=3).candidates
        alignment = mono.align(example.source, target, tags=tags)
        numbers = [*(one.logprob for one in candidates), mono.score(example.source, target, tags=tags)]
        return [one.target for one in candidates], alignment.path, [*numbers, *alignment.posterior.ravel().tolist()]

    sequential = [work(example) for example in examples]
    with ThreadPoolExecutor(4) as pool:
        parallel = list(pool.map(work, examples * 2))
    for (*found, numbers), (*expected, values) in zip(parallel, sequential * 2, strict=True):
        assert found == expected
        assert numbers == pytest.approx(values, rel=1e-6, abs=1e-5), "threads may differ in the last bits of fp32"


def test_a_constraint_takes_strings_away_and_leaves_the_numbers(model):
    free = model("abc", tags="N;PL", n_best=3)
    words = ["bbb", "aabcs", "aabc", "not in the alphabet"]
    chosen = model("abc", tags="N;PL", n_best=4, constraint=model.allow(targets=words))
    assert {c.target for c in chosen.candidates} == set(words[:3]) and chosen.certified
    best = max(words[:3], key=lambda word: model.score("abc", word, tags="N;PL"))
    assert chosen.target == best
    assert chosen.logprob == pytest.approx(model.score("abc", best, tags="N;PL"), abs=1e-5)
    without_s = model("abc", tags="N;PL", decode="exact", constraint=model.allow(symbols="abcdefg"))
    assert "s" not in without_s.target and without_s.logprob <= free.logprob + 1e-6


def test_what_cannot_be_allowed(mono):
    for arguments in ({}, {"symbols": "a", "targets": ["a"]}, {"targets": ["Ω"]}):
        with pytest.raises(ConfigError):
            mono.allow(**arguments)


def test_a_lexicon_is_looked_up_first_and_marked(mono):
    lexicon = Lexicon([isotone.Example("abc", "ggg"), isotone.Example("abc", "aabc"), isotone.Example("fa", "Ω")])
    known, other, odd = mono(["abc", "fb", "fa"], lexicon=lexicon)
    assert known.from_lexicon and not known.certified and {c.target for c in known.candidates} == {"ggg", "aabc"}
    assert [c.logprob for c in known.candidates] == pytest.approx(
        [mono.score("abc", c.target) for c in known.candidates], abs=1e-5
    )
    assert known.logprob == max(c.logprob for c in known.candidates)
    assert not other.from_lexicon
    assert odd.target == "Ω" and odd.logprob == -math.inf
    assert not mono("abc", tags="N;PL", lexicon=lexicon).from_lexicon  # other tags, other question


def test_a_lexicon_matches_other_normal_forms_and_tags_in_any_order(mono):
    composed, decomposed = "\u00e9a", "e\u0301a"
    lexicon = Lexicon([isotone.Example(composed, "gg", ("N", "PL")), isotone.Example("abc", "bb", ("N", "SG"))])
    assert mono(decomposed, tags="N;PL", lexicon=lexicon).from_lexicon
    assert mono(composed, tags="PL;N", lexicon=lexicon).target == "gg"
    assert mono("abc", tags="SG;N", lexicon=lexicon).from_lexicon
    assert not mono("abc", tags="SG", lexicon=lexicon).from_lexicon
    assert not mono("abc", tags="N;PL", lexicon=lexicon).from_lexicon


def test_strings_are_as_good_as_examples(mono):
    assert [p.target for p in mono.predict(["abc", "fa"])] == [p.target for p in mono(["abc", "fa"])]
    assert next(mono.predict(iter(["abc"]), decode="greedy")).certified is None
    assert next(mono.predict(["abc"], isotone.Beam(width=3, n_best=2))).candidates[1].rank == 2


def test_source_symbols_never_seen_are_named(mono):
    assert mono("abΩcΩ").unseen == ("Ω",) and mono("abΩ").to_json()["unseen"] == ["Ω"]
    assert mono("abc").unseen == () and "unseen" not in mono("abc").to_json()


def test_unknown_symbols_are_copied(folders):
    model = isotone.load(folders["1-mono"])
    assert model.config.architecture.emission.copies_unknown
    words = ["bcZd", "Żbd", "dgcΩ", "fb漢d", "g😀d"]
    found = [p.target for p in model(words, tags=["N;SG"] * len(words))]
    assert sum(target == word for target, word in zip(found, words, strict=True)) >= 4


def test_an_unknown_tag_is_ignored_with_one_warning(folders, caplog):
    model = isotone.load(folders["1-mono"])
    assert model("abc", tags="N;PL;MOON").target == model("abc", tags="N;PL").target
    model("abc", tags=["N", "MOON"])
    assert [record.message for record in caplog.records] == ["tag 'MOON' was never seen in training and is ignored"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m(["a", "b"], tags="N;PL"), "2 sources need a list of as many tags"),
        (lambda m: m(["a", "b"], tags=["N"]), "2 sources need a list of as many tags"),
        (lambda m: m.score(["a"], "a"), "1 sources need a list of as many targets"),
        (lambda m: m([None]), "sources and targets are strings; number 0 is None"),
        (lambda m: m("a", decode="guess"), "unknown decoder 'guess'"),
        (lambda m: m("a", width=3), "unknown decoding option width"),
        (lambda m: m("a", decode="greedy", n_best=2), "n_best: does not apply to greedy decoding"),
        (lambda m: m("a", beam=3), "beam: does not apply to exact decoding"),
        (lambda m: m(None), "expected a string or a list of strings, found None"),
        (lambda m: m.predict(None), "expected a list of examples or strings, found None"),
        (lambda m: m.predict("alma"), "expected a list of examples or strings, found 'alma'"),
        (lambda m: list(m.predict([7])), "expected an Example or a string, found 7"),
        (lambda m: m.predict(["a"], isotone.Exact(), decode="greedy"), "either a decoder or options"),
        (lambda m: m.predict(["a"], "greedy"), "expected a decoder such as isotone.Exact"),
        (lambda m: m.evaluate(toy.examples(2), isotone.Greedy(), decode="exact"), "either a decoder or options"),
        (lambda m: m.sample_alignments("a", "a", count=0), "count must be at least 1"),
        (lambda m: m.sample("a", count=0), "count must be at least 1"),
    ],
)
def test_mistakes_are_explained(mono, call, message):
    with pytest.raises(ConfigError, match=message):
        call(mono)


def test_predictions_and_models_introduce_themselves(mono, mixture):
    assert repr(mono).startswith("<isotone.Transducer 1-mono for inflection: ")
    assert "8 source and" in repr(mono) and "3 tags" in repr(mono)
    assert "soft + 1-mono" in repr(mixture)
    lines = str(mono("abc", tags="N;PL", n_best=2)).splitlines()
    assert lines[0].startswith("abc (N;PL) → aabcs  0.") and lines[1].endswith("certified")
    assert "nothing allowed" in str(mono("abc", constraint=mono.allow(targets=["aabc"]), max_length=1))


def test_surprisals_add_up_to_the_score(model, mixture):
    words, targets, tags = ["abc", "q", "gadeb"], ["aabc", "", "xgad"], ["N;PL"] * 3
    for transducer in (model, mixture):
        found = transducer.surprisals(words, targets, tags=tags)
        assert [len(values) for values in found] == [len(target) + 1 for target in targets]
        scores = transducer.score(words, targets, tags=tags)
        assert [-math.fsum(values) for values in found] == pytest.approx(scores, abs=1e-4, rel=1e-5)
        assert transducer.surprisals("abc", "aabc", tags="N;PL") == pytest.approx(found[0], abs=1e-5)


def test_notebooks_get_tables(model, mixture):
    found = model(["abc", "dad"], tags=["N;PL", "N;SG"])
    assert isinstance(found, list) and [each.source for each in found] == ["abc", "dad"]
    assert "<table" in found._repr_html_() and "<table" in found[0]._repr_html_()
    shown = model._repr_html_()
    assert "inflection" in shown and "on dev" in shown and "ACC" in shown and "PL" in shown
    assert "soft (25%), 1-mono (75%)" in mixture._repr_html_()
