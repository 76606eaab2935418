"""Lightning Fabric's DDP as we use it; imported late, because Fabric takes two seconds."""

from __future__ import annotations

import logging
from datetime import timedelta

from lightning_fabric.strategies.ddp import DDPStrategy

__all__ = ["QuietDDP"]

PATIENCE = timedelta(hours=4)
"""How long a process waits for the others while rank 0 assesses the dev set; one that ends is noticed at once."""


class QuietDDP(DDPStrategy):
    """DDP without announcements, in spawned processes too: stderr is for our own messages."""

    def __init__(self, *, spawn: bool) -> None:
        super().__init__(start_method="spawn" if spawn else "popen", timeout=PATIENCE)

    def setup_environment(self) -> None:
        """Join the process group."""
        logging.getLogger("lightning_fabric").setLevel(logging.WARNING)
        super().setup_environment()
