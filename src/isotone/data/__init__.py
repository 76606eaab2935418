"""Encoded examples → batches."""

from isotone.data.batch import Batch, collate
from isotone.data.choices import Choices
from isotone.data.invention import Invention
from isotone.data.loader import Loader, by_length
from isotone.data.unknown import UnknownTraining, copied_share

__all__ = ["Batch", "Choices", "Invention", "Loader", "UnknownTraining", "by_length", "collate", "copied_share"]
