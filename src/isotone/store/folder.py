"""Models in memory and their folders. `model.safetensors` is replaced by one rename and holds everything: a reader,
or a kill at any moment, finds the old model whole or the new one whole. No pickle anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from isotone.decoding.directions import directed
from isotone.decoding.protocol import Model
from isotone.errors import ConfigError, ModelError
from isotone.files import sync_folder
from isotone.models.config import ModelConfig
from isotone.models.inference import TorchModel
from isotone.models.network import Network
from isotone.models.parallel import apply_threads
from isotone.store.card import model_card
from isotone.store.copies import write_copies
from isotone.store.describe import read_folder, steadily
from isotone.store.layout import CARD, CONFIG, METRICS, MIXTURE, RUN, TEMPERATURE, VOCABULARY, WEIGHTS
from isotone.store.lock import folder_lock
from isotone.store.manifest import MISSING, canonical, check_copies, description_of, manifest_of, metadata_of
from isotone.store.metrics import Metrics
from isotone.store.mixture import listed_members, read_mixture, remove_members, save_mixture
from isotone.store.temperature import Temperature
from isotone.store.tensors import (
    NoInitialValues,
    check_finite,
    check_fit,
    checksum,
    open_tensors,
    without_memory,
    write_tensors,
)
from isotone.text.codec import Codec
from isotone.text.vocabulary import Vocabulary

__all__ = ["Member", "load_member", "load_members", "save_member", "save_members", "set_temperature"]


@dataclass(frozen=True, eq=False)
class Member:
    """One model in memory: what it is, its alphabets, its weights."""

    config: ModelConfig
    vocabulary: Vocabulary
    network: Network
    codec: Codec
    temperature: Temperature | None = None
    """Of its symbols; it travels with the model."""

    @classmethod
    def build(cls, config: ModelConfig, vocabulary: Vocabulary) -> Member:
        """A freshly initialised model."""
        network = Network.build(config.architecture, vocabulary)
        return cls(config, vocabulary, network, Codec(vocabulary, config.text, config.architecture.emission.copy_gate))

    @property
    def parameters(self) -> int:
        """Trainable numbers."""
        return self.network.parameter_count()

    def with_temperature(self, temperature: Temperature | None) -> Member:
        """The same network with another temperature."""
        return replace(self, temperature=temperature)

    def engine(self) -> Model:
        """The network as search sees it."""
        return directed(TorchModel(self.network, len(self.vocabulary.tags)), backwards=self.config.backwards)


def save_member(
    folder: Path, member: Member, *, metrics: Metrics | None = None, run: Mapping[str, Any] | None = None
) -> None:
    """Make `folder` hold this model, with its card; on any failure before the rename the folder stays as it was.

    If the folder held a mixture, that counts until the new model is complete. Then its members' files are removed,
    and their folders too unless there is something of the user's in them.
    """
    description = description_of(member.config, member.vocabulary, metrics, run, temperature=member.temperature)
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in member.network.state_dict().items()}
    metadata = metadata_of(description, checksum(canonical(description), tensors))
    write_tensors(folder / WEIGHTS, tensors, metadata)
    write_copies(
        folder,
        {
            CONFIG: description["config"],
            VOCABULARY: description["vocabulary"],
            METRICS: description["metrics"],
            RUN: description["run"],
            TEMPERATURE: description.get("temperature"),
            CARD: model_card(member, metrics),
        },
    )
    if (folder / MIXTURE).exists():
        old = listed_members(folder)
        (folder / MIXTURE).unlink()
        sync_folder(folder)
        remove_members(folder, old)


def save_members(
    folder: Path,
    members: Sequence[tuple[Member, float]],
    *,
    metrics: Metrics | None = None,
    run: Mapping[str, Any] | None = None,
    temperature: Temperature | None = None,
) -> None:
    """Make `folder` hold these models, with their weights: a single model, or a mixture of several.

    `temperature` is the mixture's own, beside those of its members; a single model carries its own.

    A mixture's members go into folders that an older mixture in the same place does not use, so that it stays whole
    until the new one is.
    """
    if len(members) == 1:
        save_member(folder, members[0][0], metrics=metrics, run=run)
        return
    free = (name for number in count() if not (folder / (name := f"member-{number}")).exists())
    names = [next(free) for _ in members]
    for name, (member, _) in zip(names, members, strict=True):
        save_member(folder / name, member)
    weights = [weight for _, weight in members]
    save_mixture(folder, names, weights=weights, metrics=metrics, run=run, temperature=temperature)


def set_temperature(folder: Path, temperature: Temperature | None) -> None:
    """Give the model or mixture in `folder` a temperature, or take it away; everything else stays, in one rename."""
    with folder_lock(folder):
        known, mixture = read_folder(folder), read_mixture(folder)
        if mixture is None:
            save_member(
                folder, replace(load_member(folder), temperature=temperature), metrics=known.metrics, run=known.run
            )
        else:
            save_mixture(
                folder,
                mixture.members,
                weights=mixture.weights,
                metrics=known.metrics,
                run=known.run,
                temperature=temperature,
            )


def load_members(folder: Path) -> list[tuple[Member, float]]:
    """The models that a folder stands for, one or a mixture's, with their shares, which sum to 1."""
    return steadily(folder, lambda: [(load_member(path), share) for path, share in read_folder(folder).members])


def load_member(folder: Path) -> Member:
    """The single model in a folder. Everything is checked: ModelError says what is wrong with which file."""
    if not folder.is_dir():
        raise ModelError(f"{folder}: no such model folder")
    apply_threads()
    if (folder / MIXTURE).exists():
        raise ModelError(f"{folder}: is a mixture, expected a single model")
    path = folder / WEIGHTS
    with open_tensors(path, missing=MISSING) as file:
        manifest = manifest_of(file.header, folder)
        try:
            with without_memory():  # the file has to fit before anything is allocated
                expected = Network.build(manifest.config.architecture, manifest.vocabulary).state_dict()
        except (ConfigError, RuntimeError) as error:  # RuntimeError: sizes beyond what torch can count
            raise ModelError(f"{path}: {error}") from error
        check_fit(file, expected)
        tensors = file.read()
    if manifest.checksum not in {None, checksum(canonical(manifest.description), tensors)}:
        raise ModelError(f"{path}: damaged (its content does not have the checksum it should have)")
    with NoInitialValues():
        member = replace(Member.build(manifest.config, manifest.vocabulary), temperature=manifest.temperature)
    member.network.load_state_dict(tensors)
    check_finite(member.network.state_dict(), path)  # only now: a double may be infinite as a float
    member.network.eval()
    check_copies(folder)
    return member
