"""The folder of an exported model: `export.json` says what it is and names its graphs, with their checksums.

A graph's file is named after its content. So a new export is written beside the old one, counts from the moment when
`export.json` is replaced, and a reader finds either of them whole. Needs neither torch nor onnxruntime.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from isotone.errors import ModelError, first_problem
from isotone.files import open_regular, read_json, replacing, sync_folder, write_json
from isotone.models.config import ModelConfig
from isotone.store.card import export_card
from isotone.store.copies import write_copies
from isotone.store.layout import CARD, CONFIG, EXPORT, METRICS, VOCABULARY, WEIGHTS, is_graph
from isotone.store.manifest import Manifest, parse_config, parse_vocabulary, read_manifest
from isotone.store.metrics import parse_metrics
from isotone.store.temperature import parse_temperature
from isotone.text.vocabulary import Vocabulary

__all__ = [
    "Difference",
    "Export",
    "ExportFile",
    "GraphFile",
    "is_exported",
    "read_export",
    "read_graphs",
    "read_model",
    "write_export",
]

VERSION = 1
GRAPHS = ("encoder", "step")
"""What every exported model has."""


class GraphFile(BaseModel):
    """One graph's entry in export.json."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    file: str
    bytes: Annotated[int, Field(ge=1)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]

    @model_validator(mode="after")
    def _named_after_content(self) -> GraphFile:
        if not is_graph(self.file) or self.sha256[:16] not in self.file:
            raise ValueError(f"{self.file!r} is not the name of such a graph")
        return self


class Difference(BaseModel):
    """How far the exported model is from the one it was made of, on sources made up of its own alphabet."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    samples: int
    """Sources that were tried."""
    same: int
    """How many of them get the same string."""
    log_prob: float
    """The largest difference between log-probabilities of a string, in nats per symbol."""


class ExportFile(BaseModel):
    """export.json."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    format: int = Field(default=VERSION, ge=1)
    """Version of the folder's layout."""
    precision: Literal["fp32", "int8"]
    """Of the weights in the graphs."""
    parameters: Annotated[int, Field(ge=0)]
    """Numbers in the weights of the trained model."""
    difference: Difference
    """From the trained model."""
    config: dict[str, Any]
    vocabulary: dict[str, Any]
    metrics: Any = None
    run: dict[str, Any] | None = None
    temperature: dict[str, Any] | None = None
    graphs: dict[Literal["encoder", "step", "greedy"], GraphFile]
    """The greedy graph is missing from models with a copy gate, and from exports by versions that had none."""

    @model_validator(mode="after")
    def _complete(self) -> ExportFile:
        if missing := [name for name in GRAPHS if name not in self.graphs]:
            raise ValueError(f"graphs: {', '.join(missing)} missing")
        return self


@dataclass(frozen=True)
class Export:
    """An exported model but for its graphs."""

    manifest: Manifest
    graphs: Mapping[str, GraphFile]


def is_exported(folder: Path) -> bool:
    """Is the single model in `folder` an exported one? Where there are weights as well, those count."""
    return (folder / EXPORT).exists() and not (folder / WEIGHTS).exists()


def read_model(folder: Path) -> Manifest:
    """What the single model in `folder` is, trained or exported, without reading its weights."""
    return read_export(folder).manifest if is_exported(folder) else read_manifest(folder)


def read_export(folder: Path) -> Export:
    """export.json of a folder; ModelError says what is wrong with it."""
    path = folder / EXPORT
    raw = read_json(path)
    if isinstance(raw, dict) and isinstance(raw.get("format"), int) and raw["format"] > VERSION:
        raise ModelError(f"{path}: format {raw['format']} comes from a newer Isotone (this one reads up to {VERSION})")
    try:
        found = ExportFile.model_validate(raw)
    except ValidationError as error:
        raise ModelError(f"{path}: {first_problem(error)}") from error
    manifest = Manifest(
        config=parse_config(found.config, path),
        vocabulary=parse_vocabulary(found.vocabulary, path),
        metrics=parse_metrics(found.metrics),
        run=found.run,
        temperature=parse_temperature(found.temperature, path),
        description={},
        checksum=None,
        parameters=found.parameters,
        exported={"precision": found.precision, "difference": found.difference.model_dump()},
    )
    limit = _largest(manifest.config, manifest.vocabulary)
    for graph in found.graphs.values():
        if graph.bytes > limit:
            raise ModelError(f"{path}: {graph.file} is larger than a graph of this architecture can be")
    return Export(manifest, {str(name): graph for name, graph in found.graphs.items()})


