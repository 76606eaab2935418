"""Benchmarks, each a command that prints a ratio: `python -m bench`."""

BENCHES = {
    "dp-scaling": "bench.dp_scaling",
    "train-speed": "bench.train_speed",
    "decode-speed": "bench.decode_speed",
    "before-after": "bench.before_after",
    "runtime": "bench.runtime",
    "memory": "bench.memory",
    "profile": "bench.profile",
    "conversions": "bench.conversions",
    "scaling": "bench.scaling",
    "devices": "bench.devices",
    "bulk": "bench.bulk",
    "long-run": "bench.long_run",
    "crashes": "bench.crashes",
    "cluster": "bench.cluster",
    "sizes": "bench.sizes",
    "start-up": "bench.start_up",
    "threads": "bench.threads",
    "install-size": "bench.install_size",
    "recipes": "bench.recipes",
    "operations": "bench.operations",
    "serve": "bench.serve",
    "audit": "bench.audit",
    "peers-yoyodyne": "bench.peers_yoyodyne",
    "peers-phonetisaurus": "bench.peers_phonetisaurus",
    "english": "bench.english",
    "selection": "bench.selection",
}
"""Every bench by name: a module with `run(quick: bool) -> Result` and a docstring whose first line says what it is."""

RELIABILITY = {"devices", "bulk", "long-run", "crashes", "cluster"}
"""Those whose figures stand in docs/reliability.md, not in docs/speed.md."""
