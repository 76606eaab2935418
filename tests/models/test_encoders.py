"""The contract of the table of encoders: padding never shows, sizes are as announced, everything learns."""

from dataclasses import replace

import pytest
import torch
from jaxtyping import TypeCheckError

import tiny
from isotone.data import Batch
from isotone.errors import ConfigError
from isotone.models import ALIGNERS, ENCODERS, Architecture, Network

SMALL = {"encoder.embedding": 5, "encoder.hidden": 4, "encoder.layers": 2, "encoder.dropout": 0.4}
every_encoder = pytest.mark.parametrize("name", ENCODERS)


def built(name, dtype=torch.float64):
    section = Architecture(encoder=name).with_preset(SMALL).encoder
    return ENCODERS[name].build(section, symbols=9).to(dtype).eval()


@every_encoder
def test_one_state_of_the_announced_size_per_position(name):
    encoder = built(name)
    states = encoder(torch.randint(0, 9, (3, 6)), torch.tensor([6, 1, 4]))
    assert states.shape == (3, 6, encoder.memory_size) and states.isfinite().all()


@every_encoder
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-6), (torch.float64, 1e-12)])
def test_states_do_not_depend_on_padding_or_neighbours(name, dtype, tolerance):
    encoder, source, lengths = built(name, dtype), torch.randint(1, 9, (4, 7)), torch.tensor([7, 1, 4, 2])
    together = encoder(source, lengths)
    for row, length in enumerate(lengths.tolist()):
        alone = encoder(source[row : row + 1, :length], lengths[row : row + 1])
        torch.testing.assert_close(alone[0], together[row, :length], atol=tolerance, rtol=0)
    wide = torch.nn.functional.pad(source, (0, 5), value=8)
    for row, length in enumerate(lengths.tolist()):
        torch.testing.assert_close(encoder(wide, lengths)[row, :length], together[row, :length], atol=tolerance, rtol=0)


@every_encoder
def test_order_matters(name):
    encoder, forth = built(name), torch.tensor([[1, 4, 5, 6, 3]])
    assert not torch.allclose(encoder(forth, torch.tensor([5])), encoder(forth.flip(1), torch.tensor([5])).flip(1))


@every_encoder
def test_gradients_reach_every_parameter_and_none_comes_from_padding(name):
    encoder = built(name)
    source, lengths = torch.tensor([[1, 4, 5, 6, 3], [1, 7, 3, 8, 8]]), torch.tensor([5, 3])
    states = encoder(source, lengths)
    real = torch.arange(5) < lengths[:, None]
    states[real].square().sum().backward()
    for key, parameter in encoder.named_parameters():
        assert parameter.grad is not None and parameter.grad.isfinite().all() and parameter.grad.any(), key
        if key == "embedding.weight":
            assert not parameter.grad[8].any(), "symbol 8 stands in padding only"


@every_encoder
def test_dropout_only_while_training(name):
    encoder, source, lengths = built(name), torch.randint(0, 9, (2, 5)), torch.tensor([5, 3])
    assert torch.equal(encoder(source, lengths), encoder(source, lengths))
    if "dropout" in ENCODERS[name].options.model_fields:
        encoder.train()
        assert not torch.equal(encoder(source, lengths), encoder(source, lengths))


@every_encoder
@pytest.mark.parametrize("aligner", ALIGNERS)
def test_every_aligner_works_on_it(name, aligner):
    changes = {**SMALL, "encoder.hidden": 3, "decoder.hidden": 5, "decoder.embedding": 2}
    architecture = Architecture(encoder=name, aligner=aligner).with_preset(changes)
    network = Network.build(architecture, tiny.vocabulary()).eval()
    assert network.emission.output.in_features == 5 + network.encoder.memory_size
    batch = tiny.random_batch([3, 0], [2, 1])
    network.log_prob(batch).sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in network.parameters())


