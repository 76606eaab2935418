"""The weights of the model that a run begins with, as those of its own network."""

from __future__ import annotations

import torch

from isotone.errors import ConfigError
from isotone.store.folder import Member, load_member
from isotone.store.manifest import read_manifest
from isotone.store.shipped import folder_named
from isotone.training.start import Origin, fingerprint

__all__ = ["load_origin", "take_over"]


def load_origin(origin: Origin) -> Member:
    """The model to begin with; refused where its folder holds another one than when the run was planned."""
    folder = folder_named(origin.model)
    if fingerprint(folder, read_manifest(folder)) != origin.fingerprint:
        raise ConfigError(f"{origin.model}: is no longer the model that this run began with")
    return load_member(folder)


@torch.no_grad()
def take_over(member: Member, begun: Member) -> None:
    """Give `member` the weights of `begun`, whose symbols and tags come first in its vocabulary.

    The rows and columns of further symbols and tags stay as they are, freshly initialised; so does the aligner, where
    it is another one.
    """
    same_aligner = member.config.architecture.aligner == begun.config.architecture.aligner
    weights = member.network.state_dict()
    for name, known in begun.network.state_dict().items():
        if same_aligner or not name.startswith("aligner."):
            weights[name][tuple(map(slice, known.shape))] = known
