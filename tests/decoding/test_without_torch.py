"""Decoding needs no torch: it runs on any model that implements the protocol, here a bigram in numpy."""

import subprocess
import sys

PROGRAM = '''
import sys
from dataclasses import dataclass


class Blocked:
    """Whoever imports torch gets an error."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"torch", "lightning_fabric", "safetensors"}:
            raise ImportError(f"{name} is blocked")


sys.meta_path.insert(0, Blocked())

import numpy as np

import isotone.decoding
from isotone import Beam, Exact, Example, Greedy, Lexicon
from isotone.decoding import (
    Aligned, AllowedSymbols, Mixture, References, Trie, align_examples, draw_targets, predict_examples,
    sample_alignments, score_examples,
)
from isotone.text.codec import Codec
from isotone.text.config import Texts
from isotone.text.vocabulary import BOS, EOS, FIRST, Alphabet, Vocabulary

vocabulary = Vocabulary(Alphabet(("a", "b")), Alphabet(("x", "y")))
codec = Codec(vocabulary, Texts())


@dataclass(frozen=True, eq=False)
class Rows:
    """A memory or a state: the last symbol and log p of each prefix."""

    last: np.ndarray
    log_mass: np.ndarray

    def select(self, rows):
        return Rows(self.last[rows], self.log_mass[rows])

    def join(self, others):
        return Rows(*(np.concatenate([getattr(r, n) for r in (self, *others)]) for n in ("last", "log_mass")))


@dataclass(frozen=True, eq=False)
class Step:
    log_symbols: np.ndarray

    def choose(self, symbols, rows=None):
        rows = np.arange(len(symbols)) if rows is None else rows
        return Rows(symbols, self.log_symbols[rows, symbols])


class Bigram:
    """p(y | x) = Π p(y_i | y_{i-1}), whatever the source is; every symbol is aligned to BOS."""

    def __init__(self, seed):
        size = len(vocabulary.target)
        table = np.random.default_rng(seed).random((size, size))
        table[:, [0, BOS, 2]] = 0
        with np.errstate(divide="ignore"):
            self.log_table = np.log(table / table.sum(1, keepdims=True))

    def encode(self, sources):
        return Rows(np.full(len(sources), BOS), np.zeros(len(sources)))

    def start(self, memory):
        return memory

    def step(self, state, memory):
        return Step(state.log_mass[:, None] + self.log_table[state.last])

    def log_probs(self, pairs):
        return np.array([sum(self.log_table[a, b] for a, b in zip((BOS, *p.target), p.target)) for p in pairs])

    def align(self, pairs):
        found = []
        for pair, value in zip(pairs, self.log_probs(pairs)):
            posterior = np.zeros((len(pair.target), len(pair.source)))
            posterior[:, 0] = 1
            found.append(Aligned(float(value), np.zeros(len(pair.target), dtype=np.int64), posterior))
        return found

    def sample_paths(self, pair, count, seed=None):
        return np.zeros((count, len(pair.target)), dtype=np.int64)

    def each(self, work, items):
        return map(work, items)


words = [Example("ab"), Example("a"), Example("")]
for model in (Bigram(1), Mixture([Bigram(1), Bigram(2)], [1, 3])):
    best = list(predict_examples(model, codec, words, Exact(n_best=4)))
    wide = list(predict_examples(model, codec, words, Beam(width=60, n_best=4)))
    assert [p.candidates for p in best] == [p.candidates for p in wide] and all(p.certified for p in best)
    greedy = list(predict_examples(model, codec, words, Greedy()))
    assert all(one.logprob >= other.logprob - 1e-12 for one, other in zip(best, greedy))
    for prediction in best:
        pairs = [Example(prediction.source, c.target) for c in prediction.candidates]
        scores = [scored.logprob for scored in score_examples(model, codec, pairs)]
        np.testing.assert_allclose(scores, [c.logprob for c in prediction.candidates], atol=1e-12)
    only = list(predict_examples(model, codec, words, Exact(), constraint=Trie([(FIRST,)], len(vocabulary.target))))
    assert [p.target for p in only] == ["x"] * 3
    no_x = AllowedSymbols([FIRST + 1], len(vocabulary.target))
    assert "x" not in next(predict_examples(model, codec, words, Exact(), constraint=no_x)).target
    known = next(predict_examples(model, codec, words, Exact(), lexicon=Lexicon([Example("ab", "yx")])))
    assert known.from_lexicon and known.target == "yx"
    assert len(draw_targets(model, codec, words[0], count=5, seed=1)) == 5
    (alignment,) = align_examples(model, codec, [Example("ab", "xy")])
    assert alignment.path == (0, 0, 0)
    assert len(sample_alignments(model, codec, Example("ab", "xy"), count=3, seed=0)) == 3
    judged = References.of(codec, [Example("ab", "x"), Example("ab", "y")]).judge(model, Exact())
    assert len(judged) == 1 and len(judged[0].references) == 2
assert not {"torch", "lightning_fabric", "safetensors"} & set(sys.modules)
print("decoded")
'''


def test_every_decoder_runs_where_torch_cannot_be_imported():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("decoded\n", 0), done.stderr
