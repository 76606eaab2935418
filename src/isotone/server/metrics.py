"""What Prometheus reads at /metrics.

With several workers prometheus-client's multiprocess mode adds them up: every worker writes its values to files in
`PROMETHEUS_MULTIPROC_DIR`, and whichever of them is asked reads them all.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.process_collector import ProcessCollector

if TYPE_CHECKING:
    from isotone.api import Transducer

__all__ = ["SHARED", "Metrics"]

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable that names the folder of several workers; prometheus-client reads it when imported."""

SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Metrics:
    """The metrics of one server process."""

    def __init__(self, models: Mapping[str, Transducer]) -> None:
        """In a registry of its own, so that two servers in one process do not meet."""
        self._registry = registry = CollectorRegistry()
        self._shared = os.environ.get(SHARED)
        self.requests = Counter(
            "isotone_requests", "Requests answered.", ["method", "path", "status"], registry=registry
        )
        self.seconds = Histogram(
            "isotone_request_seconds", "From the head of a request to its answer.", ["path"],
            buckets=SECONDS, registry=registry,
        )  # fmt: skip
        self.batch_size = Histogram(
            "isotone_batch_size", "Words or pairs decoded in one call of a model.", buckets=SIZES, registry=registry
        )
        self.queue_depth = Gauge(
            "isotone_queue_depth", "Words or pairs that wait or are being decoded.",
            multiprocess_mode="livesum", registry=registry,
        )  # fmt: skip
        self.in_flight = Gauge(
            "isotone_requests_in_flight", "Requests begun and not yet answered.",
            multiprocess_mode="livesum", registry=registry,
        )  # fmt: skip
        info = Gauge(
            "isotone_model_info", "1 for each model that is served.", ["model", "task", "aligner"],
            multiprocess_mode="livemax", registry=registry,
        )  # fmt: skip
        for name, model in models.items():
            info.labels(name, model.config.task, model.config.architecture.aligner.name).set(1)
        if self._shared is None:
            ProcessCollector(registry=registry)

    def text(self) -> bytes:
        """In Prometheus' text format, summed over all workers."""
        if self._shared is None:
            return generate_latest(self._registry)
        _forget_dead_workers(Path(self._shared))
        registry = CollectorRegistry()
        MultiProcessCollector(registry, self._shared)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


def _forget_dead_workers(folder: Path) -> None:
    """Remove the gauges of workers that are no longer there, as one that was killed; what they counted stays."""
    for file in folder.glob("gauge_live*_*.db"):
        worker = int(file.stem.rpartition("_")[2])
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            file.unlink(missing_ok=True)
        except PermissionError:  # the number belongs to another user's process by now
            file.unlink(missing_ok=True)
