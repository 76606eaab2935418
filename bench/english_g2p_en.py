"""Runs inside g2p_en's own environment: words from stdin, phones and seconds as JSON. nltk's data is not needed."""

import json
import sys
from time import perf_counter
from types import SimpleNamespace

import nltk

nltk.download = lambda *_: None  # asks the network for a tagger that single words do not need

from g2p_en import g2p  # noqa: E402

g2p.cmudict = SimpleNamespace(dict=dict)  # no look-up: the network must answer
model = g2p.G2p()
words = sys.stdin.read().split("\n")
start = perf_counter()
phones = [[phone for phone in model.predict(word) if phone.strip()] for word in words]
seconds = perf_counter() - start
megabytes = sum(array.nbytes for array in (model.variables[name] for name in model.variables.files)) / 1e6
json.dump({"phones": phones, "seconds": seconds, "megabytes": megabytes}, sys.stdout)
