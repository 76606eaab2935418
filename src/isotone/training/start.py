"""The model that a run begins with, in place of random weights: for a second step of training, on other pairs.

Its network fits the new run's but for symbols and tags that only the new pairs have. These get the numbers behind its
own, and so its tensors are the leading corners of the new ones. Imports no torch.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from isotone.errors import ConfigError
from isotone.models.config import Architecture, ModelConfig
from isotone.store.exported import is_exported
from isotone.store.layout import MIXTURE
from isotone.store.manifest import read_manifest
from isotone.store.shipped import folder_named
from isotone.text.config import SideChanges, Texts
from isotone.text.vocabulary import Vocabulary

__all__ = ["Origin", "Start", "read_start"]

FROM_DATA = ("emission.copies_unknown",)
"""What the first training decided by looking at its pairs; the second one takes it over."""
WEIGHTLESS = "dropout"
"""Hyperparameters with such names may change: no tensor depends on them."""


class Origin(BaseModel):
    """What run.json says about the model that a run began with."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    model: str
    """Its folder, as the user wrote it."""
    checksum: str = ""
    """Tells it from any other, wherever its folder lies."""


@dataclass(frozen=True)
class Start:
    """A model to begin with, but for its weights."""

    origin: Origin
    config: ModelConfig
    vocabulary: Vocabulary

    @property
    def direction(self) -> str:
        """Of its network, as recipes say it."""
        return "backwards" if self.config.backwards else "forwards"

    def texts(self, asked: Texts | SideChanges | None) -> Texts:
        """How strings become symbols: as the model reads them, but for what the user said."""
        if asked is None or isinstance(asked, Texts):
            return asked or self.config.text
        return asked.over(self.config.text)

    def architecture(self, wanted: Architecture, *, aligner: str | None) -> Architecture:
        """The model's network with the wanted one's dropout, and perhaps another aligner."""
        named = {} if aligner is None else {"aligner.name": aligner}
        weightless = {one.path: one.value for one in wanted.hyperparameters() if one.path.endswith(WEIGHTLESS)}
        return self.config.architecture.with_preset(named | weightless)

    def check(self, wanted: Architecture, *, backwards: Iterable[bool]) -> None:
        """Refuse a network that the weights do not fit. Its aligner may be another one: that part begins afresh."""
        mine = {one.path: one.value for one in self.config.architecture.hyperparameters()}
        for one in wanted.hyperparameters():
            free = one.path.endswith(WEIGHTLESS) or one.path.startswith("aligner.") or one.path in FROM_DATA
            if not free and mine.get(one.path) != one.value:
                raise ConfigError(
                    f"{self.origin.model}: its {one.path} is {mine.get(one.path)}, so it cannot be {one.value}"
                )
        if any(turned != self.config.backwards for turned in backwards):
            raise ConfigError(f"{self.origin.model}: reads and writes {self.direction}, so leave out direction")

    def check_tags(self, tags: Iterable[str]) -> None:
        """Refuse tags where the model has nothing that reads them."""
        if not self.vocabulary.tags and (tag := next(iter(tags), None)) is not None:
            raise ConfigError(f"{self.origin.model}: was trained without tags, and these pairs have some ({tag})")


def read_start(model: str | Path) -> Start:
    """The single trained model in a folder; ConfigError where it is something else."""
    folder = folder_named(model)
    if (folder / MIXTURE).exists():
        raise ConfigError(f"{model}: is a mixture; begin with one of the models in it")
    if is_exported(folder):
        raise ConfigError(f"{model}: is an exported model, which cannot be trained; begin with the one it was made of")
    manifest = read_manifest(folder)
    return Start(Origin(model=str(model), checksum=manifest.checksum or ""), manifest.config, manifest.vocabulary)
