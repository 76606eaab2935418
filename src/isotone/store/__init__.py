"""The model folder: its files, single or mixture, its card, the Hub."""

__all__: list[str] = []
