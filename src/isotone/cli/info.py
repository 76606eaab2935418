"""isotone info."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from isotone.cli.options import Json
from isotone.errors import ModelError

__all__ = ["command"]


def command(
    model: Annotated[Path, typer.Argument(help="Model folder.")],
    json: Json = False,
) -> None:
    """What a model folder holds."""
    from isotone.api import existing_folder

    existing_folder(model)  # before torch is imported

    from isotone.cli.output import out_console, table
    from isotone.results import json_line
    from isotone.store.folder import load_member
    from isotone.store.mixture import members

    parts = members(model)
    bundle = load_member(parts[0][0])
    architecture = bundle.config.architecture
    facts: dict[str, Any] = {
        **({"members": {folder.name: weight for folder, weight in parts}} if len(parts) > 1 else {}),
        "task": bundle.config.task,
        "model": architecture.aligner,
        "parameters": bundle.network.parameter_count(),
        "source_symbols": len(bundle.vocabulary.source.symbols),
        "target_symbols": len(bundle.vocabulary.target.symbols),
        "tags": len(bundle.vocabulary.tags),
        **architecture.model_dump(exclude={"aligner"}),
        "source_text": bundle.config.text.source.model_dump(),
        "target_text": bundle.config.text.target.model_dump(),
        "data_format": bundle.config.data_format.name if bundle.config.data_format else None,
    }
    metrics = model / "metrics.json"
    if metrics.is_file():
        try:
            facts["training"] = json_module.loads(metrics.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ModelError(f"{metrics}: not readable as JSON ({error})") from error
    if json:
        sys.stdout.write(json_line(facts))
        return
    rows = [[name, value if isinstance(value, str) else json_module.dumps(value)] for name, value in facts.items()]
    if console := out_console():
        console.print(table(str(model), ["", "value"], rows))
    else:
        sys.stdout.writelines("\t".join(row) + "\n" for row in rows)
