"""What a server allows and how long it waits."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["ServerSettings"]


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """Limits, times and the token of a server. docs/deploy.md has the table of them."""

    token: str | None = field(default=None, repr=False)
    """What clients must send; None: anybody may ask."""
    max_body: int = 1 << 20
    """Bytes of a request body."""
    max_items: int = 1000
    """Words or pairs per request."""
    max_string: int = 256
    """Characters of a source, a target or a tag."""
    max_tags: int = 64
    """Tags of one word."""
    max_candidates: int = 100
    """`n_best` and `beam` at most."""
    max_cells: int = 250_000
    """Source × target positions of all pairs of an /v1/align request: their posteriors are all written out."""
    max_queue: int = 4096
    """Words or pairs that may wait to be decoded, of all requests together."""
    max_batch: int = 256
    """Words or pairs decoded in one call; 1 decodes every word on its own."""
    max_batch_symbols: int = 4096
    """Characters decoded in one call, unless one word alone has more."""
    window: float = 0.003
    """Seconds that a batch waits for company, under load only: an idle server starts at once."""
    timeout: float = 30.0
    """Seconds from the arrival of a request to its answer."""
    work_seconds: float = 10.0
    """Seconds that one call of a model may take before it is interrupted."""
    body_seconds: float = 10.0
    """Seconds that a client may take to send the head of a request, and again for the body."""
    log_file: str | None = None
    """Where the access log goes; None: standard error."""
