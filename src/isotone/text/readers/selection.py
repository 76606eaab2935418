"""`DataFormat` under its former module name, until every room imports it from `isotone.text.readers`."""

from isotone.text.readers.table import DataFormat

__all__ = ["DataFormat"]