@every_encoder
@pytest.mark.parametrize("reads", [False, True])
def test_tags_reach_the_encoder_where_asked_and_nowhere_else(name, reads):
    if reads and not ENCODERS[name].reads_tags:
        with pytest.raises(ConfigError, match=f"the encoder {name} reads no tags"):
            Architecture(encoder=name).with_preset({"tags.in_encoder": True})
        return
    architecture = Architecture(encoder=name).with_preset({**SMALL, "tags.in_encoder": reads})
    network = Network.build(architecture, tiny.vocabulary(tags=("N", "V"))).double().eval()
    batch = tiny.random_batch([3, 5], [2, 4], tags=2)
    other = replace(batch, tags=~batch.tags)
    assert torch.equal(network.encode(batch).keys, network.encode(other).keys) != reads
    together = network.log_prob(batch)
    for row in range(2):
        one = slice(row, row + 1)
        width, height = batch.source_lengths[row], batch.target_lengths[row]
        alone = Batch(
            batch.source[one, :width],
            batch.source_lengths[one],
            batch.target[one, :height],
            batch.target_lengths[one],
            batch.tags[one],
        )
        torch.testing.assert_close(network.log_prob(alone)[0], together[row], atol=1e-12, rtol=0)


@every_encoder
def test_bf16_changes_little_and_padding_nothing_more(name):
    encoder, source, lengths = built(name, torch.float32), torch.randint(1, 9, (3, 6)), torch.tensor([6, 2, 4])
    with torch.no_grad():
        precise = encoder(source, lengths)
        with torch.autocast("cpu", torch.bfloat16):
            coarse = encoder(source, lengths)
            alone = encoder(source[1:2, :2], lengths[1:2])
    real = torch.arange(6) < lengths[:, None]
    torch.testing.assert_close(coarse[real].float(), precise[real], atol=0.05, rtol=0.05)
    torch.testing.assert_close(alone[0].float(), coarse[1, :2].float(), atol=0.02, rtol=0.02)


@pytest.mark.parametrize(("layers", "cycle", "reach"), [(1, 4, 1), (3, 4, 7), (3, 2, 4)])
def test_how_far_a_convolution_sees(layers, cycle, reach):
    changes = {"encoder.layers": layers, "encoder.hidden": 3, "encoder.cycle": cycle}
    section = Architecture(encoder="convolution").with_changes(changes).encoder
    encoder = ENCODERS["convolution"].build(section, symbols=9).double().eval()
    source = torch.full((1, 21), 5)
    changed = source.clone()
    changed[0, 10] = 6
    length = torch.tensor([21])
    differs = (encoder(source, length) != encoder(changed, length)).any(-1)[0]
    assert differs.nonzero().flatten().tolist() == list(range(10 - reach, 11 + reach))


def test_a_transformer_sees_distances_only():
    """Rotary positions: behind the same padding-free context, what counts is how far apart two symbols are."""
    encoder = built("transformer")
    left, right = torch.tensor([[4, 5]]), torch.tensor([[5, 4]])
    both = torch.tensor([2])
    assert not torch.allclose(encoder(left, both)[0, 0], encoder(right, both)[0, 1]), "order counts"
    rows = torch.full((1, 9), 7)
    torch.testing.assert_close(encoder(rows, torch.tensor([9]))[0, 0], encoder(rows, torch.tensor([9]))[0, 8])


@pytest.mark.parametrize("name", [name for name in ENCODERS if name != "lstm"])
def test_what_cannot_be_exported_says_so(name):
    from isotone.runtime.export import graphs_of

    network = Network.build(Architecture(encoder=name).with_preset(SMALL), tiny.vocabulary()).eval()
    with pytest.raises(ConfigError, match=r"the encoder \w+ cannot be exported, only lstm"):
        graphs_of(network, "0-mono", int8=False)


def test_shapes_are_checked_under_pytest():
    """The tables import their classes lazily; tests/conftest.py must have hooked them nevertheless."""
    with pytest.raises(TypeCheckError):
        built("lstm")(torch.zeros(2, 3, dtype=torch.long), torch.tensor([3, 3, 3]))
