"""`python -m bench [NAME…] [--quick]`: run the named benches, or all of them; `--list` says what there is."""

from __future__ import annotations

import argparse
import importlib
from types import ModuleType

from bench import BENCHES
from bench.report import save, show


def main() -> None:
    """Read the command line and run what it names, one bench after the other."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Run nothing else on the machine meanwhile.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(BENCHES)}; all of them by default")
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run? The times mean nothing")
    parser.add_argument("--list", action="store_true", help="name the benches and stop")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.names if name not in BENCHES]:
        parser.error(f"no bench {unknown[0]!r}; there are {', '.join(BENCHES)}")
    for name in arguments.names or BENCHES:
        bench = _load(name)
        if arguments.list:
            print(f"{name:16} {(bench.__doc__ or '').splitlines()[0]}")
            continue
        result = bench.run(quick=arguments.quick)
        show(result)
        print(f"written to {save(name, result, quick=arguments.quick)}")


def _load(name: str) -> ModuleType:
    return importlib.import_module(BENCHES[name])


if __name__ == "__main__":
    main()
