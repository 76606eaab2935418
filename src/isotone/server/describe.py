"""What a server says about its models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isotone.api import Transducer

__all__ = ["describe_models"]


def describe_models(models: Mapping[str, Transducer]) -> list[dict[str, Any]]:
    """What `isotone info` prints of each, with its name and its tags; the first is the default.

    How it was trained is left out: that names files of the machine it was trained on.
    """
    return [_description(name, model, default=place == 0) for place, (name, model) in enumerate(models.items())]


def _description(name: str, model: Transducer, *, default: bool) -> dict[str, Any]:
    config, vocabulary = model.config, model.vocabulary
    sizes = [_parameters(member) for member in model.members]
    kinds = [member.config.architecture.aligner.name for member in model.members]
    return {
        "name": name,
        "default": default,
        "task": config.task,
        "model": config.architecture.aligner.name,
        "parameters": sum(sizes),
        "members": [
            {"model": kind, "parameters": size, "share": share}
            for kind, size, share in zip(kinds, sizes, model.weights, strict=True)
        ],
        "source_symbols": len(vocabulary.source.symbols),
        "target_symbols": len(vocabulary.target.symbols),
        "tags": list(vocabulary.tags),
        "architecture": config.architecture.model_dump(mode="json"),
        "source_text": config.text.source.model_dump(mode="json"),
        "target_text": config.text.target.model_dump(mode="json"),
    }


def _parameters(member: Any) -> int:
    """Exported models have no network to count, but know the number."""
    count: int = member.network.parameter_count() if hasattr(member, "network") else member.parameters
    return count
