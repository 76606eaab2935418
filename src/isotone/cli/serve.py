"""isotone serve."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from isotone.cli.options import Threads
from isotone.errors import ConfigError

__all__ = ["command"]


def command(
    model: Annotated[
        list[str],
        typer.Argument(metavar="MODEL…", help="Model folders, or names of models; NAME=FOLDER gives one a name."),
    ],
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 is every network.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, help="Processes, each with all models in its memory.")] = 1,
    token_file: Annotated[
        str | None, typer.Option(help="File with the token that clients must send; or set ISOTONE_TOKEN.")
    ] = None,
    max_items: Annotated[int, typer.Option(min=1, help="Words or pairs per request.")] = 1000,
    max_string: Annotated[int, typer.Option(min=1, help="Characters of a word.")] = 256,
    max_body: Annotated[int, typer.Option(min=1, help="Bytes of a request.")] = 1 << 20,
    max_queue: Annotated[int, typer.Option(min=1, help="Words or pairs that may wait.")] = 4096,
    max_batch: Annotated[int, typer.Option(min=1, help="Words or pairs decoded in one call; 1: no batching.")] = 256,
    window: Annotated[float, typer.Option(min=0, help="Milliseconds that a batch waits for company, under load.")] = 3,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds until a request is answered or refused.")] = 30,
    body_timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds that a client may take to send a request.")
    ] = 10,
    log_file: Annotated[str | None, typer.Option(help="File for the access log, in place of standard error.")] = None,
    threads: Threads = None,
) -> None:
    """Serve models over HTTP: a JSON API, and a page to try them."""
    folders = _folders(model)
    _check(folders)
    try:
        from isotone.server import Address, ServerSettings, serve
        from isotone.server.auth import read_token
    except ModuleNotFoundError as error:
        raise ConfigError(f"the server needs `pip install isotone[serve]` ({error.name} is missing)") from error
    settings = ServerSettings(
        token=read_token(token_file, os.environ.get("ISOTONE_TOKEN")),
        max_items=max_items,
        max_string=max_string,
        max_body=max_body,
        max_queue=max(max_queue, max_items),
        max_batch=max_batch,
        window=window / 1000,
        timeout=timeout,
        work_seconds=min(timeout, ServerSettings.work_seconds),
        body_seconds=body_timeout,
        log_file=log_file,
    )
    if log_file is not None:
        Path(log_file).open("a").close()  # a file that cannot be written is refused before models are loaded
    address = Address.bind(host, port)
    if not address.loopback and settings.token is None:
        sys.stderr.write(f"isotone: warning: anybody who can reach {host} may use this server; see --token-file\n")
    sys.stderr.write(f"isotone: serving {', '.join(folders)} at {address.url} (Ctrl-C ends it)\n")
    sys.stderr.flush()
    serve(folders, settings, address, workers=workers, threads=threads)


def _check(folders: dict[str, list[str]]) -> None:
    """Refuses folders that hold no model; reads no weights, so it takes no time."""
    from isotone.api import existing_folder

    paths = [existing_folder(path) for several in folders.values() for path in several]

    from isotone.api.describe import describe

    for path in paths:
        describe(path)


def _folders(given: list[str]) -> dict[str, list[str]]:
    """By name, the folders of each model; several with commas between them are a mixture."""
    folders: dict[str, list[str]] = {}
    for argument in given:
        name, equals, rest = argument.partition("=")
        if Path(argument).is_dir() or not equals:
            name, rest = "", argument
        paths = [rest] if Path(rest).is_dir() else rest.split(",")
        name = name or "+".join(Path(path).resolve().name for path in paths)
        if name in folders:
            raise ConfigError(f"two models are called {name}; write NAME=FOLDER")
        folders[name] = paths
    return folders
