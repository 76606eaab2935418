"""Exported models in memory. Needs onnxruntime and numpy, not torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from isotone.decoding.protocol import Model
from isotone.errors import ModelError
from isotone.models.config import ModelConfig
from isotone.runtime.aligners import TRANSITIONS
from isotone.runtime.engine import Graph
from isotone.runtime.session import OnnxModel
from isotone.store.exported import read_export, read_graphs
from isotone.store.layout import EXPORT
from isotone.store.manifest import Manifest
from isotone.text.codec import Codec
from isotone.text.vocabulary import Vocabulary

__all__ = ["Exported", "load_exported"]


@dataclass(frozen=True, eq=False)
class Exported:
    """One exported model: the counterpart of `isotone.store.folder.Member`, without a network."""

    config: ModelConfig
    vocabulary: Vocabulary
    model: OnnxModel
    codec: Codec
    parameters: int
    """Numbers in the weights of the trained model."""

    def engine(self) -> Model:
        """The model as search sees it."""
        return self.model


def load_exported(folder: Path) -> Exported:
    """The exported model in a folder. Everything is checked: ModelError says what is wrong with which file."""
    export = read_export(folder)
    manifest = export.manifest
    architecture = manifest.config.architecture
    if architecture.aligner.name not in TRANSITIONS:
        raise ModelError(f"{folder / EXPORT}: the aligner {architecture.aligner.name} has no exported form")
    contents = read_graphs(folder, export)
    graphs = {name: Graph(content, str(folder / export.graphs[name].file)) for name, content in contents.items()}
    _check_fit(graphs["step"], manifest, str(folder / export.graphs["step"].file))
    model = OnnxModel(architecture, manifest.vocabulary, encoder=graphs["encoder"], step=graphs["step"])
    codec = Codec(manifest.vocabulary, manifest.config.text, architecture.emission.copy_gate)
    return Exported(manifest.config, manifest.vocabulary, model, codec, manifest.parameters)


def _check_fit(step: Graph, manifest: Manifest, place: str) -> None:
    """ModelError unless the step's graph has the sizes of this architecture and these alphabets."""
    architecture, vocabulary = manifest.config.architecture, manifest.vocabulary
    expected = {"state": 2 * architecture.decoder.hidden, "features": None, "log_belief": None, "symbol": None}
    sizes = {name: shape[-1] for name, (_, shape) in step.inputs.items() if name in expected}
    outputs = {name: shape[-1] for name, (_, shape) in step.outputs.items()}
    jumps = "log_jumps" in step.inputs
    fits = (
        expected.keys() == sizes.keys()
        and sizes["state"] == expected["state"]
        and outputs.get("log_emission") == len(vocabulary.target)
        and ("gate" in outputs) == architecture.emission.copy_gate
        and ("tag_gates" in step.inputs) == bool(vocabulary.tags)
        and jumps == hasattr(architecture.aligner, "width")
    )
    if not fits:
        raise ModelError(f"{place}: does not fit the architecture in {EXPORT}")
