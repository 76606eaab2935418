"""Encoded examples → batches."""

from isotone.data.batch import Batch, collate
from isotone.data.loader import Loader, by_length
from isotone.data.unknown import UnknownTraining, copied_share

__all__ = ["Batch", "Loader", "UnknownTraining", "by_length", "collate", "copied_share"]
