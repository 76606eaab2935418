"""isotone info."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from isotone.cli.options import Json

__all__ = ["command"]


def command(
    model: Annotated[Path, typer.Argument(help="Model folder.")],
    json: Json = False,
) -> None:
    """What a model folder holds."""
    from isotone.cli.output import json_line, out_console, table

    facts = _facts(model)
    if json:
        sys.stdout.write(json_line(facts))
        return
    rows = [[name, value if isinstance(value, str) else json_module.dumps(value)] for name, value in facts.items()]
    if console := out_console():
        console.print(table(str(model), ["", "value"], rows))
    else:
        sys.stdout.writelines("\t".join(row) + "\n" for row in rows)


def _facts(path: Path) -> dict[str, Any]:
    """Read without torch, so it takes no time; the weights themselves are not looked at."""
    from isotone.store.describe import read_folder
    from isotone.store.manifest import check_copies

    folder = read_folder(path)
    for member, _ in folder.members:
        check_copies(member)
    config, vocabulary = folder.config, folder.vocabulary
    return {
        **({"members": {member.name: share for member, share in folder.members}} if folder.is_mixture else {}),
        "task": config.task,
        "model": config.architecture.aligner.name,
        "parameters": folder.parameters,
        "source_symbols": len(vocabulary.source.symbols),
        "target_symbols": len(vocabulary.target.symbols),
        "tags": len(vocabulary.tags),
        "architecture": config.architecture.model_dump(),
        "source_text": config.text.source.model_dump(),
        "target_text": config.text.target.model_dump(),
        "data_format": config.data_format.name if config.data_format else None,
        **({"training": folder.metrics.to_json()} if folder.metrics else {}),
        **({"run": dict(folder.run)} if folder.run is not None else {}),
    }
