"""The paper's own code as a witness: with its weights, every model gives its log-likelihoods."""

import json
from pathlib import Path

import pytest
import torch

import tiny
from isotone.data import Batch, collate
from isotone.models import Network
from isotone.text.codec import Encoded
from isotone.text.vocabulary import BOS, EOS

# theirs: 0 PAD, 1 BOS, 2 EOS, 3 UNK, 4… letters; ours: 0 PAD, 1 BOS, 2 UNK, 3 EOS, 4… letters
ORDER = [0, 1, 3, 2, 4, 5, 6, 7, 8]


def translated(weights, aligner, hidden):
    """Their parameter names and orders → ours."""
    ours = {
        "encoder.embedding.weight": weights["src_embed.weight"][ORDER],
        "decoder.embedding.weight": weights["trg_embed.weight"][ORDER],
        "aligner.key.weight": weights["scale_enc_hs.weight"],
        "aligner.key.bias": weights["scale_enc_hs.bias"],
        "emission.query.bias": weights["linear_out.bias"],
        "emission.output.weight": weights["final_out.weight"][ORDER][EOS:],
        "emission.output.bias": weights["final_out.bias"][ORDER][EOS:],
    }
    for layer in (0, 1):
        for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            ours[f"encoder.forwards.{layer}.{kind}_l0"] = weights[f"enc_rnn.{kind}_l{layer}"]
            ours[f"encoder.backwards.{layer}.{kind}_l0"] = weights[f"enc_rnn.{kind}_l{layer}_reverse"]
            ours[f"decoder.lstm.{kind}_l0"] = weights[f"dec_rnn.layers.0.{kind}"]
    v = weights["linear_out.weight"]
    if aligner == "soft":  # [context ; h_d]
        ours["emission.memory.weight"], ours["emission.query.weight"] = v[:, : 2 * hidden], v[:, 2 * hidden :]
    else:  # [h_d ; h_e]
        ours["emission.query.weight"], ours["emission.memory.weight"] = v[:, :hidden], v[:, hidden:]
    if aligner.startswith("1"):
        rows = slice(4, None) if aligner == "1-mono" else slice(None)
        ours["aligner.jump.weight"], ours["aligner.jump.bias"] = (
            weights["trans.weight"][rows],
            weights["trans.bias"][rows],
        )
    return ours


@pytest.fixture(scope="module")
def golden():
    return json.loads((Path(__file__).parents[1] / "golden" / "paper_code.json").read_text(encoding="utf-8"))


def encoded(pair):
    return Encoded((BOS, *pair["source"], EOS), (*pair["target"], EOS), (), (), ())


@pytest.mark.parametrize("aligner", ["soft", "0-hard", "0-mono", "1-mono", "1-hard"])
def test_the_authors_log_likelihoods(golden, aligner):
    entry = golden["models"][aligner]
    weights = {name: torch.tensor(value, dtype=torch.float64) for name, value in entry["weights"].items()}
    architecture = tiny.architecture(aligner, embedding=6, hidden=5, encoder_layers=2, width=4)
    network = Network.build(architecture, tiny.vocabulary("abcde", "abcde")).double().eval()
    network.load_state_dict(translated(weights, aligner, hidden=5))
    batch: Batch = collate([encoded(pair) for pair in golden["pairs"]], 0)
    found = network.log_prob(batch).tolist()
    assert found == pytest.approx(entry["log_likelihood"], abs=1e-5)
