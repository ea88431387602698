"""Which events may stand on the surface a model sees (rule S7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

TOOL_RESULT = "tool/result"


@dataclass(frozen=True)
class SurfaceContract:
    """The rules of a surface.

    Attributes:
        surface_types: the event types that stand on the surface; all others are log-only.
        tool_result_rewrite: whether a replacing `tool/result` must rewrite exactly one `tool/result`, and nothing of
            it but the content of its blocks.

    Example:
        >>> SurfaceContract(surface_types=["note"]).surface_types
        frozenset({'note'})
    """

    surface_types: frozenset[str] = frozenset({"user/message", "assistant/message", TOOL_RESULT})
    tool_result_rewrite: bool = True

    def __init__(
        self,
        surface_types: Iterable[str] = ("user/message", "assistant/message", TOOL_RESULT),
        tool_result_rewrite: bool = True,
    ) -> None:
        object.__setattr__(self, "surface_types", frozenset(surface_types))
        object.__setattr__(self, "tool_result_rewrite", bool(tool_result_rewrite))
