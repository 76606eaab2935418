"""The dynamic program: pure tensors, no text, no nn.Module. See docs/maths.md."""

from isotone.dp.chain import Chain, NotANumberError
from isotone.dp.forward import forward, start_belief
from isotone.dp.masking import length_mask, masked_log_softmax
from isotone.dp.queries import (
    best_path,
    log_likelihood,
    path_log_prob,
    path_step_log_probs,
    posteriors,
    sample,
    silence,
    stays,
    step_log_probs,
)
from isotone.dp.semiring import LogSemiring, MaxSemiring, SamplingSemiring, Semiring
from isotone.dp.transition import Banded, Dense, Independent, Monotone, Move, Transition

__all__ = [
    "Banded",
    "Chain",
    "Dense",
    "Independent",
    "LogSemiring",
    "MaxSemiring",
    "Monotone",
    "Move",
    "NotANumberError",
    "SamplingSemiring",
    "Semiring",
    "Transition",
    "best_path",
    "forward",
    "length_mask",
    "log_likelihood",
    "masked_log_softmax",
    "path_log_prob",
    "path_step_log_probs",
    "posteriors",
    "sample",
    "silence",
    "start_belief",
    "stays",
    "step_log_probs",
]
