"""Benchmarks, each a command that prints a ratio: `python -m bench`."""

BENCHES = {
    "dp-scaling": "bench.dp_scaling",
}
"""Every bench by name: a module with `run(quick: bool) -> Result` and a docstring whose first line says what it is."""
