"""Loads models and serves them: in this process, or in several that a supervisor starts again when they die."""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isotone.errors import ConfigError, IsotoneError, ModelError
from isotone.server.log import log_config
from isotone.server.settings import ServerSettings

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import Receive, Scope, Send

__all__ = ["Address", "serve"]

HEALTH_SECONDS = 20
"""A worker that is silent for so long is replaced; importing torch on a busy machine makes it silent for a while."""


PRIMITIVES = ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "16")
"""oneDNN, which multiplies for torch, keeps something for each of the last 1024 shapes of its inputs. The shapes of
batches hardly ever come again: memory grew by 9 MB in 20 s of load. With 16 it stays; CPU time per request was 3.4
against 3.3 ms, within the noise of a busy machine."""


@dataclass(frozen=True)
class Address:
    """A listening socket, bound before models are loaded, so that a port in use is refused at once."""

    socket: socket.socket
    host: str
    port: int

    @classmethod
    def bind(cls, host: str, port: int) -> Address:
        """Port 0 takes any free one."""
        try:
            family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ConfigError(f"cannot listen on {host}: {reason}") from error
        # With its protocol, or asyncio leaves Nagle's algorithm on, and answers wait 40 ms for an acknowledgement.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
        except OSError as error:
            listening.close()
            raise ConfigError(f"cannot listen on {host} port {port}: {error.strerror}") from error
        listening.set_inheritable(True)
        return cls(listening, host, listening.getsockname()[1])

    @property
    def url(self) -> str:
        """Where browsers find the studio."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Can only this machine reach it?"""
        address = str(self.socket.getsockname()[0])
        return address.startswith("127.") or address == "::1"


def serve(
    folders: Mapping[str, Sequence[str]],
    settings: ServerSettings,
    address: Address,
    *,
    workers: int = 1,
    threads: int | None = None,
) -> None:
    """Serve the models in these folders (several are a mixture) until a signal ends it."""
    os.environ.setdefault(*PRIMITIVES)  # read when torch is loaded, which is later

    import uvicorn

    from isotone.server.protocol import PatientProtocol

    factory = _Factory(tuple((name, tuple(paths)) for name, paths in folders.items()), settings, threads)
    config = uvicorn.Config(
        factory,
        factory=True,
        workers=workers,
        http=PatientProtocol,
        ws="none",
        lifespan="on",
        log_config=log_config(settings.log_file),
        access_log=False,
        server_header=False,
        timeout_keep_alive=max(1, round(settings.body_seconds)),
        timeout_worker_healthcheck=HEALTH_SECONDS,
    )
    if workers == 1:
        config.app = factory.load()
        uvicorn.Server(config).run([address.socket])
        return
    _supervise(config, address)


def _supervise(config: uvicorn.Config, address: Address) -> None:
    from uvicorn.config import STARTUP_FAILURE
    from uvicorn.supervisors import Multiprocess

    from isotone.server.metrics import SHARED

    with tempfile.TemporaryDirectory(prefix="isotone-metrics-") as folder:
        os.environ[SHARED] = folder
        supervisor = Multiprocess(config, [address.socket])
        try:
            supervisor.run()
        finally:
            del os.environ[SHARED]
    if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
        raise ModelError("the server could not start; the log says why")


@dataclass(frozen=True)
class _Factory:
    """Makes the application in a worker; uvicorn hands it to each."""

    folders: tuple[tuple[str, tuple[str, ...]], ...]
    settings: ServerSettings
    threads: int | None

    def load(self) -> Any:
        """A factory of the application, with its models loaded now."""
        from isotone.api import load
        from isotone.api.threads import set_threads
        from isotone.server.app import create_app

        set_threads(self.threads)
        models = {name: load(*paths) for name, paths in self.folders}
        app = create_app(models, self.settings)
        return lambda: app

    def __call__(self) -> Any:
        try:
            return self.load()()
        except IsotoneError as error:
            return _Refusal(str(error))


@dataclass(frozen=True)
class _Refusal:
    """An application that does not start: uvicorn then ends all workers, where an exception would start new ones."""

    message: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(1)  # a worker that dies while the supervisor asks after it costs HEALTH_SECONDS
        await send({"type": "lifespan.startup.failed", "message": self.message})
