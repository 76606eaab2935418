"""Ray: import it with good manners, and connect to a cluster or start one on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from isotone.errors import ConfigError

__all__ = ["connect", "connected", "import_ray"]

STORE = 100 * 2**20
"""Bytes of Ray's object store on this machine: what we hand out is small."""


def import_ray(needed: str, *, extra: str = "sweep", module: str = "ray") -> Any:
    """The module, or a ConfigError that names what needs it and the extra that brings it."""
    # No reports to its makers, no advice about GPUs; and workers as important as any other process: by default they
    # are so "nice" that on a busy machine they hardly run at all.
    for name in ("RAY_USAGE_STATS_ENABLED", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "RAY_worker_niceness"):
        os.environ.setdefault(name, "0")
    try:
        return import_module(module)
    except ImportError as error:
        raise ConfigError(f"{needed} needs Ray: pip install isotone[{extra}]") from error


@contextmanager
def connected(ray: Any, address: str | None, *, threads: int) -> Iterator[None]:
    """Connected to a cluster, or to Ray on this machine with at least that many cores, until the block ends."""
    connect(ray, address, cores=threads)
    try:
        yield
    finally:
        ray.shutdown()


def connect(ray: Any, address: str | None, *, cores: int) -> None:
    """To a cluster, or start Ray on this machine, with at least that many cores, until `ray.shutdown`."""
    quiet = {"log_to_driver": False, "logging_level": "error"}
    if address is None:
        count = max(os.cpu_count() or 1, cores)
        ray.init(address="local", num_cpus=count, object_store_memory=STORE, include_dashboard=False, **quiet)
        return
    try:
        ray.init(address=address, **quiet)
    except getattr(ray.exceptions, "AuthenticationError", ()) as error:  # Ray 2.52 and later
        reason = " ".join(str(error).split())
        raise ConfigError(f"--address {address}: the cluster refuses this token ({reason})") from error
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise ConfigError(f"--address {address}: no Ray cluster there ({error})") from error
