"""Tensors in a safetensors file: written atomically, read only after their header has been checked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor
from torch.overrides import TorchFunctionMode

from isotone.errors import ModelError
from isotone.files import open_regular, replacing
from isotone.store.header import ITEM_SIZES, Header, read_header

__all__ = [
    "NoInitialValues",
    "TensorFile",
    "check_finite",
    "check_fit",
    "checksum",
    "open_tensors",
    "without_memory",
    "write_tensors",
]

_DTYPES = {
    torch.float64: "F64",
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.int16: "I16",
    torch.int8: "I8",
    torch.uint8: "U8",
    torch.bool: "BOOL",
}
_FLOATS = {"F64", "F32", "F16", "BF16"}


@dataclass(frozen=True, eq=False)
class TensorFile:
    """An open safetensors file, of which only the header has been read."""

    path: Path
    header: Header
    _file: BinaryIO

    def read(self) -> dict[str, Tensor]:
        """All tensors, on the CPU. Check the header first: this allocates as much as the file is long."""
        try:
            self._file.seek(0)
            return safetensors.torch.load(self._file.read())
        except (SafetensorError, OSError, ValueError, RuntimeError) as error:
            raise ModelError(f"{self.path}: damaged or cut short ({error})") from error


@contextmanager
def open_tensors(path: Path, *, missing: str = "no such file") -> Iterator[TensorFile]:
    """A safetensors file. Header and tensors come from the same file, also if another process replaces it meanwhile."""
    with open_regular(path, missing=missing) as file:
        yield TensorFile(path, read_header(file, path), file)


@contextmanager
def without_memory() -> Iterator[None]:
    """Modules built in this block have parameters with shapes, but without memory and without values."""
    with torch.device("meta"), NoInitialValues():
        yield


class NoInitialValues(TorchFunctionMode):
    """Modules built in this block get no random values, because they are about to be given others.

    It saves time and leaves the random state alone. For tensors without memory, torch's initialisers would even import
    its compiler, which takes three seconds.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__module__", None) == "torch.nn.init" or func in {Tensor.normal_, Tensor.uniform_}:
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> None:
    """Replace `path` atomically by a safetensors file; its folder is made if need be.

    The library's own writer puts metadata in random order; this one writes the same bytes for the same content.
    """
    largest_first = sorted(tensors, key=lambda name: (-ITEM_SIZES[_DTYPES[tensors[name].dtype]], name))
    header: dict[str, object] = {"__metadata__": dict(metadata)}
    end = 0
    for name in largest_first:
        begin, end = end, end + tensors[name].numel() * tensors[name].element_size()
        dtype, shape = _DTYPES[tensors[name].dtype], list(tensors[name].shape)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # tensors begin at a multiple of 8
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as part, part.open("wb") as file:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for name in largest_first:
            file.write(_bytes(tensors[name]))


def check_fit(file: TensorFile, expected: Mapping[str, Tensor]) -> None:
    """ModelError unless the header has exactly the `expected` names and shapes, and floats where they are floats."""
    found = file.header.tensors
    for name in sorted(expected.keys() - found.keys()):
        raise ModelError(f"{file.path}: tensor {name} is missing")
    for name in sorted(found.keys() - expected.keys()):
        raise ModelError(f"{file.path}: tensor {name} does not belong to this architecture")
    for name, tensor in expected.items():
        entry, shape = found[name], tuple(tensor.shape)
        allowed = _FLOATS if tensor.is_floating_point() else {_DTYPES[tensor.dtype]}
        if entry.shape != shape:
            raise ModelError(f"{file.path}: tensor {name} is {entry.shape}, expected {shape}")
        if entry.dtype not in allowed:
            raise ModelError(
                f"{file.path}: tensor {name} has the dtype {entry.dtype}, expected {_DTYPES[tensor.dtype]}"
            )


def check_finite(tensors: Mapping[str, Tensor], path: Path) -> None:
    """ModelError naming the first tensor with a NaN or an infinity."""
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not torch.isfinite(tensor).all():
            raise ModelError(f"{path}: tensor {name} has numbers that are infinite or not a number")


def checksum(description: bytes, tensors: Mapping[str, Tensor]) -> str:
    """Of a description and of every tensor's name, dtype, shape and bytes."""
    state = blake2b(description, digest_size=32)
    for name in sorted(tensors):
        dtype, shape = _DTYPES[tensors[name].dtype], tuple(tensors[name].shape)
        state.update(f"\n{name} {dtype} {shape}\n".encode())
        state.update(_bytes(tensors[name]))
    return state.hexdigest()


def _bytes(tensor: Tensor) -> memoryview:
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().data
