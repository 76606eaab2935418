"""`python -m bench.licences [EXTRA…]`: every package that Isotone brings along, its version and its licence."""

from __future__ import annotations

import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement


def closure(name: str, extras: set[str]) -> dict[str, Distribution]:
    """The package and everything it requires here, by name."""
    found: dict[str, Distribution] = {}
    waiting = [(name, extras)]
    while waiting:
        wanted, chosen = waiting.pop()
        key = wanted.lower().replace("_", "-")
        try:
            package = distribution(wanted)
        except PackageNotFoundError:
            continue  # for another system
        if key in found and not chosen:
            continue
        found[key] = package
        for line in package.requires or []:
            requirement = Requirement(line)
            environments = [{"extra": extra} for extra in (chosen or {""})]
            marker, new = requirement.marker, requirement.name.lower().replace("_", "-") not in found
            if new and (marker is None or any(marker.evaluate(place) for place in environments)):
                waiting.append((requirement.name, set(requirement.extras)))
    return found


def licence(package: Distribution) -> str:
    """As the package states it: the SPDX expression, else the classifier, else the first line of free text."""
    said = package.metadata
    if expression := said.get("License-Expression"):
        return expression
    classifiers = [line for line in said.get_all("Classifier") or [] if line.startswith("License ::")]
    if classifiers:
        return "; ".join(line.rpartition(" :: ")[2] for line in classifiers)
    return (said.get("License") or "not stated").splitlines()[0][:60]


def main() -> None:
    """One line per package."""
    packages = closure("isotone", set(sys.argv[1:]))
    for name, package in sorted(packages.items()):
        print(f"{name}\t{package.version}\t{licence(package)}")


if __name__ == "__main__":
    main()
