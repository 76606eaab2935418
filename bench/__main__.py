"""`python -m bench [NAME…] [--quick]`: run the named benches, or all of them; `report` writes docs/speed.md."""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
from time import monotonic
from types import ModuleType

from bench import BENCHES
from bench.report import save, show


def main() -> None:
    """Read the command line and run what it names, one bench after the other."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Run nothing else on the machine meanwhile.")
    names = f"one of {', '.join(BENCHES)}; all of them by default; or `report`, which writes docs/speed.md"
    parser.add_argument("names", nargs="*", metavar="NAME", help=names)
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run? The times mean nothing")
    parser.add_argument("--against", metavar="FOLDER", help="for before-after: an older checkout of this repository")
    parser.add_argument("--list", action="store_true", help="name the benches and stop")
    arguments = parser.parse_args()
    if arguments.names == ["report"]:
        from bench.write_docs import write

        print(f"written to {write(quick=arguments.quick)}")
        return
    if unknown := [name for name in arguments.names if name not in BENCHES]:
        parser.error(f"no bench {unknown[0]!r}; there are {', '.join(BENCHES)}")
    chosen = arguments.names or list(BENCHES)
    if arguments.list:
        for name in chosen:
            print(f"{name:20} {(_load(name).__doc__ or '').splitlines()[0]}")
    elif len(chosen) == 1:
        _run(chosen[0], quick=arguments.quick, against=arguments.against)
    else:
        sys.exit(_run_each(chosen, quick=arguments.quick))


def _run(name: str, *, quick: bool, against: str | None = None) -> None:
    options = {"against": against} if name == "before-after" else {}
    result = _load(name).run(quick=quick, **options)
    show(result)
    print(f"written to {save(name, result, quick=quick)}")


def _run_each(names: list[str], *, quick: bool) -> int:
    """Each in a process of its own: no threads, caches or memory left over from the one before."""
    failed = []
    for name in names:
        print(f"\n== {name}", flush=True)
        started = monotonic()
        command = [sys.executable, "-m", "bench", name, *(["--quick"] if quick else [])]
        if subprocess.run(command).returncode:
            failed.append(name)
        print(f"== {name}: {monotonic() - started:.0f} s", flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return len(failed) and 1


def _load(name: str) -> ModuleType:
    return importlib.import_module(BENCHES[name])


if __name__ == "__main__":
    main()
