"""The question of a `LineageExplorer`: what it is made of, and what changes when a control is used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import ipywidgets as widgets
import traitlets

from lineage_kit.engines.protocol import Moment
from lineage_kit.errors import InvalidRequest
from lineage_kit.relations.request import Node
from lineage_kit.relations.store import RelationStore
from lineage_kit.view.widgets.asking_controls import AskingControls
from lineage_kit.view.widgets.explorer_controls import Controls, show_errors
from lineage_kit.view.widgets.explorer_questions import ASKED, IMPACT, LINEAGE, SUPPOSED, Asked, checked, is_node


class AskingExplorer(widgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """What is asked, kept and checked; whoever draws it says how in `_look`.

    Args:
        given: what is asked to begin with, checked, by the names of the attributes.
    """

    _store: RelationStore
    _controls: Controls
    anchor = traitlets.Any(None, allow_none=True)
    trace = traitlets.Any(None, allow_none=True, read_only=True)
    diff = traitlets.Any(None, allow_none=True, read_only=True)
    selected = traitlets.Any(None, allow_none=True)
    max_depth = traitlets.Int(5, min=1)
    question = traitlets.Enum((LINEAGE, IMPACT), LINEAGE)
    as_of = traitlets.Any(None, allow_none=True)
    known_at = traitlets.Any(None, allow_none=True)
    compared = traitlets.Any(None, allow_none=True)
    withdrawn = traitlets.Any(())
    withdrawn_at = traitlets.Any(None, allow_none=True)
    ways_to = traitlets.Any(None, allow_none=True)

    def __init__(self, given: dict[str, Any]) -> None:
        self._asking = AskingControls(self._told, self._ways, self._withdraw, self._restore)
        self._waiting = True
        super().__init__()
        for name, value in given.items():
            setattr(self, name, value)
        self._waiting = False
        self.observe(self._on_asked, [*ASKED])
        self._show_asked()

    def _look(self) -> None:
        """Ask, and show what was found."""
        raise NotImplementedError

    @traitlets.validate("anchor", "selected", "ways_to")
    def _as_node(self, proposal: Any) -> Node | None:
        value = proposal["value"]
        if value is None or isinstance(value, Node):
            return value
        if is_node(value):
            return Node(*value)
        raise traitlets.TraitError(f"{proposal['trait'].name} must be a (type, id) or None, got {value!r}")

    @traitlets.validate("max_depth")
    def _within(self, proposal: Any) -> int:
        limit = self._store.max_depth_limit
        if proposal["value"] > limit:
            raise traitlets.TraitError(
                f"max_depth must be at most {limit}, got {proposal['value']}. "
                "Hint: raise max_depth_limit when opening the store"
            )
        depth: int = proposal["value"]
        return depth

    @traitlets.validate("as_of", "known_at", "compared", "withdrawn", "withdrawn_at")
    def _understood(self, proposal: Any) -> Any:
        try:
            return checked(proposal["trait"].name, proposal["value"])
        except InvalidRequest as error:
            raise traitlets.TraitError(str(error)) from None

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """Set several things, and ask once."""
        self._waiting = True
        try:
            yield
        finally:
            self._waiting = False
        self._show_asked()
        self._look()

    @show_errors
    def _on_asked(self, _: Any) -> None:
        if not self._waiting:
            with self._at_once():
                pass

    def _show_asked(self) -> None:
        at = Moment(self.as_of, self.known_at)
        self._asking.show(self.question, at, self.compared, self.withdrawn, self.withdrawn_at)
        self._asking.select(self.selected, self.ways_to)

    def _told(self, name: str, value: Any) -> None:
        """A control was changed; what cannot be understood is told beside it, and nothing else happens."""
        self._asking.tell("")
        try:
            setattr(self, name, checked(name, value))
        except InvalidRequest as error:
            self._asking.tell(str(error))

    def _ways(self) -> None:
        self.ways_to = self.selected if self.ways_to is None else None

    @show_errors
    def _withdraw(self) -> None:
        """Suppose that the selected node is withdrawn, and compare with the data as it is."""
        if self.selected is None:
            return
        given = [each for each in (self.as_of, self.known_at) if each is not None]
        with self._at_once():
            self.withdrawn = (*self.withdrawn, self.selected)
            self.withdrawn_at = self.withdrawn_at or min(given, default=datetime.now(UTC).replace(microsecond=0))
            self.compared, self.ways_to = SUPPOSED, None

    @show_errors
    def _restore(self, node: Node) -> None:
        with self._at_once():
            self.withdrawn = tuple(each for each in self.withdrawn if each != node)
            if not self.withdrawn:
                self.withdrawn_at = None
                self.compared = None if self.compared == SUPPOSED else self.compared

    def _asked(self) -> Asked:
        names = ("anchor", "max_depth", *ASKED)
        return Asked(**{name: getattr(self, name) for name in names})
