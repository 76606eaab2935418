"""Sums of probabilities in log space, exactly: −inf is zero, and a sum of zeros is −inf, never nan."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "log_sigmoid", "log_softmax", "log_sum", "prefix_log_sums", "suffix_log_sums"]

Array = NDArray[Any]
"""fp32 while searching, fp64 in the dynamic program over whole pairs."""


def log_sum(values: Array, axis: int = -1) -> Array:
    """log Σ exp along an axis."""
    peak = values.max(axis, keepdims=True)
    np.maximum(peak, np.finfo(values.dtype).min, out=peak)
    total: Array = np.exp(values - peak).sum(axis)
    with np.errstate(divide="ignore"):
        np.log(total, out=total)
    total += peak.squeeze(axis)
    return total


def log_softmax(values: Array) -> Array:
    """Along the last axis; a row of −inf stays one."""
    peak = values.max(-1, keepdims=True)
    np.maximum(peak, np.finfo(values.dtype).min, out=peak)
    shifted: Array = values - peak
    total = np.exp(shifted).sum(-1, keepdims=True)
    shifted -= np.log(np.maximum(total, 1, out=total))  # at least 1 where there is anything
    return shifted


def log_sigmoid(values: Array) -> Array:
    """log 1 / (1 + exp(−x))."""
    found: Array = -np.logaddexp(values.dtype.type(0), -values)
    return found


def prefix_log_sums(values: Array) -> Array:
    """log of the prefix sums of exp along the last axis."""
    found: Array = np.logaddexp.accumulate(values, axis=-1)
    return found


def suffix_log_sums(values: Array) -> Array:
    """log of the suffix sums of exp along the last axis."""
    return prefix_log_sums(values[..., ::-1])[..., ::-1]
