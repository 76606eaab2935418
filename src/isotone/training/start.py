"""The model that a run begins with, in place of random weights: for a second step of training, on other pairs.

Its network fits the new run's but for symbols and tags that only the new pairs have. These get the numbers behind its
own, and so its tensors are the leading corners of the new ones. Imports no torch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from isotone.errors import ConfigError
from isotone.files import open_regular
from isotone.models.config import Architecture, ModelConfig
from isotone.store.exported import is_exported
from isotone.store.layout import MIXTURE, WEIGHTS
from isotone.store.manifest import MISSING, Manifest, canonical, read_manifest
from isotone.store.shipped import folder_named
from isotone.text.config import SideChanges, TextConfig, Texts
from isotone.text.example import Example
from isotone.text.segment import Segmenter
from isotone.text.vocabulary import Alphabet, Vocabulary

__all__ = ["Origin", "Start", "fingerprint", "read_start"]

FROM_DATA = "emission.copies_unknown"
"""What training decides by looking at its pairs; a second one takes it over from the first."""
WEIGHTLESS = "dropout"
"""Hyperparameters with such names may change: no tensor depends on them."""
FAMILIAR = 0.5
"""A model that knows a smaller share of the symbols of the new pairs was probably made for others."""


class Origin(BaseModel):
    """What run.json says about the model that a run began with."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    model: str
    """Its folder, as the user wrote it."""
    fingerprint: str
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
        return self.config.architecture.with_preset(named | weightless | {FROM_DATA: False})

    def check(self, wanted: Architecture, *, backwards: Iterable[bool]) -> None:
        """Refuse a network that the weights do not fit. Its aligner may be another one: that part begins afresh."""
        mine = {one.path: one.value for one in self.config.architecture.hyperparameters()}
        for one in wanted.hyperparameters():
            free = one.path.endswith(WEIGHTLESS) or one.path.startswith("aligner.") or one.path == FROM_DATA
            if not free and (own := mine.get(one.path)) != one.value:
                raise ConfigError(f"{self.origin.model}: its {one.path} is {own}, so it cannot be {one.value}")
        if any(turned != self.config.backwards for turned in backwards):
            raise ConfigError(f"{self.origin.model}: reads and writes {self.direction}, so leave out direction")

    def reverses(self, asked: bool | None) -> bool:
        """Does it learn sources from the targets of data files? Refused where the user said otherwise."""
        known = self.config.data_format is not None and self.config.data_format.reverse
        if self.config.data_format is not None and asked is not None and asked != known:
            way = "with" if known else "without"
            raise ConfigError(
                f"{self.origin.model}: was trained {way} --reverse, so it cannot go on the other way round"
            )
        return known or bool(asked)

    def check_pairs(self, pairs: Sequence[Example], natural: Texts, texts: Texts) -> list[str]:
        """Refuse pairs with tags or separators that the model cannot read; remarks about what it hardly knows.

        `natural` is how their format cuts strings, `texts` how they will be cut.
        """
        tag = next((tag for example in pairs for tag in example.tags), None)
        if not self.vocabulary.tags and tag is not None:
            raise ConfigError(f"{self.origin.model}: was trained without tags, and these pairs have some ({tag})")
        sources = [example.source for example in pairs]
        targets = [example.target or "" for example in pairs]
        return [
            *self._remarks("source", self.vocabulary.source, natural.source, texts.source, sources),
            *self._remarks("target", self.vocabulary.target, natural.target, texts.target, targets),
        ]

    def _remarks(
        self, side: str, alphabet: Alphabet, natural: TextConfig, text: TextConfig, strings: Sequence[str]
    ) -> list[str]:
        if natural.segmentation == "separator" != text.segmentation:
            raise ConfigError(
                f"{self.origin.model}: reads {side}s by {text.segmentation}, and in this format their symbols are "
                f"separated; say how to read them (--{side}-symbols)"
            )
        symbols = list(chain.from_iterable(map(Segmenter(text).split, strings)))
        share = sum(symbol in alphabet for symbol in symbols) / max(1, len(symbols))
        if share >= FAMILIAR:
            return []
        return [f"{self.origin.model} knows only {share:.0%} of the {side} symbols: is it a model for such {side}s?"]


def read_start(model: str | Path) -> Start:
    """The single trained model in a folder; ConfigError where it is something else."""
    folder = folder_named(model)
    if (folder / MIXTURE).exists():
        raise ConfigError(f"{model}: is a mixture; begin with one of the models in it")
    if is_exported(folder):
        raise ConfigError(f"{model}: is an exported model, which cannot be trained; begin with the one it was made of")
    manifest = read_manifest(folder)
    origin = Origin(model=str(model), fingerprint=fingerprint(folder, manifest))
    return Start(origin, manifest.config, manifest.vocabulary)


def fingerprint(folder: Path, manifest: Manifest) -> str:
    """Tells a model from others by what it computes: configuration, alphabets, weights; not metrics or temperature."""
    known = {"config": manifest.config.model_dump(mode="json"), "vocabulary": manifest.vocabulary.to_json()}
    total = blake2b(canonical(known), digest_size=16)
    with open_regular(folder / WEIGHTS, missing=MISSING) as file:
        file.seek(8 + int.from_bytes(file.read(8), "little"))  # behind the header of a safetensors file
        while block := file.read(1 << 20):
            total.update(block)
    return total.hexdigest()
