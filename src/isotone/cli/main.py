"""The command line. Only this room prints, reads argv or exits; each command is one file, and imports late."""

from __future__ import annotations

import ast
import errno
import logging
import os
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from isotone import __version__
from isotone.errors import IsotoneError, LostWorkerError

__all__ = ["COMMANDS", "app", "run"]

SETTINGS = {"help_option_names": ["-h", "--help"]}

UsageError: type[Any] = typer.BadParameter.__mro__[1]
"""What typer raises for a wrong command line; newer versions keep it in a private module."""

USERS_MISTAKES = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EROFS, errno.EPERM}
USERS_MISTAKES |= {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP}
"""Troubles with files that the user can do something about: a full disk, a forbidden or impossible path."""


class _ReaderLeftError(Exception):
    """Nobody reads our output any more."""


COMMANDS = (
    *("train", "predict", "dictionary", "evaluate", "score", "align", "correspondences", "errors", "calibrate"),
    *("audit", "export", "serve", "models", "info", "demo", "sweep", "compare", "report"),
)
"""Each is a file of this folder with a function called `command`."""


class _Command(TyperCommand):
    """A command whose help is filled in from the tables when it is shown, and shown before typer checks any value: its
    checks are pydantic's, which take longer to import than the help to draw."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--help" in args[: args.index("--") if "--" in args else None]:
            typer.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()
        return list(super().parse_args(ctx, args))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from isotone.cli.choices import filled

        for parameter in self.params:
            if text := getattr(parameter, "help", None):
                parameter.help = filled(text)  # type: ignore[attr-defined]
        super().format_help(ctx, formatter)


@cache
def _command(name: str) -> Any:
    single = typer.Typer(pretty_exceptions_enable=False, add_completion=False, rich_markup_mode="rich")
    single.command(name=name, cls=_Command, context_settings=SETTINGS)(import_module(f"isotone.cli.{name}").command)
    return typer.main.get_command(single)


@cache
def _outline(name: str) -> Any:
    """A command's name and docstring, read from its source: importing all of them would take half a second."""
    try:
        source = Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
    except OSError:  # packed without sources
        return _command(name)
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    return typer.core.TyperCommand(name, help=ast.get_docstring(functions["command"]), callback=None)


class _OnDemand(dict[str, Any]):
    """The commands by name, each imported when it is asked for: a refusal should not wait for the other commands."""

    def __getitem__(self, name: str) -> Any:
        return _command(name)


class _Commands(TyperGroup):
    """All commands; typer itself would end a broken pipe with exit 1."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _OnDemand.fromkeys(COMMANDS)  # type: ignore[assignment]  # the keys are for suggestions

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Enough of a command for the list of commands."""
        return _outline(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _, rest = super().resolve_command(ctx, args)
        return name, _command(str(name)), rest

    def invoke(self, ctx: Any) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise _ReaderLeftError from error
        return result


app = typer.Typer(
    name="isotone",
    cls=_Commands,
    help="Exact hard monotonic attention for character transduction: train, predict, score, align.",
    epilog="Exit codes: 0 done, 2 your mistake (one line says which), 1 anything else.",
    context_settings=SETTINGS,
    pretty_exceptions_enable=False,
    add_completion=True,
    rich_markup_mode="rich",
)


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"isotone {__version__}\n")
        raise typer.Exit


def _schemas(wanted: bool) -> None:
    if wanted:
        import json

        from isotone.results.schemas import json_schemas

        sys.stdout.write(json.dumps(json_schemas(), indent=2, ensure_ascii=False) + "\n")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("-V", "--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
    schemas: Annotated[
        bool,
        typer.Option(
            "--schemas", help="Print JSON Schemas of what --json prints and exit.", callback=_schemas, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def run() -> None:
    """Exit 0 done, 2 the user's mistake (one line on stderr), 1 anything else."""
    # OpenMP threads that spin while they wait make two busy processes on one machine ten times slower, threads that
    # sleep at once make one process half as fast: spin briefly. Read when torch is loaded, which is later.
    os.environ.setdefault("GOMP_SPINCOUNT", "20000")
    _fill_closed_streams()
    logging.basicConfig(format="isotone: %(levelname)s: %(message)s", level=logging.WARNING, stream=sys.stderr)
    for stream in (sys.stdout, sys.stdin):
        if stream is not None:
            stream.reconfigure(encoding="utf-8", newline="\n" if stream is sys.stdout else None)  # type: ignore[union-attr]
    try:
        raise SystemExit(app(sys.argv[1:] or ["--help"], prog_name="isotone", standalone_mode=False) or 0)
    except UsageError as error:
        _fail(error.format_message(), 2)
    except IsotoneError as error:
        _fail(str(error), 1 if isinstance(error, LostWorkerError) else 2)
    except (_ReaderLeftError, BrokenPipeError):
        _abandon_output()
        raise SystemExit(0) from None
    except (KeyboardInterrupt, typer.Abort):
        _fail("interrupted", 1)
    except OSError as error:
        if error.errno not in USERS_MISTAKES:
            raise
        _abandon_output()
        place = f"{error.filename}: " if error.filename else ""
        _fail(f"{place}{error.strerror}", 2)


def _fill_closed_streams() -> None:
    """Gives standard streams that the caller closed (`<&-`) a null device, or the next file would get their number.

    sys.stdin stays None, so that a command that needs it can say that it is closed.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number: this one
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115


def _fail(message: str, code: int) -> None:
    if os.environ.get("RANK", "0") == "0":  # of the processes that torchrun starts, the first one speaks for all
        sys.stderr.write(f"isotone: {' '.join(message.splitlines())}\n")
    raise SystemExit(code)


def _abandon_output() -> None:
    """Whatever stdout still holds goes nowhere: its reader has left (`| head -1`), or its disk is full."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    run()
