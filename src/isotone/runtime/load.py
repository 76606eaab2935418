"""Exported models in memory. Needs onnxruntime and numpy, not torch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from isotone.decoding.directions import directed
from isotone.decoding.protocol import Model
from isotone.errors import ModelError
from isotone.models.config import ModelConfig
from isotone.runtime.aligners import TRANSITIONS
from isotone.runtime.engine import Graph
from isotone.runtime.session import OnnxModel
from isotone.store.exported import read_export, read_graphs
from isotone.store.layout import EXPORT
from isotone.store.manifest import Manifest
from isotone.store.temperature import Temperature
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

    temperature: Temperature | None = None

    def with_temperature(self, temperature: Temperature | None) -> Exported:
        """The same with another temperature."""
        return replace(self, temperature=temperature)

    def engine(self) -> Model:
        """The model as search sees it."""
        return directed(self.model, backwards=self.config.backwards)


def load_exported(folder: Path) -> Exported:
    """The exported model in a folder. Everything is checked: ModelError says what is wrong with which file."""
    export = read_export(folder)
    manifest = export.manifest
    architecture = manifest.config.architecture
    if architecture.aligner.name not in TRANSITIONS:
        raise ModelError(f"{folder / EXPORT}: the aligner {architecture.aligner.name} has no exported form")
    contents = read_graphs(folder, export)
    graphs = {name: Graph(content, str(folder / export.graphs[name].file)) for name, content in contents.items()}
    for name, fits in (("step", _step_fits), ("greedy", _greedy_fits)):
        if name in graphs and not fits(graphs[name], manifest):
            raise ModelError(f"{folder / export.graphs[name].file}: does not fit the architecture in {EXPORT}")
    model = OnnxModel(architecture, manifest.vocabulary, **graphs)
    codec = Codec(manifest.vocabulary, manifest.config.text, architecture.emission.copy_gate)
    return Exported(manifest.config, manifest.vocabulary, model, codec, manifest.parameters, manifest.temperature)


def _step_fits(step: Graph, manifest: Manifest) -> bool:
    """Has the step's graph the sizes of this architecture and these alphabets?"""
    architecture, vocabulary = manifest.config.architecture, manifest.vocabulary
    expected = {"state": 2 * architecture.decoder.hidden, "features": None, "log_belief": None, "symbol": None}
    sizes = {name: shape[-1] for name, (_, shape) in step.inputs.items() if name in expected}
    outputs = {name: shape[-1] for name, (_, shape) in step.outputs.items()}
    return (
        expected.keys() == sizes.keys()
        and sizes["state"] == expected["state"]
        and outputs.get("log_emission") == len(vocabulary.target)
        and ("gate" in outputs) == architecture.emission.copy_gate
        and ("tag_gates" in step.inputs) == bool(vocabulary.tags)
        and ("log_jumps" in step.inputs) == hasattr(architecture.aligner, "width")
    )


def _greedy_fits(greedy: Graph, manifest: Manifest) -> bool:
    """The same of the greedy graph, as far as its inputs and outputs tell."""
    architecture, vocabulary = manifest.config.architecture, manifest.vocabulary
    _, writable = greedy.inputs.get("writable", ("", (len(vocabulary.target),)))
    return (
        {"features", "belief", "negligible", "steps", "few"} <= greedy.inputs.keys()
        and {"symbols", "probabilities"} == greedy.outputs.keys()
        and writable[-1] == len(vocabulary.target)
        and not architecture.emission.copy_gate
        and ("tag_gates" in greedy.inputs) == bool(vocabulary.tags)
        and ("log_jumps" in greedy.inputs) == hasattr(architecture.aligner, "width")
    )
