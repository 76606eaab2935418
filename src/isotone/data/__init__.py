"""Encoded examples → batches."""

from isotone.data.batch import Batch, collate

__all__ = ["Batch", "collate"]
