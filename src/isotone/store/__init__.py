"""The model folder: its files, single or mixture, its card, locks, the Hub.

Only `tensors`, `folder` and `hub` need torch; what a folder holds can be read without (`describe`).
"""

__all__: list[str] = []
