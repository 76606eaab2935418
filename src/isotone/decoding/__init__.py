"""Decoding: from a model and sources to strings with true probabilities."""

from isotone.decoding.alignment import Aligned, align
from isotone.decoding.beam import beam
from isotone.decoding.constraint import AllowedSymbols, Constraint, Trie
from isotone.decoding.copying import spell
from isotone.decoding.ensemble import Mixture
from isotone.decoding.exact import exact
from isotone.decoding.greedy import greedy, length_limit
from isotone.decoding.hypothesis import Decoded, Hypothesis
from isotone.decoding.options import DECODERS, DecodeOptions
from isotone.decoding.sample import sample
from isotone.decoding.stepper import Stepper
from isotone.results.prediction import Candidate, Prediction

__all__ = [
    "DECODERS",
    "Aligned",
    "AllowedSymbols",
    "Candidate",
    "Constraint",
    "DecodeOptions",
    "Decoded",
    "Hypothesis",
    "Mixture",
    "Prediction",
    "Stepper",
    "Trie",
    "align",
    "beam",
    "exact",
    "greedy",
    "length_limit",
    "sample",
    "spell",
]
