"""How a relations table is read: one value from the command line to the manifest of an index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from lineage_kit.errors import InvalidRequest
from lineage_kit.wording import is_unicode

ENDED = ("invalidate", "ignore")
"""What becomes of the walk edges into an item that has ended; the first is the default."""


@dataclass(frozen=True)
class TableSpec:
    """What is said of a table where it is opened.

    Attributes:
        columns: renames, {name in the source: canonical name}.
        kinds: {relation kind in the source: canonical kind}.
        source_type, target_type: the type of every source, or target, where the table has no such column.
        strict: whether bad rows are refused; otherwise they are set aside.
        ended: `invalidate` if the walk edges into an item that has ended are invalid from then on, or `ignore`.

    Example:
        >>> spec = TableSpec.of(kinds={"BASED_ON": "depends_on"}, source_type="decision")
        >>> spec.constants, spec.given
        ({'source_type': 'decision'}, ('kinds', 'source_type'))
        >>> TableSpec.from_json(spec.json()) == spec
        True
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    source_type: str | None = None
    target_type: str | None = None
    strict: bool = True
    ended: str = "invalidate"

    @classmethod
    def of(
        cls,
        columns: Mapping[str, str] | None = None,
        kinds: Mapping[str, str] | None = None,
        source_type: str | None = None,
        target_type: str | None = None,
        *,
        strict: bool = True,
        ended: str = "invalidate",
    ) -> TableSpec:
        """From what a person gives: None where nothing is said.

        Raises:
            InvalidRequest: a mapping that is none, or that maps anything but texts; another word for `ended`.
        """
        if ended not in ENDED:
            raise InvalidRequest(f"ended must be {' or '.join(map(repr, ENDED))}, got {ended!r}")
        for name, mapping in (("columns", columns), ("kinds", kinds)):
            if mapping is not None and not isinstance(mapping, Mapping):
                kind = type(mapping).__name__
                raise InvalidRequest(
                    f"{name} must be a mapping {{name there: name here}}, got {mapping!r:.80} ({kind})"
                )
        texts = [("columns", text) for pair in dict(columns or {}).items() for text in pair]
        texts += [("kinds", text) for pair in dict(kinds or {}).items() for text in pair if isinstance(text, str)]
        texts += [("source_type", source_type or ""), ("target_type", target_type or "")]
        for name, text in texts:
            if name == "columns" and not isinstance(text, str):
                raise InvalidRequest(f"columns must map texts to texts, not {text!r:.80} ({type(text).__name__})")
            if isinstance(text, str) and not is_unicode(text):
                raise InvalidRequest(f"{name} holds half a character, which no table can: {text!a:.80}")
        return cls(dict(columns or {}), dict(kinds or {}), source_type, target_type, strict, ended)

    @property
    def constants(self) -> dict[str, str]:
        """The columns that have one value throughout, and that value."""
        constants = {"source_type": self.source_type, "target_type": self.target_type}
        return {name: value for name, value in constants.items() if value is not None}

    @property
    def given(self) -> tuple[str, ...]:
        """The names of what is said otherwise than by default, but for `strict`."""
        mappings = {"columns": self.columns, "kinds": self.kinds}
        said = (*(name for name, mapping in mappings.items() if mapping), *self.constants)
        return (*said, *("ended",) * (self.ended != ENDED[0]))

    def json(self) -> dict[str, Any]:
        """As a manifest has it."""
        return asdict(self)

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> TableSpec:
        """From what a manifest says.

        Raises:
            TypeError: it does not say just this.
        """
        if not (isinstance(told["columns"], dict) and isinstance(told["kinds"], dict)):
            raise TypeError(f"columns and kinds are {told['columns']!r} and {told['kinds']!r}")
        return cls(**told)


AS_IT_IS = TableSpec()
"""A table in which all is called as it should be."""
