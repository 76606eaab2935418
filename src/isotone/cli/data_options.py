"""The options that say how a data file is read: declared once, added to a command by `@reads_data`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isotone.errors import ConfigError

if TYPE_CHECKING:
    from isotone.api.data import DataFormat, Example, Reading

__all__ = ["DataOptions", "reads_data"]


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """How the user wants data files to be read; each field is an option of the command line."""

    format: Annotated[str | None, typer.Option("--format", help="{formats}")] = None
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out lines that do not fit, and say how many.")] = (
        False
    )
    skipped: Annotated[
        str | None, typer.Option("--skipped", help="As --skip-bad, and list all lines left out in this file.")
    ] = None
    source_column: Annotated[
        int | None, typer.Option(min=1, help="Column of the source, from 1 (for any other table).")
    ] = None
    target_column: Annotated[int | None, typer.Option(min=1, help="Column of the target.")] = None
    tags_column: Annotated[int | None, typer.Option(min=1, help="Column of the tags.")] = None
    column_separator: Annotated[str | None, typer.Option(help="What stands between columns; a tab by default.")] = None
    tag_separator: Annotated[str | None, typer.Option(help="What stands between tags; a semicolon by default.")] = None

    def named_format(self) -> DataFormat | None:
        """What the options say about the files' format; None if they say nothing."""
        from isotone.api.data import DataFormat

        source, target, tags = self.source_column, self.target_column, self.tags_column
        silent = all(option is None for option in (source, target, tags, self.column_separator, self.tag_separator))
        if silent and self.format != "columns":
            return None if self.format is None else DataFormat(name=self.format)
        if self.format not in {None, "columns"}:
            raise ConfigError("give either --format or columns and separators, not both")
        return DataFormat(
            name="columns",
            source=source or 1,
            target=target or next(place for place in (2, 1, 3) if place not in {source or 1, tags}),
            tags=tags,
            separator=_unescaped(self.column_separator, "\t"),
            tag_separator=_unescaped(self.tag_separator, ";"),
        )

    def read(
        self, path: str, format: DataFormat, *, targets: bool = True, may_be_empty: bool = False
    ) -> Iterable[Example]:
        """A stream of a file's examples; at its end stderr says how many lines were left out, and --skipped which."""
        from isotone.api.data import read

        skipped: list[str] = []

        def note(message: str) -> None:
            if self.skipped is not None:  # or a large file of bad lines would fill the memory
                skipped.append(message)

        def report(reading: Reading) -> None:
            if reading.left_out:
                sys.stderr.write(f"isotone: {reading.left_out}\n")
            self.list_skipped(skipped)

        return read(
            path,
            format,
            skip_bad=self.skips,
            targets=targets,
            may_be_empty=may_be_empty,
            on_skip=note,
            on_end=report,
        )

    @property
    def skips(self) -> bool:
        """Are lines that do not fit left out?"""
        return self.skip_bad or self.skipped is not None

    def skip_unlisted(self) -> bool:
        """--skip-bad, for commands that cannot list what they leave out: --skipped is refused there, not ignored."""
        if self.skipped is not None:
            raise ConfigError("--skipped: this command cannot list the lines it leaves out; give --skip-bad")
        return self.skip_bad

    def list_skipped(self, messages: Sequence[str]) -> None:
        """Write what was left out to the file of `--skipped`, after what this command has written there before."""
        if self.skipped is None:
            return
        _LISTED.setdefault(self.skipped, []).extend(messages)
        from isotone.cli.output import output

        with output(self.skipped) as file:
            file.writelines(f"{message}\n" for message in _LISTED[self.skipped])


_LISTED: dict[str, list[str]] = {}
"""By file of `--skipped`, what this process has listed there: a command may read several data files."""


def _unescaped(separator: str | None, default: str) -> str:
    """A tab is hard to type: `\\t` will do."""
    return default if separator is None else separator.replace("\\t", "\t")


def reads_data(**before: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of `DataOptions`; it gets them together, as its keyword argument `data`.

    typer reads signatures, so the command's is rewritten: the options stand where `data` stands, except that
    `reads_data(skip_bad="threads")` puts --skip-bad before the command's own parameter `threads`.
    """
    options = inspect.signature(DataOptions, eval_str=True).parameters
    here = [option for name, option in options.items() if name not in before]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def with_options(**values: Any) -> None:
            command(data=DataOptions(**{name: values.pop(name) for name in options}), **values)

        parameters: list[inspect.Parameter] = []
        for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
            parameters += [options[option] for option, place in before.items() if place == name]
            parameters += here if name == "data" else [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
        with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return with_options

    return decorate
