"""Settings of decoding: what makes sense, and that each reaches its decoder."""

import pytest

import tiny
from decoding import enumeration
from isotone.decoding import DECODERS, DecodeOptions, Trie, beam, exact, greedy
from isotone.decoding.options import decode
from isotone.errors import ConfigError
from isotone.text.vocabulary import FIRST


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"decode": "magic"}, "unknown decoder 'magic': expected one of greedy, beam, exact"),
        ({"n_best": 2}, "use beam or exact"),
        ({"n_best": 0}, "n_best must be at least 1"),
        ({"decode": "beam", "beam": 0}, "beam must be at least 1"),
        ({"decode": "beam", "mass": 0.5}, "exact decoding only"),
        ({"mass": 0.5}, "exact decoding only"),
        ({"decode": "exact", "mass": 0.0}, "mass must be above 0"),
        ({"decode": "exact", "mass": 1.1}, "mass must be above 0"),
        ({"decode": "exact", "mass": float("nan")}, "mass must be above 0"),
        ({"decode": "exact", "budget": 0}, "budget must be at least 1"),
        ({"max_length": -1}, "max_length must be at least 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        DecodeOptions(**settings)


def test_choosing_the_decoder_by_what_is_asked_for():
    assert DecodeOptions.choose() == DecodeOptions()
    assert DecodeOptions.choose(n_best=3) == DecodeOptions(decode="exact", n_best=3)
    assert DecodeOptions.choose(mass=0.5, budget=7) == DecodeOptions(decode="exact", mass=0.5, budget=7)
    assert DecodeOptions.choose(decode="beam", beam=9) == DecodeOptions(decode="beam", beam=9)
    with pytest.raises(ConfigError, match="greedy decoding finds one string"):
        DecodeOptions.choose(decode="greedy", n_best=3)
    with pytest.raises(ConfigError, match="unknown decoding option temperature"):
        DecodeOptions.choose(temperature=2)


def test_every_setting_reaches_its_decoder():
    network, batch = enumeration.model("0-mono"), tiny.random_batch([4, 0], [0, 0])
    trie = Trie([(FIRST, FIRST), (FIRST + 1,)], FIRST + 3)
    assert list(DECODERS) == ["greedy", "beam", "exact"]
    assert decode(network, batch, DecodeOptions(max_length=1)) == greedy(network, batch, max_length=1)
    assert decode(network, batch, DecodeOptions(), trie) == greedy(network, batch, constraint=trie)
    options = DecodeOptions(decode="beam", beam=2, n_best=2, max_length=3)
    assert decode(network, batch, options, trie) == beam(
        network, batch, width=2, n_best=2, max_length=3, constraint=trie
    )
    options = DecodeOptions(decode="exact", n_best=2, mass=0.7, budget=9, max_length=4)
    assert decode(network, batch, options) == exact(network, batch, n_best=2, mass=0.7, budget=9, max_length=4)
    assert decode(network, batch, options, trie) == exact(
        network, batch, n_best=2, mass=0.7, budget=9, max_length=4, constraint=trie
    )
