"""The architecture in sections: read, refused, changed by dotted path, listed."""

import json
import re

import pytest
from pydantic import ValidationError

import tiny
from isotone.errors import ConfigError
from isotone.models import ALIGNERS, ENCODERS, SIZES, Architecture, ModelConfig, Network

SECTIONS = {
    "encoder": {"name": "lstm", "embedding": 200, "hidden": 400, "layers": 2, "dropout": 0.4},
    "decoder": {"embedding": 200, "hidden": 400, "dropout": 0.4, "query_dropout": 0.0},
    "aligner": {"name": "1-mono", "width": 4},
    "emission": {"copies_unknown": False, "copy_gate": False},
    "tags": {"size": 40, "in_encoder": False},
}


def test_json_has_one_section_per_part():
    architecture = Architecture(aligner="1-mono")
    assert json.loads(architecture.model_dump_json()) == architecture.model_dump() == SECTIONS
    assert Architecture.model_validate(SECTIONS) == architecture
    config = ModelConfig(architecture=architecture)
    assert config.format == 2 and ModelConfig.model_validate_json(config.model_dump_json()) == config
    assert Architecture().model_dump() == {**SECTIONS, "aligner": {"name": "0-mono"}}


REFUSED = {
    "aligner: 0-mono has no option 'width'; it has none": {"aligner": {"name": "0-mono", "width": 4}},
    "aligner: 1-mono has no option 'height'; there are width": {"aligner": {"name": "1-mono", "height": 4}},
    "encoder: lstm has no option 'heads'; there are embedding, hidden": {"encoder": {"name": "lstm", "heads": 4}},
    "decoder: no option 'layers'; there are embedding, hidden": {"decoder": {"layers": 4}},
    "aligner: no aligner called '2-mono'; there are soft, 0-hard": {"aligner": {"name": "2-mono"}},
    "encoder: no encoder called 'gru'; there are lstm": {"encoder": "gru"},
    "aligner: no aligner called \\['soft'\\]": {"aligner": {"name": ["soft"]}},
    "aligner: expected the name of an entry": {"aligner": {"width": 3}},
    "encoder: expected the name of an entry": {"encoder": 7},
    "encoder.hidden: Input should be less than or equal to 65536": {"encoder": {"name": "lstm", "hidden": 10**9}},
    "encoder.layers: Input should be less than or equal to 64": {"encoder": {"name": "lstm", "layers": 100_000}},
    "encoder.dropout: Input should be less than 1": {"encoder": {"name": "lstm", "dropout": 1}},
    "decoder.dropout: Input should be": {"decoder": {"dropout": float("nan")}},
    "decoder.embedding: Input should be greater than or equal to 1": {"decoder": {"embedding": 0}},
    "aligner.width: Input should be less than or equal to 10000": {"aligner": {"name": "1-hard", "width": 10**6}},
    "tags.size: Input should be less than or equal to 65536": {"tags": {"size": 65_537}},
    "emission: copy_gate and copies_unknown exclude": {"emission": {"copy_gate": True, "copies_unknown": True}},
    "soft averages over source positions": {"aligner": "soft", "emission": {"copy_gate": True}},
    "colour": {"colour": 1},
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_does_not_fit_is_refused_with_its_place(message):
    from isotone.errors import first_problem

    with pytest.raises(ValidationError) as caught:
        Architecture.model_validate(REFUSED[message])
    assert re.match(message, first_problem(caught.value)), first_problem(caught.value)


def test_changes_by_dotted_path_with_values_as_typed():
    changed = Architecture(aligner="1-mono").with_changes(
        {"encoder.layers": "3", "aligner.width": 6, "decoder.dropout": "0.25", "emission.copy_gate": "true"}
    )
    assert (changed.encoder.layers, changed.aligner.width, changed.decoder.dropout) == (3, 6, 0.25)
    assert changed.emission.copy_gate is True and changed.encoder.hidden == 400
    assert Architecture().with_changes({}) == Architecture()


def test_another_aligner_keeps_what_both_have():
    wide = Architecture(aligner="1-mono").with_changes({"aligner.width": 7})
    assert wide.with_changes({"aligner.name": "1-hard"}).aligner.width == 7
    assert wide.with_changes({"aligner.name": "0-mono"}).aligner.model_dump() == {"name": "0-mono"}
    assert wide.with_changes({"aligner.width": 2, "aligner.name": "1-hard"}).aligner.width == 2
    assert Architecture().with_changes({"aligner.name": "1-mono"}).aligner.width == 4
    gated = Architecture().with_changes({"emission.copy_gate": True})
    changed = gated.with_changes({"aligner.name": "soft", "emission.copy_gate": False})
    assert changed.aligner.name == "soft", "what counts is whether the result makes sense"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"aligner.width": 3}, r"aligner.width: no such hyperparameter; there are encoder.name, .*tags.size"),
        ({"hidden": 3}, "hidden: no such hyperparameter; there are .*encoder.hidden.*decoder.hidden"),
        ({"encoder": "lstm"}, "encoder: no such hyperparameter"),
        ({"encoder.hidden.size": 3}, "encoder.hidden.size: no such hyperparameter"),
        ({"encoder.layers": "many"}, "encoder.layers: Input should be a valid integer"),
        ({"encoder.layers": 65}, "encoder.layers: Input should be less than or equal to 64"),
        ({"aligner.name": "3-mono"}, "aligner.name: no aligner called '3-mono'; there are soft, "),
        ({"aligner.name": "soft", "emission.copy_gate": True}, "soft averages over source positions"),
    ],
)
def test_changes_that_make_no_sense(changes, message):
    with pytest.raises(ConfigError, match=message):
        Architecture().with_changes(changes)


def test_a_preset_skips_what_the_parts_do_not_have():
    assert Architecture().with_preset({"aligner.width": 3, "encoder.layers": 1}).encoder.layers == 1
    with pytest.raises(ConfigError, match=r"encoder\.layers"):
        Architecture().with_preset({"encoder.layers": 0})


def test_every_hyperparameter_is_listed_with_its_meaning():
    for aligner in ALIGNERS:
        for encoder in ENCODERS:
            architecture = Architecture(aligner=aligner, encoder=encoder)
            fields = {field.path: field for field in architecture.hyperparameters()}
            dumped = {f"{section}.{name}" for section, values in architecture.model_dump().items() for name in values}
            assert fields.keys() == dumped
            for path, field in fields.items():
                assert field.summary and (field.value == field.default or path.endswith(".name")), path
    changed = Architecture(aligner="1-mono").with_changes({"aligner.width": 9})
    width = next(field for field in changed.hyperparameters() if field.path == "aligner.width")
    assert (width.value, width.default, width.summary) == (9, 4, "w, the longest jump.")


def test_sizes_are_presets():
    assert Architecture().with_preset(SIZES["paper"]) == Architecture()
    counts = [
        Network.build(Architecture().with_changes(preset), tiny.vocabulary()).parameter_count()
        for preset in SIZES.values()
    ]
    assert counts == sorted(counts, reverse=True) and len(set(counts)) == len(counts)
