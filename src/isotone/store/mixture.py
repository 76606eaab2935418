"""A mixture as one folder: `mixture.json` names member folders beside it and how much each of them weighs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from isotone.errors import ModelError
from isotone.files import write_json
from isotone.models.config import FORMAT

__all__ = ["MIXTURE", "Packed", "members", "write_mixture"]

MIXTURE = "mixture.json"


class Packed(BaseModel):
    """mixture.json."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    format: int = Field(default=FORMAT, le=FORMAT)
    """Version of the folder's layout."""
    members: tuple[str, ...] = Field(min_length=1)
    """Model folders inside this one."""
    weights: tuple[float, ...]
    """One for each member."""

    @model_validator(mode="after")
    def _inside(self) -> Packed:
        if len(self.weights) != len(self.members):
            raise ValueError(f"{len(self.members)} members need as many weights, found {len(self.weights)}")
        for name in self.members:
            if Path(name).name != name or name in {".", ".."}:
                raise ValueError(f"member {name!r} is not a folder inside this one")
        return self


def write_mixture(folder: Path, names: Sequence[str], weights: Sequence[float] | None = None) -> None:
    """Make `folder`, which holds the members already, a mixture of them; equal weights unless given."""
    packed = Packed(members=tuple(names), weights=tuple(weights) if weights else (1.0,) * len(names))
    write_json(folder / MIXTURE, packed.model_dump(mode="json"))


def members(folder: Path) -> list[tuple[Path, float]]:
    """The model folders that a folder stands for, with weights: itself, unless it is a mixture."""
    path = folder / MIXTURE
    if not path.is_file():
        return [(folder, 1.0)]
    try:
        packed = Packed.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors()[0]
        raise ModelError(f"{path}: {'.'.join(map(str, first['loc'])) or 'mixture'}: {first['msg']}") from error
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: not readable as JSON ({error})") from error
    return [(folder / name, weight) for name, weight in zip(packed.members, packed.weights, strict=True)]
