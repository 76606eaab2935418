"""A mixture as one folder: `mixture.json` names member folders inside it and the weight of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from isotone.errors import ModelError, first_problem
from isotone.files import read_json, write_json
from isotone.store.card import mixture_card
from isotone.store.copies import write_copies
from isotone.store.exported import read_model
from isotone.store.layout import CARD, FORMAT, METRICS, MIXTURE, RUN, TEMPERATURE, format_for, remove_model
from isotone.store.manifest import Manifest
from isotone.store.metrics import Metrics
from isotone.store.temperature import Temperature

__all__ = ["MixtureFile", "listed_members", "read_member", "read_mixture", "remove_members", "save_mixture"]


class MixtureFile(BaseModel):
    """mixture.json."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    format: int = Field(default=2, ge=1, le=FORMAT)
    """Version of the folder's layout."""
    members: tuple[Annotated[str, Field(max_length=255)], ...] = Field(min_length=1, max_length=1000)
    """Model folders directly inside this one."""
    weights: tuple[Annotated[float, Field(gt=0, allow_inf_nan=False)], ...]
    """One per member."""
    metrics: Any = None
    """As in metrics.json."""
    run: dict[str, Any] | None = None
    """The training request."""
    temperature: Temperature | None = None
    """Of the mixture's symbols, beside those of its members."""

    @model_validator(mode="after")
    def _fits(self) -> MixtureFile:
        if len(self.weights) != len(self.members):
            raise ValueError(f"{len(self.members)} members need as many weights, found {len(self.weights)}")
        for name in self.members:
            if name in {"", ".", ".."} or any(sign in name for sign in "/\\:\0"):
                raise ValueError(f"member {name!r} is not a folder inside this one")
        if len(set(self.members)) != len(self.members):
            raise ValueError("the same member is there twice")
        if not all(self.shares):
            raise ValueError("a weight is too small beside the others")
        return self

    @property
    def shares(self) -> tuple[float, ...]:
        """The weights, scaled to sum to 1."""
        scaled = [weight / max(self.weights) for weight in self.weights]  # first, since the sum might be infinite
        return tuple(weight / sum(scaled) for weight in scaled)


def read_mixture(folder: Path) -> MixtureFile | None:
    """mixture.json of a folder; None where it is not a mixture."""
    path = folder / MIXTURE
    if not path.exists() and not path.is_symlink():
        return None
    try:
        return MixtureFile.model_validate(read_json(path))
    except ValidationError as error:
        raise ModelError(f"{path}: {first_problem(error)}") from error


def read_member(folder: Path, name: str) -> Manifest:
    """What a member of the mixture in `folder` is; ModelError unless it is a single model in a folder of its own."""
    member = folder / name
    if member.is_symlink():
        raise ModelError(f"{member}: is a link, expected a folder inside the mixture's")
    if (member / MIXTURE).exists():
        raise ModelError(f"{member}: is itself a mixture, expected a single model")
    return read_model(member)


def save_mixture(
    folder: Path,
    names: Sequence[str],
    *,
    weights: Sequence[float] | None = None,
    metrics: Metrics | None = None,
    run: Mapping[str, Any] | None = None,
    temperature: Temperature | None = None,
) -> None:
    """Make `folder`, which holds the members in folders called `names`, a mixture; equal weights unless given.

    `mixture.json` is the commit point: until it is there, whatever the folder held before counts. After that, the
    files of a single model and of members that no longer belong to the mixture are removed.
    """
    try:
        mixture = MixtureFile(
            format=format_for(temperature),
            members=tuple(names),
            weights=tuple(weights) if weights is not None else (1.0,) * len(names),
            metrics=None if metrics is None else metrics.to_json(),
            run=None if run is None else dict(run),
            temperature=temperature,
        )
    except ValidationError as error:
        raise ModelError(f"{folder}: {first_problem(error)}") from error
    configs = [read_member(folder, name).config for name in names]
    before = listed_members(folder)
    stored = mixture.model_dump(mode="json", exclude={"temperature"})
    fitted = None if temperature is None else temperature.to_json()
    write_json(folder / MIXTURE, stored if fitted is None else {**stored, "temperature": fitted})
    card = mixture_card(configs, metrics, temperature)
    write_copies(folder, {METRICS: mixture.metrics, RUN: mixture.run, TEMPERATURE: fitted, CARD: card})
    remove_model(folder, keep=(METRICS, RUN, TEMPERATURE, CARD))
    remove_members(folder, [name for name in before if name not in names])


def remove_members(folder: Path, names: Sequence[str]) -> None:
    """Remove the models in folders inside `folder`, but nothing in them that is not a file of ours."""
    for name in names:
        member = folder / name
        if member.is_dir() and not member.is_symlink():
            remove_model(member)


def listed_members(folder: Path) -> tuple[str, ...]:
    """The members that mixture.json lists; none where there is none that can be read."""
    try:
        mixture = read_mixture(folder)
    except ModelError:
        return ()
    return mixture.members if mixture else ()
