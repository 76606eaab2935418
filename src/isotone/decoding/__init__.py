"""Decoding: from a model and sources to strings with true probabilities."""

from isotone.decoding.alignment import Aligned, align
from isotone.decoding.copying import spell
from isotone.decoding.greedy import greedy, length_limit
from isotone.decoding.prediction import Candidate, Decoded, Hypothesis, Prediction
from isotone.decoding.stepper import Stepper

__all__ = [
    "Aligned",
    "Candidate",
    "Decoded",
    "Hypothesis",
    "Prediction",
    "Stepper",
    "align",
    "greedy",
    "length_limit",
    "spell",
]
