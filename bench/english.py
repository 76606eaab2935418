"""The model in the package, `en-us`, against g2p_en and Phonetisaurus on its own held-out words: WER, PER, words/s."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from zoo.made import whole_dictionary

import isotone
from bench.peers_phonetisaurus import Row, Split, Symbols, phonetisaurus, rates
from bench.peers_setup import UnavailableError, peer
from bench.report import Result
from bench.timing import once
from isotone.api.threads import set_threads
from isotone.store.shipped import SHIPPED

VERSION = "g2p_en==2.1.0"
COLUMNS = ("system", "WER %", "PER", "words/s", "MB", "trained on")
DRIVER = Path(__file__).parent / "english_g2p_en.py"
HOUR = 3600


def held_out(*, quick: bool) -> Split:
    """The words that `en-us` has never seen, those of plain letters, which is all that g2p_en can read."""
    pairs = whole_dictionary()
    train, dev, test = (
        [example for example in part if example.source.isalpha()] for part in (pairs.train, pairs.dev, pairs.test)
    )
    sizes = (2000, 20, 20) if quick else (None, None, None)
    return Split("CMUdict with stress", *(part[:size] for part, size in zip((train, dev, test), sizes, strict=True)))


def _ours(split: Split, *, decode: str) -> Row:
    model = isotone.load("en-us")
    words = list(split.references)
    answers = zip(words, model(words, decode=decode), strict=True)
    written = {word: prediction.best.symbols for word, prediction in answers}
    seconds = sorted(once(lambda: model(words, decode=decode)) for _ in range(5))[2]
    megabytes = sum(path.stat().st_size for path in (SHIPPED / "en-us").glob("*.onnx")) / 1e6
    return (f"Isotone en-us, {decode}", *rates(written, split), len(words) / seconds, megabytes, "all but the held-out")


def _g2p_en(split: Split) -> Row:
    """The network of g2p_en alone: its dictionary has the held-out words in it."""
    python = str(peer("g2p_en", VERSION) / "python")
    words = list(split.references)
    try:
        done = subprocess.run(
            [python, str(DRIVER)], input="\n".join(words), capture_output=True, text=True, check=True, timeout=HOUR
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UnavailableError(str(getattr(error, "stderr", "") or error)[-300:]) from error
    answer = json.loads(done.stdout)
    written: dict[str, Symbols] = {word: tuple(phones) for word, phones in zip(words, answer["phones"], strict=True)}
    row = (len(words) / answer["seconds"], answer["megabytes"], "CMUdict, perhaps with these words")
    return ("g2p_en, network alone", *rates(written, split), *row)


def run(quick: bool) -> Result:
    """All systems on the same words, one thread each."""
    set_threads(1)
    split = held_out(quick=quick)
    rows = [_ours(split, decode=decode) for decode in ("exact", "greedy")]
    notes = []
    try:
        rows.append(_g2p_en(split))
    except UnavailableError as error:
        notes.append(f"{VERSION} cannot be had here: {error}")
    try:
        name, _, wer, per, speed, _, megabytes = phonetisaurus(split, name="phonetisaurus-english", timeout=2 * HOUR)
        rows.append((name, wer, per, speed, megabytes, "all but the held-out"))
    except UnavailableError as error:
        notes.append(f"Phonetisaurus cannot be had here: {error}")
    return Result(
        title=f"English with stress: {len(split.references):,} held-out words of plain letters, one thread",
        columns=COLUMNS,
        rows=tuple(rows),
        headline={f"{row[0]}: WER minus ours": float(row[1]) - float(rows[0][1]) for row in rows[2:]}
        | {f"our words/s, exact, against {row[0]}": float(rows[0][3]) / float(row[3]) for row in rows[2:]},
        notes=(
            *notes,
            "a word counts once, against the nearest of its entries; words/s after start-up, all words in one call",
            "g2p_en looks words up in CMUdict and uses its network for the others; here every word goes to the network",
        ),
    )
