"""The models that `bench runtime` measures: trained for a minute or two, exported in fp32 and int8, and kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import isotone
from bench.german import SHARED, german
from bench.peers_phonetisaurus import Split, g2p_split, train_ours
from bench.trained import Lines, trained
from bench.workload import CACHE
from isotone.models.config import Size
from isotone.text.example import Example
from isotone.text.readers import read

RATES: dict[Size, float | None] = {"tiny": 0.005, "small": None}
ENGINES = ("torch fp32", "ONNX fp32", "ONNX int8")


@dataclass(frozen=True)
class Case:
    """One trained model and the pairs it is asked about."""

    name: str
    folders: dict[str, Path]
    """By engine."""
    pairs: Sequence[Example]


def cases(*, quick: bool) -> list[Case]:
    """The paper's size on German inflection, `small` and `tiny` on Hungarian G2P, `small` on Arabic names."""
    data = german()
    paper, _ = trained(data, "paper", quick=quick)
    found = [_case("paper, German inflection", paper, data.dev[: 20 if quick else 1000])]
    split = g2p_split(quick=quick)
    sizes: tuple[Size, ...] = ("tiny",) if quick else ("small", "tiny")
    found += [_case(f"{size}, {split.name}", _hungarian(split, size, quick=quick), split.test) for size in sizes]
    names = SHARED / "transliteration" / "ar2en"
    if not quick and (files := _parts(names)):
        found.append(_case("small, ar2en transliteration", _arabic(files), list(read(files["dev"], "pairs"))[:1000]))
    return found


def _case(name: str, folder: Path, pairs: Sequence[Example]) -> Case:
    folders = {"torch fp32": folder}
    for int8 in (False, True):
        engine = f"ONNX {'int8' if int8 else 'fp32'}"
        folders[engine] = folder.with_name(f"{folder.name}-{'int8' if int8 else 'fp32'}")
        isotone.load(folder).export(folders[engine], int8=int8, overwrite=True)
    return Case(name, folders, pairs)


def _hungarian(split: Split, size: Size, *, quick: bool) -> Path:
    folder = CACHE / f"hun-{size}{'-quick' if quick else ''}"
    if not (folder / "model.safetensors").is_file():
        print(f"{size}: training on {split.name}", flush=True)
        train_ours(split, size, folder, epochs=1 if quick else None, rate=RATES[size])
    return folder


def _arabic(files: dict[str, Path]) -> Path:
    folder = CACHE / "ar2en-small"
    if not (folder / "model.safetensors").is_file():
        print("small: training on ar2en", flush=True)
        train, dev = (list(read(files[part], "pairs")) for part in ("train", "dev"))
        isotone.train(
            train=train[:6000],
            dev=dev[:200],
            out=folder,
            task="transliteration",
            model="0-mono",
            recipe="small",
            epochs=8,
            callbacks=[Lines()],
        )
    return folder


def _parts(folder: Path) -> dict[str, Path]:
    """The training and the dev pairs of a folder; nothing where one is missing."""
    found = {part: folder / f"ar2en-{name}.txt" for part, name in (("train", "train"), ("dev", "eval"))}
    return found if all(path.is_file() for path in found.values()) else {}
