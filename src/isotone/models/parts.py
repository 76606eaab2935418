"""Exchangeable parts of a network as records, readable without torch: help texts and refusals need no network."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from itertools import pairwise
from textwrap import dedent
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = ["LARGEST_SIZE", "Options", "Part", "Section", "carry_over", "part_named", "read_options", "table_of"]

LARGEST_SIZE = 65_536
"""No vector of a network is longer, so that a hostile configuration is refused before anything is allocated."""

Module = TypeVar("Module")


class Section(BaseModel):
    """The hyperparameters of one part of a network."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    @classmethod
    def summaries(cls) -> dict[str, str]:
        """The docstring of each field. Read from the source when asked for: pydantic would do it at every start."""
        found: dict[str, str] = {}
        for owner in [one for one in reversed(cls.__mro__) if issubclass(one, Section)]:
            body = ast.parse(dedent(inspect.getsource(owner))).body[0].body  # type: ignore[attr-defined]
            for field, below in pairwise(body):
                if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
                    found[ast.unparse(field.target)] = inspect.cleandoc(ast.literal_eval(below.value))
        return found

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, values: Any) -> Any:
        """pydantic would say only that there is too much; this says what there is."""
        unknown = [key for key in values if key not in cls.model_fields] if isinstance(values, Mapping) else []
        if unknown:
            known = [name for name in cls.model_fields if name != "name"]
            owner = f"{values['name']} has no option" if "name" in values else "no option"
            raise ValueError(
                f"{owner} {unknown[0]!r}; " + (f"there are {', '.join(known)}" if known else "it has none")
            )
        return values


class Options(Section):
    """The section of a part that is chosen by name. A part without hyperparameters uses this class as it is."""

    name: str = Field(max_length=100)
    """A name in the table of such parts."""


@dataclass(frozen=True)
class Part(Generic[Module]):
    """One entry of a table of parts: all that must be known of it before it is built."""

    name: str
    """What users call it."""
    summary: str
    """One line for help texts."""
    make: str | Callable[..., Module]
    """The class, or "module:Class", imported on first use. Its keyword arguments are the sizes that the network
    prescribes and the fields of `options`."""
    _: KW_ONLY
    options: type[Options] = Options
    """Its hyperparameters: defaults, bounds and a docstring for each."""

    def build(self, options: Options, **sizes: int) -> Module:
        """A freshly initialised module; `sizes` are those that the rest of the network prescribes."""
        make = self.make
        if isinstance(make, str):
            module, _, name = make.partition(":")
            make = getattr(import_module(module), name)
        built: Module = make(**sizes, **options.model_dump(exclude={"name"}))
        return built


AnyPart = TypeVar("AnyPart", bound=Part[Any])


def table_of(*parts: AnyPart) -> dict[str, AnyPart]:
    """The parts by name, in this order."""
    return {part.name: part for part in parts}


def part_named(table: Mapping[str, AnyPart], kind: str, name: object) -> AnyPart:
    """The part of that name; raises ValueError listing the known names of this `kind`."""
    if not isinstance(name, str) or name not in table:
        raise ValueError(f"no {kind} called {name!r}; there are {', '.join(table)}")
    return table[name]


def read_options(table: Mapping[str, AnyPart], kind: str, section: object) -> Options:
    """A section checked against the options of the part that it names; a plain name stands for the defaults."""
    values = section.model_dump() if isinstance(section, Options) else section
    if isinstance(values, str):
        values = {"name": values}
    if not isinstance(values, Mapping) or "name" not in values:
        raise ValueError(f"expected the name of an entry, or an object with a name: {', '.join(table)}")
    return part_named(table, kind, values["name"]).options.model_validate(values)


def carry_over(table: Mapping[str, AnyPart], kind: str, section: Mapping[str, Any], name: object) -> dict[str, Any]:
    """The section of the part called `name`, which takes over the values of options that both parts have."""
    options = part_named(table, kind, name).options
    return {key: value for key, value in section.items() if key in options.model_fields} | {"name": name}
