"""Which format a model's data came in: remembered with the model, so that later files need not name it again."""

from pydantic import BaseModel, ConfigDict, Field

from isotone.text.readers.columns import columns
from isotone.text.readers.format import Format
from isotone.text.readers.table import format_named

__all__ = ["DataFormat"]


class DataFormat(BaseModel):
    """A format by name, or `columns` with its columns and separators."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: str
    """A name of the table of formats, or "columns"."""
    source: int = Field(default=1, ge=1)
    """columns: where the source stands, counted from 1."""
    target: int | None = Field(default=2, ge=1)
    """columns: where the target stands."""
    tags: int | None = Field(default=None, ge=1)
    """columns: where the tags stand, if there are any."""
    separator: str = "\t"
    """columns: what stands between two columns."""
    tag_separator: str = ";"
    """columns: what stands between two tags."""

    def format(self) -> Format:
        """The reader's side of it."""
        if self.name != "columns":
            return format_named(self.name)
        return columns(
            source=self.source,
            target=self.target,
            tags=self.tags,
            separator=self.separator,
            tag_separator=self.tag_separator,
        )
