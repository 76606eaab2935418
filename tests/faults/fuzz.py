"""Random bytes for everything that reads files: the right answer, or one clear error of ours. Nothing else may come.

    python tests/faults/fuzz.py [readers|config|folder|server] [RUNS]

is the long run: with atheris, which looks for new paths through the code, if it is installed; else with random
changes. hypothesis runs the same checks in CI (test_fuzz.py). For the server, schemathesis makes requests from its
schema, RUNS for each operation at most (tests/server/test_schema.py does a few in CI). The last line says how many
inputs there were.
"""

import atexit
import json
import random
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from isotone.errors import ConfigError, DataError, ModelError  # noqa: E402
from isotone.files import parse_json  # noqa: E402
from isotone.text.readers import read  # noqa: E402
from isotone.text.readers.table import FORMATS  # noqa: E402
from isotone.training.request import Request  # noqa: E402

SEEDS = {
    "readers": [
        b"lemma\tform\tV;PST\n\n",
        b"WORD  W ER1 D\nWORD(2)  W AO R\n;;; comment\n",
        "\ufeffäß\tx y z\r\n".encode(),
        b'<?xml version="1.0"?><TransliterationCorpus><Name ID="1"><SourceName>a</SourceName>'
        b'<TargetName ID="1">b</TargetName></Name></TransliterationCorpus>',
    ],
    "config": [json.dumps(Request().to_json()).encode()],
    "folder": [b"\x00" * 8],
}


@cache
def _home():
    """A folder for the files under test, and a whole model to damage."""
    import tiny
    from isotone.store.folder import save_member

    memory = Path("/dev/shm")
    home = Path(tempfile.mkdtemp(prefix="isotone-fuzz-", dir=memory if memory.is_dir() else None))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    save_member(home / "whole", tiny.bundle(), run={"seed": 1})
    return home


def readers(data):
    """The first byte chooses the format and what to do with bad lines, the rest is the file."""
    choice = data[0] if data else 0
    name = list(FORMATS)[choice % len(FORMATS)]
    path = _home() / "input"
    path.write_bytes(data[1:])
    try:
        for example in read(path, name, skip_bad=bool(choice & 128), targets=bool(choice & 64)):
            assert isinstance(example.source, str)
    except DataError as error:
        assert "\n" not in str(error)


def config(data):
    """A training request, as --config reads it."""
    try:
        value = parse_json(data)
    except ValueError:
        return
    try:
        request = Request.from_json(value, place="x")
    except ConfigError:
        return
    assert Request.from_json(request.to_json(), place="x") == request


def folder(data):
    """A whole model with one file changed: where, how much is cut out there, and what comes in its place."""
    from isotone.store.describe import read_folder
    from isotone.store.folder import load_members

    whole, torn = _home() / "whole", _home() / "torn"
    names = sorted(path.name for path in whole.iterdir() if path.is_file())
    first = [*data[:5], 0, 0, 0, 0, 0]
    name, at, cut = names[first[0] % len(names)], first[1] * 256 + first[2], first[3]
    if not torn.exists():
        shutil.copytree(whole, torn)
    content = (whole / name).read_bytes()
    at %= len(content) + 1
    (torn / name).write_bytes(content[:at] + data[5:] + content[at + cut :])
    for load in (read_folder, load_members):
        try:
            load(torn)
        except ModelError as error:
            assert "\n" not in str(error)
    (torn / name).write_bytes(content)


def run_server(runs):
    """Requests to a server of its own; how many there were, none of them answered by a 5xx or outside the schema."""
    from server.running import serving
    from server.test_schema import schemathesis

    with serving("--max-items", 300, "--max-queue", 300, "--body-timeout", 2, "--timeout", 20) as server:
        with tempfile.TemporaryDirectory() as folder:
            done = schemathesis(server, folder, runs)
        answers = server.requests()
    assert done.returncode == 0, done.stdout + done.stderr
    assert not [line for line in answers if line["status"] >= 500]
    return len(answers)


TARGETS = {"readers": readers, "config": config, "folder": folder}


def change(seed, generator):
    """A seed with bytes replaced, inserted, doubled or cut."""
    data = bytearray(seed)
    for _ in range(generator.randint(1, 6)):
        at = generator.randint(0, len(data))
        kind = generator.randrange(4)
        if kind == 0:
            data[at : at + 1] = bytes([generator.randrange(256)])
        elif kind == 1:
            data[at:at] = generator.randbytes(generator.randint(1, 8))
        elif kind == 2:
            data[at:at] = data[at : at + generator.randint(1, 40)]
        else:
            del data[at : at + generator.randint(1, 20)]
    return bytes(data)


def run_random(target, runs):
    """Without atheris."""
    generator = random.Random(0)
    for number in range(runs):
        seed = generator.choice(SEEDS[target])
        start = generator.randbytes(1) + seed if target == "readers" else seed
        data = change(start, generator) if target != "folder" else generator.randbytes(generator.randint(0, 40))
        try:
            TARGETS[target](data)
        except BaseException:
            print(f"{target}: input {number}: {data!r}", file=sys.stderr)
            raise


def run_atheris(atheris, target, runs):
    """Guided by coverage; ends the process itself, after the number of runs or with the crash it found."""
    corpus = Path(tempfile.mkdtemp(prefix="isotone-corpus-"))
    for number, seed in enumerate(SEEDS[target]):
        for choice in range(len(FORMATS) if target == "readers" else 1):
            start = bytes([choice]) + seed if target == "readers" else seed
            (corpus / f"{number}-{choice}").write_bytes(start)
    settings = [
        f"-atheris_runs={runs}",
        "-max_len=4096",
        "-verbosity=0",
        "-print_final_stats=1",
        f"-artifact_prefix={corpus}/",
    ]
    atheris.Setup([sys.argv[0], *settings, str(corpus)], TARGETS[target])
    atheris.Fuzz()


def main(target, runs):
    if target == "server":
        print(f"server: {run_server(runs):,} requests made from its schema, no 5xx")
        return
    try:
        import atheris
    except ImportError:
        run_random(target, runs)
        print(f"{target}: {runs:,} inputs, random changes, no crash")
        return
    for name in sorted(name for name in sys.modules if name.startswith("isotone.")):
        for value in vars(sys.modules[name]).values():
            if callable(value) and getattr(value, "__module__", "") == name and hasattr(value, "__code__"):
                value.__code__ = atheris.instrument_func(value).__code__
    print(f"{target}: up to {runs:,} inputs with atheris", flush=True)
    run_atheris(atheris, target, runs)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "readers", int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
