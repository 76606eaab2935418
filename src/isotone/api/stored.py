"""What a model is, where it comes from and where it goes: its description, its folder, the Hub."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from isotone.api.members import Members, open_folders
from isotone.models.config import ModelConfig
from isotone.store.describe import read_folder
from isotone.store.folder import Member, save_members
from isotone.store.hub import fetch, push
from isotone.store.metrics import Metrics
from isotone.text.vocabulary import Vocabulary

__all__ = ["Stored"]


class Stored:
    """A trained model, or a mixture of several, that can be described and kept."""

    def __init__(
        self,
        bundles: Sequence[Member],
        *,
        weights: Sequence[float] | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        """`metrics` is how a single model was trained, as in its metrics.json, to travel with it."""
        self._members = Members.of(bundles, weights)
        self._metrics = metrics

    @classmethod
    def from_pretrained(cls, name: str | Path, *, revision: str | None = None) -> Self:
        """A model folder, or the name of one on the Hugging Face Hub."""
        folder = Path(name) if Path(name).is_dir() else fetch(str(name), revision=revision)
        bundles, shares = open_folders([folder])
        return cls(bundles, weights=shares, metrics=read_folder(folder).metrics)

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the model folder with its card; a mixture's has a folder in it for each member."""
        save_members(Path(folder), self._weighted(), metrics=self._metrics)

    def push_to_hub(self, name: str, *, private: bool = False, token: str | None = None) -> str:
        """Upload the model with its card to the Hugging Face Hub; gives back its address."""
        return push(self._weighted(), name, metrics=self._metrics, private=private, token=token)

    def _weighted(self) -> list[tuple[Member, float]]:
        return list(zip(self.bundles, self._members.weights, strict=True))

    def __repr__(self) -> str:
        sizes = [f"{sum(bundle.network.parameter_count() for bundle in self.bundles):,} parameters"]
        sizes += [
            f"{len(self.vocabulary.source.symbols)} source and {len(self.vocabulary.target.symbols)} target symbols"
        ]
        sizes += [f"{len(self.vocabulary.tags)} tags"] if self.vocabulary.tags else []
        names = " + ".join(bundle.config.architecture.aligner.name for bundle in self.bundles)
        return f"<isotone.Transducer {names} for {self.config.task}: {', '.join(sizes)}>"

    @property
    def config(self) -> ModelConfig:
        """What the (first) model is."""
        return self._members.first.config

    @property
    def vocabulary(self) -> Vocabulary:
        """Its alphabets and tags."""
        return self._members.first.vocabulary

    @property
    def bundles(self) -> tuple[Member, ...]:
        """The models behind it, one unless it is a mixture."""
        return self._members.bundles

    @property
    def metrics(self) -> Mapping[str, Any] | None:
        """How the model was trained and what it reached on dev: its metrics.json, if there is one."""
        return None if self._metrics is None else self._metrics.to_json()
