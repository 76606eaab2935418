"""What an audit does in processes of their own."""

from __future__ import annotations

import logging
from pathlib import Path

from isotone.auditing.timing import measure
from isotone.auditing.workers import MISTAKE, read_job, run_one
from isotone.errors import IsotoneError

__all__ = ["work"]


def work(what: str, path: str, fold: int) -> int:
    """Judge a fold ("judge") or measure the speed of training ("measure").

    Returns the exit code: 0 done, 2 the user's mistake (its text is left in a file), 130 interrupted.
    """
    folder = Path(path)
    logging.getLogger("isotone").setLevel(logging.ERROR)  # a tag that only this fold has is not worth a warning
    try:
        if what == "judge":
            run_one(folder, fold)
        else:
            measure(folder, *read_job(folder))
    except IsotoneError as error:
        (folder / f"fold-{fold}-{MISTAKE}").write_text(str(error), encoding="utf-8")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0
