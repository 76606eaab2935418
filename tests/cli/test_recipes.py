"""Which recipe `isotone train` follows."""

import pytest
from isotone.cli.recipes import chosen_recipe

from isotone.errors import ConfigError


def test_named_or_by_the_number_of_pairs():
    assert chosen_recipe(None, [], {}, pairs=10).name == "low"
    assert chosen_recipe("paper", [], {}, pairs=10).name == "paper"


def test_changes():
    changes = ["dropout=0.5", "guided=0", "ties=lower loss"]
    recipe = chosen_recipe(None, changes, {"epochs": 3, "size": None}, pairs=9_000)
    assert (recipe.dropout, recipe.guided, recipe.ties) == (0.5, 0.0, "lower loss")
    assert (recipe.epochs, recipe.size) == (3, "medium")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("dropout", "--set dropout: expected FIELD=VALUE"),
        ("drop=0.5", "one of the fields augment, batch_size"),
        ("name=x", "expected FIELD=VALUE"),
        ("dropout=much", "dropout: Input should be a valid number"),
        ("dropout=2", "dropout: Input should be less than 1"),
    ],
)
def test_mistakes(change, message):
    with pytest.raises(ConfigError, match=message):
        chosen_recipe(None, [change], {}, pairs=10)
