"""Shape annotations: checked under pytest (jaxtyping + beartype), inert and dependency-free everywhere else."""

from typing import TYPE_CHECKING, Any

__all__ = ["Bool", "Float", "Int"]

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int
else:
    try:
        from jaxtyping import Bool, Float, Int
    except ImportError:

        class _Unchecked:
            """`Float[Tensor, "batch state"]` is just `Tensor` where jaxtyping is not installed."""

            def __getitem__(self, item: Any) -> Any:
                return item[0]

        Bool = Float = Int = _Unchecked()
