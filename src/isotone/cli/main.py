"""The command line. Only this room prints, reads argv or exits; each command is one file, and imports late."""

from __future__ import annotations

import errno
import logging
import os
import sys
from typing import Annotated, Any

import typer

from isotone import __version__
from isotone.cli import align, demo, evaluate, info, predict, score, train
from isotone.errors import IsotoneError

__all__ = ["app", "run"]

UsageError: type[Any] = typer.BadParameter.__mro__[1]
"""What typer raises for a wrong command line; newer versions keep it in a private module."""

app = typer.Typer(
    name="isotone",
    help="Exact hard monotonic attention for character transduction: train, predict, score, align.",
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="rich",
)

for module in (train, predict, evaluate, score, align, info, demo):
    app.command(name=module.__name__.rpartition(".")[2])(module.command)


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"isotone {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def run() -> None:
    """Exit 0 done, 2 the user's mistake (one line on stderr), 1 anything else."""
    logging.basicConfig(format="isotone: %(levelname)s: %(message)s", level=logging.WARNING, stream=sys.stderr)
    for stream in (sys.stdout, sys.stdin):
        stream.reconfigure(encoding="utf-8", newline="\n" if stream is sys.stdout else None)  # type: ignore[union-attr]
    try:
        raise SystemExit(app(sys.argv[1:] or ["--help"], prog_name="isotone", standalone_mode=False) or 0)
    except UsageError as error:
        _fail(error.format_message().replace("\n", " "), 2)
    except IsotoneError as error:
        _fail(str(error), 2)
    except BrokenPipeError:
        _close_quietly()
    except (KeyboardInterrupt, typer.Abort):
        _fail("interrupted", 1)
    except OSError as error:
        if error.errno == errno.EPIPE:
            _close_quietly()
        if error.errno not in {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS, errno.EPERM}:
            raise
        place = f"{error.filename}: " if error.filename else ""
        _fail(f"{place}{error.strerror}", 2)


def _fail(message: str, code: int) -> None:
    sys.stderr.write(f"isotone: {message}\n")
    raise SystemExit(code)


def _close_quietly() -> None:
    """The reader of our output has left (`| head -1`): nothing is wrong and nothing more is to be said."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(0)


if __name__ == "__main__":
    run()
