"""Opening models and the files that go with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from isotone.errors import ConfigError, DataError

if TYPE_CHECKING:
    from isotone.api import Transducer
    from isotone.cli.data_options import DataOptions
    from isotone.text.readers import DataFormat

__all__ = ["format_for", "open_models"]


def open_models(names: str, weights: str | None = None, *, inputs: str = "-", threads: int | None = None) -> Transducer:
    """One folder, or several with commas between them, with so many CPU threads.

    Whatever is wrong with the names or with the file of `inputs` is refused first: loading takes seconds.
    """
    from isotone.api import load
    from isotone.cli.options import set_threads

    try:
        shares = None if weights is None else [float(weight) for weight in weights.split(",")]
    except ValueError:
        raise ConfigError(f"--weights: expected numbers with commas between them, found {weights!r}") from None
    folders = [names] if Path(names).is_dir() else names.split(",")
    missing = inputs != "-" and not Path(inputs).exists()
    if missing and all(Path(folder).is_dir() for folder in folders):
        raise DataError(f"{inputs}: no such file")
    model = load(*folders, weights=shares)
    set_threads(threads)
    return model


def format_for(model: Transducer, data: DataOptions, path: str) -> DataFormat:
    """The format the user names, else that of the model's training data, else a guess where it is certain."""
    from isotone.text.readers import guess_format
    from isotone.text.readers import DataFormat

    given = data.named_format() or model.config.data_format
    return given or DataFormat(name=guess_format(path, model.config.task))
