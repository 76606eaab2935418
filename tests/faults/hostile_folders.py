"""A program of its own: loads hostile folders with little memory, and says what came of each as a line of JSON."""

import json
import os
import resource
import sys
import time
from pathlib import Path

import torch  # noqa: F401

from isotone.errors import ModelError
from isotone.store.describe import read_folder
from isotone.store.folder import load_members

MEMORY = 500 << 20
"""Bytes beyond what the interpreter and torch take."""


def main(folders):
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    for folder in map(Path, folders):
        started = time.process_time()
        said = []
        for read in (read_folder, load_members):
            try:
                read(folder)
                said.append(None)
            except ModelError as error:
                said.append(str(error))
            except BaseException as error:
                said.append(f"{type(error).__name__}: {error}")
        print(json.dumps({"name": folder.name, "said": said, "seconds": time.process_time() - started}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
