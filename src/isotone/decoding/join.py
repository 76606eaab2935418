"""Batches of prefixes from several rounds of a search, put together for one step of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, TypeVar

import torch
from torch import Tensor

__all__ = ["join"]

T = TypeVar("T")


def join(states: Sequence[T]) -> T:
    """The rows of all states, one state after the other. A state is a dataclass of tensors, or of tuples of states."""
    first: Any = states[0]
    columns = ([getattr(state, field.name) for state in states] for field in fields(first))
    joined: T = type(first)(*map(_column, columns))
    return joined


def _column(values: list[Any]) -> Any:
    if isinstance(values[0], Tensor):
        return torch.cat(values)
    return tuple(join(parts) for parts in zip(*values, strict=True))
