"""The header of a safetensors file, read without torch and without touching the tensors."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from isotone.errors import ModelError
from isotone.files import LIMIT, parse_json

__all__ = ["ITEM_SIZES", "Entry", "Header", "read_header"]

ITEM_SIZES = {"F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4, "U32": 4}
ITEM_SIZES |= {"F16": 2, "BF16": 2, "I16": 2, "U16": 2, "I8": 1, "U8": 1, "BOOL": 1}
"""Bytes per number of each dtype."""


@dataclass(frozen=True)
class Entry:
    """What the header says about one tensor."""

    dtype: str
    """F32, BF16, …"""
    shape: tuple[int, ...]

    @property
    def numel(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Header:
    """Everything in a safetensors file but the numbers."""

    metadata: Mapping[str, str]
    tensors: Mapping[str, Entry]

    @property
    def numel(self) -> int:
        """Numbers in all tensors together."""
        return sum(entry.numel for entry in self.tensors.values())


def read_header(file: BinaryIO, path: Path) -> Header:
    """The header of an open file; ModelError where it is damaged or the file is not as long as it says."""
    size = os.fstat(file.fileno()).st_size
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > size - 8:
        raise ModelError(f"{path}: damaged or cut short (no complete header)")
    if length > LIMIT:
        raise ModelError(f"{path}: its header is larger than {LIMIT >> 20} MB, which no model's is")
    try:
        raw = parse_json(file.read(length))
        header, end = _parse(raw)
    except (ValueError, TypeError, AttributeError) as error:
        raise ModelError(f"{path}: damaged or cut short ({error})") from error
    if size != 8 + length + end:
        raise ModelError(f"{path}: damaged or cut short ({size:,} bytes, expected {8 + length + end:,})")
    return header


def _parse(raw: Any) -> tuple[Header, int]:
    """The header, and how many bytes of tensors follow it."""
    metadata = raw.pop("__metadata__", None) or {}
    if not all(isinstance(value, str) for value in metadata.values()):
        raise ValueError("metadata must be strings")
    tensors, end = {}, 0
    for name, entry in raw.items():
        dtype, shape, (first, last) = entry.get("dtype"), entry.get("shape"), entry.get("data_offsets")
        if dtype not in ITEM_SIZES:
            raise ValueError(f"tensor {name} has the unknown dtype {dtype!r}")
        if not isinstance(shape, list) or not all(_is_size(size) for size in (*shape, first, last)):
            raise ValueError(f"tensor {name} has no proper shape")
        tensors[name] = Entry(dtype, tuple(shape))
        if last - first != tensors[name].numel * ITEM_SIZES[dtype]:
            raise ValueError(f"tensor {name} does not have the bytes of its shape")
        end = max(end, last)
    return Header(metadata, tensors), end


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 63
