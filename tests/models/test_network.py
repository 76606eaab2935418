"""Sizes, number formats, and the encoder's indifference to padding."""

import pytest
import torch

import tiny
from isotone.models import ALIGNERS, Architecture, Network, decoder
from isotone.models.encoders.lstm import LSTMEncoder
from isotone.text.example import Example
from isotone.text.vocabulary import EOS, FIRST, Vocabulary


def count(aligner, vocabulary):
    return Network.build(Architecture(aligner=aligner), vocabulary).parameter_count()


def test_soft_hard_and_mono_have_the_same_number_of_parameters():
    sizes = {name: count(name, tiny.vocabulary(tags=("N",))) for name in ALIGNERS}
    assert sizes["soft"] == sizes["0-hard"] == sizes["0-mono"] == sizes["emit-mono"] == sizes["pipeline-mono"]
    assert sizes["1-mono"] - sizes["0-mono"] == (4 + 1) * (2 * 400 + 1)
    assert sizes["1-hard"] - sizes["0-mono"] == (2 * 4 + 1) * (2 * 400 + 1)


def test_the_papers_size_on_german(shared):
    lines = (shared / "data/inflection/conll2017/german-train-high").read_text().splitlines()
    rows = [line.split("\t") for line in lines]
    from isotone.text.config import Texts

    vocabulary, _ = Vocabulary.build((Example(a, b, tuple(c.split(";"))) for a, b, c in rows), Texts())
    assert count("0-mono", vocabulary) == pytest.approx(8.7e6, rel=0.02)


def test_the_encoder_equals_a_packed_bidirectional_lstm():
    ours = LSTMEncoder(symbols=9, embedding=4, hidden=3, layers=2, dropout=0.0).double()
    theirs = torch.nn.LSTM(4, 3, num_layers=2, bidirectional=True, batch_first=True).double()
    for layer in (0, 1):
        for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            for part, suffix in ((ours.forwards, ""), (ours.backwards, "_reverse")):
                getattr(theirs, f"{kind}_l{layer}{suffix}").data = getattr(part[layer], f"{kind}_l0").data
    source, lengths = torch.randint(0, 9, (3, 6)), torch.tensor([6, 1, 4])
    packed = torch.nn.utils.rnn.pack_padded_sequence(
        ours.embedding(source), lengths, batch_first=True, enforce_sorted=False
    )
    expected, _ = torch.nn.utils.rnn.pad_packed_sequence(theirs(packed)[0], batch_first=True)
    found = ours(source, lengths)
    for row, length in enumerate(lengths):
        torch.testing.assert_close(found[row, :length], expected[row, :length])


@pytest.mark.parametrize("aligner", ALIGNERS)
def test_bf16_autocast_stays_near_fp32(aligner):
    """Within 0.01 nats per symbol of fp32; probabilities themselves stay fp32."""
    network = tiny.model(aligner, dtype=torch.float32)
    batch = tiny.random_batch([6, 3, 8], [7, 2, 5])
    exact = network.log_prob(batch)
    memory = network.encode(batch)
    step = network.step(network.start(memory), memory)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = network.log_prob(batch)
        rough.sum().backward()
        memory = network.encode(batch)
        rough_step = network.step(network.start(memory), memory)
    assert rough.dtype == rough_step.log_symbols.dtype == torch.float32
    assert ((rough - exact).abs() / batch.target_lengths).max() < 0.01
    torch.testing.assert_close(rough_step.log_symbols, step.log_symbols, atol=0.01, rtol=0)


def test_large_alphabets_are_not_multiplied_out(monkeypatch):
    """With and without the table of inputs the decoder computes the same."""
    network, batch = tiny.model("0-mono", tags=("N", "PL")), tiny.random_batch([4, 2], [1, 1], tags=2)
    found = []
    for worth in (0, 1000):
        monkeypatch.setattr(decoder, "WORTH_A_TABLE", worth)
        memory = network.encode(batch)
        assert (memory.inputs.symbols is None) == (worth == 0)
        step = network.step(network.start(memory), memory)
        found.append(network.step(step.choose(torch.tensor([FIRST, EOS])), memory).log_symbols)
    torch.testing.assert_close(*found, atol=1e-12, rtol=0)


def test_dropout_only_while_training():
    network = tiny.model("0-mono")
    batch = tiny.random_batch([4], [4])
    assert torch.equal(network.log_prob(batch), network.log_prob(batch))
    network.train()
    assert not torch.equal(network.log_prob(batch), network.log_prob(batch))
