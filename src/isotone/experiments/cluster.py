"""Ray: on this machine, for as long as the work lasts, or a cluster that runs already."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from isotone.errors import ConfigError

__all__ = ["connected", "import_ray"]

STORE = 100 * 2**20
"""Bytes of Ray's object store on this machine: tasks exchange next to nothing."""


def import_ray(purpose: str) -> Any:
    """The package; ConfigError, which names the purpose, where it is not installed."""
    # No reports to its makers, no advice about GPUs; and workers as important as any other process: by default they
    # are so "nice" that on a busy machine they hardly run at all.
    for name in ("RAY_USAGE_STATS_ENABLED", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "RAY_worker_niceness"):
        os.environ.setdefault(name, "0")
    try:
        return import_module("ray")
    except ImportError as error:
        raise ConfigError(f"{purpose} needs Ray: pip install isotone[sweep]") from error


@contextmanager
def connected(ray: Any, address: str | None, *, threads: int) -> Iterator[None]:
    """Connected to a cluster, or to Ray on this machine with at least that many cores, until the block ends."""
    quiet = {"log_to_driver": False, "logging_level": "error"}
    if address is None:
        cores = max(os.cpu_count() or 1, threads)
        ray.init(address="local", num_cpus=cores, object_store_memory=STORE, include_dashboard=False, **quiet)
    else:
        try:
            ray.init(address=address, **quiet)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise ConfigError(f"--address {address}: no Ray cluster there ({error})") from error
    try:
        yield
    finally:
        ray.shutdown()
