"""Isotone inside other people's programs; each module needs the extra that its name says."""

__all__: list[str] = []
