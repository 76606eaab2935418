"""The processes of a run: one, or several that train the same weights on different rows of every batch.

What they do together they do at the same places in the same order: each method here is called by all ranks or by none.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import torch

from isotone.errors import IsotoneError

if TYPE_CHECKING:
    from lightning_fabric import Fabric
    from torch import Tensor

__all__ = ["Ranks"]

Value = TypeVar("Value")


class Ranks:
    """This process among all processes of the run. Rank 0 alone writes files and talks to the user."""

    def __init__(self, fabric: Fabric, told_to_stop: Callable[[], bool] = lambda: False) -> None:
        self.fabric, self.told_to_stop = fabric, told_to_stop
        self.rank: int = fabric.global_rank
        self.count: int = fabric.world_size

    @property
    def first(self) -> bool:
        """Is this the one that writes?"""
        return self.rank == 0

    def sums(self, *values: float) -> list[float]:
        """Each value summed over all ranks; they all get the same bits."""
        if self.count == 1:
            return list(values)
        numbers = torch.tensor(values, dtype=torch.float64, device=self.fabric.device)
        total: Tensor = self.fabric.all_reduce(numbers, reduce_op="sum")  # type: ignore[assignment]
        return [float(number) for number in total]

    def once(self, work: Callable[[], Value]) -> Value:
        """Do something on rank 0 alone; all ranks get its result, or raise its error."""
        if self.count == 1:
            return work()
        value, failed, error = None, None, None
        if self.first:
            try:
                value = work()
            except (Exception, KeyboardInterrupt) as raised:
                error = raised
                plain = isinstance(raised, IsotoneError | OSError | KeyboardInterrupt)
                failed = raised if plain else RuntimeError(f"rank 0: {type(raised).__name__}: {raised}")
        value, failed = self.fabric.broadcast((value, failed))
        if failed is not None:
            raise error or failed
        return value  # type: ignore[return-value]

    def gather(self, value: Any) -> Sequence[Any]:
        """Every rank's value, in the order of the ranks."""
        if self.count == 1:
            return [value]
        found: list[Any] = [None] * self.count
        torch.distributed.all_gather_object(found, value)
        return found

    def seed(self, *numbers: int) -> None:
        """Random numbers of its own for this rank from here on: dropout masks must differ between rows."""
        torch.manual_seed(random.Random("/".join(map(str, [*numbers, "rank", self.rank]))).getrandbits(63))

    def barrier(self) -> None:
        """Go on when all have come here."""
        if self.count > 1:
            self.fabric.barrier()
