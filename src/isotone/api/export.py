"""Exporting a trained model for ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

from isotone.errors import ConfigError
from isotone.extras import require
from isotone.store.exported import Difference, is_exported, write_export
from isotone.store.layout import MIXTURE, holds_model, is_graph, is_vacant, remove_leftovers
from isotone.store.lock import folder_lock
from isotone.store.manifest import Manifest
from isotone.store.metrics import Metrics
from isotone.store.mixture import listed_members, remove_members, save_mixture

__all__ = ["check_target", "export"]


def export(model: Any, folder: str | Path, *, int8: bool = False, overwrite: bool = False) -> list[Difference]:
    """Write a `Transducer` as graphs into a folder that loads without torch; a mixture becomes one of exported models.

    With `int8` weights take a quarter of the space and a word a fraction of the time, at slightly other probabilities.
    The folder must be empty, or with `overwrite` hold an exported model. Returns how far each member is from its
    original, which is also in its card.
    """
    target = Path(folder)
    check_target(target, overwrite=overwrite)
    for member in model.members:
        if not hasattr(member, "network"):
            raise ConfigError("this model is an exported one already; export the one it was made of")
    require("torch", "onnx", extra="train", what="isotone export")
    with folder_lock(target):
        check_target(target, overwrite=overwrite)
        remove_leftovers(target)
        if len(model.members) == 1:
            found = [_export_member(model.members[0], target, int8=int8, metrics=model.metrics, run=model.run)]
            if (target / MIXTURE).exists():
                old = listed_members(target)
                (target / MIXTURE).unlink()
                remove_members(target, old)
            return found
        free = (name for number in count() if not (target / (name := f"member-{number}")).exists())
        names = [next(free) for _ in model.members]
        found = [
            _export_member(member, target / name, int8=int8) for name, member in zip(names, model.members, strict=True)
        ]
        known = {"metrics": model.metrics, "run": model.run, "temperature": model.temperature}
        save_mixture(target, names, weights=model.weights, **known)
        return found


def check_target(folder: Path, *, overwrite: bool) -> None:
    """Refuse to write into a folder that holds something, unless that is an exported model and may be replaced."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder}: is a file, expected a folder for the exported model")
    abandoned = [path.name for path in folder.iterdir() if is_graph(path.name)] if folder.is_dir() else []
    if is_vacant(folder, besides=abandoned):  # graphs without export.json: an export that was interrupted
        return
    members = [folder / name for name in listed_members(folder)] if (folder / MIXTURE).exists() else [folder]
    if holds_model(folder) and not all(map(is_exported, members)):
        raise ConfigError(f"{folder}: holds a trained model; choose another folder")
    if not holds_model(folder):
        raise ConfigError(f"{folder}: is not empty, and holds no exported model; choose another folder")
    if not overwrite:
        raise ConfigError(f"{folder}: is not empty; give --overwrite to replace its model")


def _export_member(
    member: Any, folder: Path, *, int8: bool, metrics: Metrics | None = None, run: Mapping[str, Any] | None = None
) -> Difference:
    from isotone.models.inference import TorchModel
    from isotone.runtime.check import measure
    from isotone.runtime.engine import Graph
    from isotone.runtime.export import graphs_of
    from isotone.runtime.session import OnnxModel

    architecture = member.config.architecture
    graphs = graphs_of(member.network, architecture.aligner.name, int8=int8)
    opened = {name: Graph(content, f"the {name} graph") for name, content in graphs.items()}
    model = OnnxModel(architecture, member.vocabulary, **opened)
    gated = architecture.emission.copy_gate
    original = TorchModel(member.network, len(member.vocabulary.tags))
    difference = measure(original, model, member.vocabulary, gated=gated, exact=not int8)
    manifest = Manifest(member.config, member.vocabulary, metrics, run, member.temperature, {}, None, member.parameters)
    write_export(
        folder,
        manifest,
        graphs,
        precision="int8" if int8 else "fp32",
        difference=difference,
    )
    return difference
