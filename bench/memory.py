"""Peak resident memory of training steps at the paper's sizes, each in a process of its own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from time import perf_counter

from bench.report import Result

LIMIT = 1.5
"""GB for 16 pairs of 200 + 200 symbols."""
TIMEOUT = 240.0

Row = tuple[str | int | float, ...]


def probe(kind: str, batch: int, length: int) -> dict[str, float]:
    """Two steps in this process (one, where it takes long); GB before them and at the peak, seconds of the last."""
    from bench.german import german
    from bench.twin import PlainTwin
    from bench.workload import Trainer, all_cores, prepare, synthetic

    all_cores()
    bundle, _ = prepare(german().high, aligner="1-mono" if kind == "1-mono" else "0-mono")
    trainer = Trainer(PlainTwin(bundle.network) if kind == "dense" else bundle.network)
    pairs = synthetic(bundle.vocabulary, batch=batch, length=length)
    before = _peak()
    for _ in range(1 if batch * length >= 4000 else 2):
        start = perf_counter()
        loss = trainer.step(pairs)
    return {"before": before, "peak": _peak(), "seconds": perf_counter() - start, "loss": loss}


def _peak() -> float:
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes / (1e9 if sys.platform == "darwin" else 1e6 / 1.024)


def _measure(kind: str, batch: int, length: int) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.memory", kind, str(batch), str(length)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=TIMEOUT, cwd=Path(__file__).parents[1]
    )
    values: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return values


def run(quick: bool) -> Result:
    """Long pairs, longer pairs, and fused against plain."""
    cases = [("0-mono", 16, 200), ("1-mono", 16, 200), ("0-mono", 1, 1000), ("0-mono", 4, 1000)]
    cases += [(kind, 16, length) for length in (25, 50, 100) for kind in ("0-mono", "dense")]
    if quick:
        cases = [("0-mono", 2, 20), ("1-mono", 2, 20), ("dense", 2, 20)]
    rows: list[Row] = []
    peaks: dict[tuple[str, int, int], float] = {}
    for kind, batch, length in cases:
        name = "plain twin (0-mono)" if kind == "dense" else kind
        try:
            found = _measure(kind, batch, length)
        except subprocess.SubprocessError as error:
            print((getattr(error, "stderr", "") or str(error))[-1000:], file=sys.stderr)
            rows.append((name, batch, length, "failed", "", ""))
            continue
        peaks[kind, batch, length] = found["peak"]
        rows.append((name, batch, length, found["before"], found["peak"], found["seconds"]))
        print(f"memory {name}, {batch} × {length}: {found['peak']:.2f} GB", flush=True)
    headline = {
        f"{kind}, {batch} pairs of {length} + {length}: peak GB": peak
        for (kind, batch, length), peak in peaks.items()
        if kind != "dense" and length >= 200
    }
    for kind, batch, length in peaks:
        if kind == "dense":
            headline[f"plain twin / fused, {batch} × {length}"] = (
                peaks[kind, batch, length] / peaks["0-mono", batch, length]
            )
    return Result(
        title="Peak resident memory of a training step, the paper's sizes",
        columns=("model", "batch", "length of source and target", "GB before", "GB at the peak", "seconds a step"),
        rows=tuple(rows),
        headline=headline,
        notes=(
            f"the limit we set ourselves: {LIMIT} GB for 16 pairs of 200 + 200 symbols",
            "the whole process, Python, torch and the model included: `ru_maxrss` of a fresh process after two steps "
            "(one for 4 × 1000) "
            "on random strings; GB = 10⁹ bytes",
            "before: with data, model and optimiser made; Adam's moments (70 MB) come with the first step",
        ),
    )


if __name__ == "__main__":
    print(json.dumps(probe(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