def read_graphs(folder: Path, export: Export) -> dict[str, bytes]:
    """The graphs by name, each checked against its size and checksum before anything else is done with it."""
    found = {}
    for name, graph in export.graphs.items():
        path = folder / graph.file
        with open_regular(path, missing="missing from the exported folder") as file:
            content = file.read(graph.bytes + 1)
        if len(content) != graph.bytes:
            raise ModelError(f"{path}: damaged or cut short ({len(content):,} bytes, expected {graph.bytes:,})")
        if sha256(content).hexdigest() != graph.sha256:
            raise ModelError(f"{path}: damaged (its content does not have the checksum it should have)")
        found[name] = content
    return found


def write_export(
    folder: Path,
    manifest: Manifest,
    graphs: Mapping[str, bytes],
    *,
    precision: Literal["fp32", "int8"],
    difference: Difference,
) -> None:
    """Make `folder` hold this exported model; on any failure before the last rename it holds what it held before."""
    folder.mkdir(parents=True, exist_ok=True)
    listed: dict[Any, GraphFile] = {}
    for name, content in graphs.items():
        digest = sha256(content).hexdigest()
        listed[name] = GraphFile(file=f"{name}-{digest[:16]}.onnx", bytes=len(content), sha256=digest)
        with replacing(folder / listed[name].file) as part:
            part.write_bytes(content)
    file = ExportFile(
        precision=precision,
        parameters=manifest.parameters,
        difference=difference,
        config=manifest.config.model_dump(mode="json"),
        vocabulary=manifest.vocabulary.to_json(),
        metrics=None if manifest.metrics is None else manifest.metrics.to_json(),
        run=None if manifest.run is None else dict(manifest.run),
        temperature=None if manifest.temperature is None else manifest.temperature.to_json(),
        graphs=listed,
    )
    written = file.model_dump(mode="json")
    write_json(folder / EXPORT, written)
    described = replace(manifest, exported={"precision": precision, "difference": difference.model_dump()})
    write_copies(
        folder,
        {
            CONFIG: written["config"],
            VOCABULARY: written["vocabulary"],
            METRICS: written["metrics"],
            CARD: export_card(described),
        },
    )
    _remove_others(folder, {graph.file for graph in listed.values()})


def _remove_others(folder: Path, keep: set[str]) -> None:
    """Remove graphs of earlier exports: files that have the name of their own content, so nobody else made them."""
    for path in folder.iterdir():
        if is_graph(path.name) and path.name not in keep:
            with suppress(OSError):
                if sha256(path.read_bytes()).hexdigest()[:16] in path.name:
                    path.unlink()
    sync_folder(folder)


def _largest(config: ModelConfig, vocabulary: Vocabulary) -> int:
    """Bytes that no graph of this architecture exceeds."""
    architecture = config.architecture
    read, query = architecture.encoder.model_dump(), architecture.decoder.hidden
    hidden, embedding, layers = (int(read.get(name, 1)) + 2 for name in ("hidden", "embedding", "layers"))
    source, target, tags = len(vocabulary.source), len(vocabulary.target), len(vocabulary.tags)
    feature = query + 2 * hidden
    encoder = source * embedding + layers * 8 * hidden * (embedding + 4 * hidden) + 2 * hidden * (query + feature)
    encoder += (tags + 4 * query) * (architecture.tags.size + 1)
    step = 4 * query * (target + query) + feature * (query + target + 2)
    return 5 * max(encoder, step) + (1 << 20)
