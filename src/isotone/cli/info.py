"""isotone info."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Annotated

import typer

from isotone.cli.options import Json

__all__ = ["command"]


def command(
    model: Annotated[Path, typer.Argument(help="Model folder, or the name of a model that comes with Isotone.")],
    json: Json = False,
) -> None:
    """What a model folder holds."""
    from isotone.api.load import existing_folder

    folder = existing_folder(model)  # before the imports that reading a folder takes

    from isotone.api.describe import describe
    from isotone.cli.output import out_console, table
    from isotone.results import json_line

    facts = describe(folder)
    if json:
        sys.stdout.write(json_line(facts))
        return
    rows = [[name, value if isinstance(value, str) else json_module.dumps(value)] for name, value in facts.items()]
    if console := out_console():
        console.print(table(str(model), ["", "value"], rows))
    else:
        sys.stdout.writelines("\t".join(row) + "\n" for row in rows)
