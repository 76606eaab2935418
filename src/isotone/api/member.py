"""What a `Transducer` needs of each of its models, whichever engine runs it."""

from __future__ import annotations

from typing import Protocol

from isotone.decoding.protocol import Model
from isotone.models.config import ModelConfig
from isotone.store.temperature import Temperature
from isotone.text.codec import Codec
from isotone.text.vocabulary import Vocabulary

__all__ = ["AnyMember"]


class AnyMember(Protocol):
    """`isotone.store.folder.Member` (a network, with torch) or `isotone.runtime.load.Exported` (graphs, without)."""

    @property
    def config(self) -> ModelConfig:
        """What the model is."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """Its alphabets and tags."""
        ...

    @property
    def codec(self) -> Codec:
        """Examples to numbers and back."""
        ...

    @property
    def parameters(self) -> int:
        """Trainable numbers."""
        ...

    @property
    def temperature(self) -> Temperature | None:
        """Of its symbols, where it has one."""
        ...

    def with_temperature(self, temperature: Temperature | None) -> AnyMember:
        """The same with another temperature."""
        ...

    def engine(self) -> Model:
        """The model as search sees it."""
        ...
