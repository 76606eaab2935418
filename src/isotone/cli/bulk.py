"""isotone predict --ray: many files on Ray Data."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from isotone.cli.data_options import DataOptions
from isotone.cli.opening import model_folders, shares_of
from isotone.errors import ConfigError

__all__ = ["predict_files"]


def predict_files(
    model: str,
    pattern: str,
    out: str | None,
    *,
    data: DataOptions,
    address: str | None,
    actors: int | None,
    threads: int | None,
    weights: str | None,
    options: Mapping[str, Any],
    alphabet: str | None,
    **asked: Any,
) -> None:
    """Predict every file that the pattern names into the folder `out`; again, to go on where it stopped."""
    if out in {None, "-"} or out is None:
        raise ConfigError("--ray needs a folder for the output (-o)")
    if Path(out).exists() and not Path(out).is_dir():
        raise ConfigError(f"{out}: is a file, expected a folder")
    if threads is not None:
        raise ConfigError("--threads does not go with --ray: every copy of the model has one; see --actors")

    from isotone.api import existing_folder
    from isotone.api.data import format_of_folder
    from isotone.cli.output import error_console
    from isotone.integrations.answers import Question
    from isotone.integrations.bulk import find_files, run_bulk

    folders = [str(existing_folder(name)) for name in model_folders(model)]
    files = find_files(pattern)
    shares = shares_of(weights)
    question = Question(
        models=tuple(folders),
        weights=None if shares is None else tuple(shares),
        options={name: value for name, value in options.items() if value is not None},
        alphabet=None if alphabet is None else tuple(alphabet.split()),
        format=data.named_format() or format_of_folder(folders[0], files[0]),
        skip_bad=data.skip_unlisted(),
        **asked,
    )
    console = error_console()
    steps = run_bulk(question, files, Path(out), address=address, actors=actors, on_left_out=console.print)
    with redirect_stdout(sys.stderr):  # Ray tells of lost workers on stdout
        for progress in steps:
            where = f"{progress.done:,} of {progress.shards:,} shards"
            console.print(f"{where} ({progress.files:,} files, {progress.lines:,} lines)", soft_wrap=True)
    console.print(f"done; the output is in {out}", soft_wrap=True, markup=False)
