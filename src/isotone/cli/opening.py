"""Opening models and the files that go with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from isotone.errors import ConfigError, DataError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from isotone.api import Transducer
    from isotone.api.data import Example
    from isotone.cli.data_options import DataOptions

__all__ = ["model_folders", "open_models", "open_with_pairs", "shares_of"]


def open_models(names: str, weights: str | None = None, *, inputs: str = "-", threads: int | None = None) -> Transducer:
    """One folder, or several with commas between them, with this many CPU threads.

    Whatever is wrong with the names or with the file of `inputs` is refused first: loading takes seconds.
    """
    from isotone.api import existing_folder, load
    from isotone.api.threads import set_threads

    shares, folders = shares_of(weights), [existing_folder(name) for name in model_folders(names)]
    if inputs != "-" and not Path(inputs).exists():
        raise DataError(f"{inputs}: no such file")
    set_threads(threads)
    return load(*folders, weights=shares)


def open_with_pairs(
    names: str, pairs: str, data: DataOptions, *, weights: str | None, threads: int | None
) -> tuple[Transducer, Iterable[Example]]:
    """The models, and the file of pairs in the format that the options name or that the model was trained on."""
    from isotone.api.data import format_for

    transducer = open_models(names, weights, inputs=pairs, threads=threads)
    return transducer, data.read(pairs, format_for(transducer, data.named_format(), pairs))


def shares_of(weights: str | None) -> list[float] | None:
    """What --weights says."""
    try:
        return None if weights is None else [float(weight) for weight in weights.split(",")]
    except ValueError:
        raise ConfigError(f"--weights: expected numbers with commas between them, found {weights!r}") from None


def model_folders(names: str) -> list[str]:
    """One folder, or several with commas between them."""
    return [names] if Path(names).is_dir() else names.split(",")
