"""Training: the request, recipes, the loop, and its state."""

__all__: list[str] = []
