"""Loading, saving and exporting: what a `Transducer` holds, apart from what it can be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from isotone.api.facts import model_facts
from isotone.api.load import read_members
from isotone.api.member import AnyMember
from isotone.decoding.directions import change_engines, joined
from isotone.decoding.mixture import shares
from isotone.decoding.protocol import Model
from isotone.decoding.tempered import Tempered
from isotone.drawing import facts_table  # importing it also registers how results show themselves
from isotone.errors import ConfigError
from isotone.models.config import ModelConfig
from isotone.store.describe import read_folder
from isotone.store.metrics import Metrics
from isotone.store.shipped import folder_named
from isotone.store.temperature import Temperature
from isotone.text.codec import Codec
from isotone.text.vocabulary import Vocabulary

__all__ = ["SavedModel"]


class SavedModel:
    """One network or a mixture of several, how it was trained, and the ways it goes to and comes from a folder."""

    def __init__(
        self,
        members: Sequence[AnyMember],
        *,
        weights: Sequence[float] | None = None,
        metrics: Metrics | None = None,
        run: Mapping[str, Any] | None = None,
        temperature: Temperature | None = None,
    ) -> None:
        """Equal weights unless given. `metrics` and `run` say how the model was trained, and travel with it.

        A `temperature` is that of the model as a whole; the members of a mixture may have their own below it.
        """
        if len(members) == 1 and temperature is not None:
            members = [members[0].with_temperature(temperature)]
        self.weights = shares(weights, len(members))
        for other in members[1:]:
            if _interface(other) != _interface(members[0]):
                raise ConfigError("models of a mixture must share alphabets, tags, text settings and how they copy")
        self.members = tuple(members)
        self._codec = members[0].codec
        self.metrics = metrics
        self.run = run
        self.temperature = temperature if len(members) > 1 else members[0].temperature
        engines = [_tempered(member.engine(), member.temperature) for member in members]
        whole = joined(engines, self.weights)
        self.model: Model = whole if len(members) == 1 else _tempered(whole, temperature)

    @classmethod
    def from_pretrained(cls, name: str | Path, *, revision: str | None = None) -> Self:
        """A model folder, a model that comes with Isotone, or the name of one on the Hugging Face Hub."""
        folder = folder_named(name)
        if not folder.is_dir():
            from isotone.store.hub import fetch

            folder = fetch(str(name), revision=revision)
        members, weights = read_members([folder], [1.0])
        known = read_folder(folder)
        return cls(members, weights=weights, metrics=known.metrics, run=known.run, temperature=known.temperature)

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the model folder with its card; a mixture's has a folder in it for each member."""
        from isotone.store.folder import save_members

        known: dict[str, Any] = {"metrics": self.metrics, "run": self.run, "temperature": self.temperature}
        save_members(Path(folder), self._weighted(), **known)

    def push_to_hub(self, name: str, *, private: bool = False, token: str | None = None) -> str:
        """Upload the model with its card to the Hugging Face Hub; returns its address."""
        from isotone.store.hub import push

        known: dict[str, Any] = {"metrics": self.metrics, "run": self.run, "temperature": self.temperature}
        return push(self._weighted(), name, **known, private=private, token=token)

    def export(self, folder: str | Path, *, int8: bool = False, overwrite: bool = False) -> None:
        """Write the model for ONNX Runtime: `isotone.load` then opens the folder without torch, and it runs faster.

        With `int8`, 8-bit weights: a quarter of the size and faster, at slightly other probabilities.
        """
        from isotone.api.export import export

        export(self, folder, int8=int8, overwrite=overwrite)

    def _weighted(self) -> list[tuple[Any, float]]:
        """The members with their weights, to be written; only trained ones can be."""
        if any(not hasattr(member, "network") for member in self.members):
            raise ConfigError("an exported model cannot be saved again: copy or upload its folder")
        return list(zip(self.members, self.weights, strict=True))

    @property
    def config(self) -> ModelConfig:
        """What the first member is; all members share its task and text settings."""
        return self.members[0].config

    @property
    def vocabulary(self) -> Vocabulary:
        """The alphabets and tags, which all members share."""
        return self.members[0].vocabulary

    @property
    def codec(self) -> Codec:
        """Turns examples into ids, and symbols back into text."""
        return self._codec

    def __repr__(self) -> str:
        sizes = [f"{sum(member.parameters for member in self.members):,} parameters"]
        source, target = self.vocabulary.source.symbols, self.vocabulary.target.symbols
        sizes += [f"{len(source)} source and {len(target)} target symbols"]
        sizes += [f"{len(self.vocabulary.tags)} tags"] if self.vocabulary.tags else []
        names = " + ".join(member.config.architecture.aligner.name for member in self.members)
        return f"<isotone.Transducer {names} for {self.config.task}: {', '.join(sizes)}>"

    def _repr_html_(self) -> str:
        """What it is and what it reached, for notebooks."""
        return facts_table("Isotone transducer", model_facts(self.members, self.weights, self.metrics))


def _tempered(model: Model, temperature: Temperature | None) -> Model:
    if temperature is None:
        return model
    return change_engines(model, lambda way: Tempered(way, temperature.value))


def _interface(member: AnyMember) -> tuple[Any, ...]:
    """What members of a mixture must have in common."""
    return member.vocabulary, member.config.text, member.config.architecture.emission
