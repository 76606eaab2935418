"""The decoders by name: what makes sense, that each option reaches its search, and greedy's second try."""

import pytest

from decoding import enumeration
from isotone.decoding import DECODERS, Beam, Exact, Greedy, Trie, decoder_named
from isotone.decoding.decoders import RETRY_BUDGET
from isotone.errors import ConfigError
from isotone.text.vocabulary import FIRST
from searches import beam_search, exact_search, greedy_search


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "magic"}, "unknown decoder 'magic': expected one of greedy, beam, exact"),
        ({"name": "greedy", "n_best": 2}, r"n_best: does not apply to greedy decoding \(only to beam and exact\)"),
        ({"name": "greedy", "beam": 2}, "beam: does not apply to greedy decoding"),
        ({"beam": 7}, r"beam: does not apply to exact decoding \(only to beam\)"),
        ({"name": "beam", "budget": 7}, "budget: does not apply to beam decoding"),
        ({"name": "beam", "mass": 0.5}, "mass: does not apply to beam decoding"),
        ({"name": "exact", "beam": 5}, "beam: does not apply to exact decoding"),
        ({"temperature": 2}, "unknown decoding option temperature"),
        ({"width": 2}, "unknown decoding option width"),
        ({"n_best": 0}, "n_best must be at least 1"),
        ({"name": "beam", "beam": 0}, "beam must be at least 1"),
        ({"mass": 0.0}, "mass must be above 0"),
        ({"mass": 1.1}, "mass must be above 0"),
        ({"min_probability": 0.0}, "min_probability must be above 0"),
        ({"mass": float("nan")}, "mass must be above 0"),
        ({"budget": 0}, "budget must be at least 1"),
        ({"name": "greedy", "max_length": -1}, "max_length must be at least 0"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(ConfigError, match=message):
        decoder_named(**options)


def test_exact_is_the_default_and_options_that_are_none_are_not_given():
    assert decoder_named() == decoder_named(None, beam=None, n_best=None) == Exact()
    assert decoder_named(mass=0.5, budget=7) == Exact(mass=0.5, budget=7)
    assert decoder_named("beam", beam=9, n_best=None) == Beam(width=9)
    assert decoder_named("greedy", max_length=3) == Greedy(max_length=3)
    assert list(DECODERS) == ["greedy", "beam", "exact"] and all(kind.summary for kind in DECODERS.values())
    several = [Greedy(), Beam(), Beam(n_best=2), Exact(), Exact(n_best=2), Exact(mass=0.1)]
    assert [decoder.several for decoder in several] == [False, False, True, False, True, True]


def test_every_option_reaches_its_search():
    model, sources = enumeration.model("0-mono"), enumeration.words([4, 0])
    trie = Trie([(FIRST, FIRST), (FIRST + 1,)], FIRST + 3)
    assert Greedy().decode(model, sources, trie) == greedy_search(model, sources, constraint=trie)
    assert Beam(width=2, n_best=2, max_length=3).decode(model, sources, trie) == beam_search(
        model, sources, width=2, n_best=2, max_length=3, constraint=trie
    )
    decoder = Exact(n_best=2, mass=0.7, min_probability=0.1, budget=9, max_length=4)
    options = {"n_best": 2, "mass": 0.7, "min_probability": 0.1, "budget": 9, "max_length": 4}
    assert decoder.decode(model, sources) == exact_search(model, sources, **options)
    assert decoder.decode(model, sources, trie) == exact_search(model, sources, **options, constraint=trie)


def test_greedy_that_reaches_its_limit_is_tried_again_by_exact_search():
    model, sources = enumeration.model("0-mono", more=-3.0), enumeration.words([4, 0, 2])
    plain = greedy_search(model, sources, max_length=5)
    assert any(decoded.cut for decoded in plain), "the model never ends by itself"
    again = exact_search(model, sources, budget=RETRY_BUDGET, max_length=5)
    for decoded, before, exact in zip(Greedy(max_length=5).decode(model, sources), plain, again, strict=True):
        if before.cut:
            assert [h.symbols for h in decoded.hypotheses] == [h.symbols for h in exact.hypotheses]
            assert decoded.certified == exact.certified is not None
            assert decoded.hypotheses[0].log_prob >= before.hypotheses[0].log_prob
        else:
            assert decoded == before and decoded.certified is None


def test_greedy_that_ends_by_itself_is_left_alone():
    model, sources = enumeration.model("0-mono", more=4.0), enumeration.words([4, 0, 2])
    assert Greedy().decode(model, sources) == greedy_search(model, sources)
