"""What an event says of datasets, apart from when and by which run: much the same from one run to the next (O2, O6).

Source of the format: the OpenLineage specification 2-0-2 and its facets columnLineage, lineage, lifecycleStateChange,
symlinks and parent.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

Name = tuple[str, str]
"""A namespace and a name."""
Field = tuple[Name, str]
"""A column of a dataset."""
DROPPED = ("DROP", "TRUNCATE")
CUTTING = ("DROP", "OVERWRITE", "TRUNCATE", "CREATE")


class Output(NamedTuple):
    """What is said of one dataset that is written.

    Attributes:
        name: the dataset.
        columns: its columns, each with the columns that it comes from, and whether directly.
        whole: datasets, and columns where one is named, that all of it depends on.
        by_columns: whether it has column lineage at all.
        explicit: the datasets that an explicit lineage names as its inputs; None without one.
        changes: its life cycle: DROP, OVERWRITE, …, RENAME with the former name.
    """

    name: Name
    columns: frozenset[tuple[str, Field, bool]] = frozenset()
    whole: frozenset[tuple[Name, str | None]] = frozenset()
    by_columns: bool = False
    explicit: frozenset[Name] | None = None
    changes: frozenset[tuple[str, Name | None]] = frozenset()

    @property
    def sources(self) -> set[Name]:
        """The datasets that its column lineage names."""
        return {name for _, (name, _), _ in self.columns} | {name for name, _ in self.whole}

    def with_more(self, other: Output) -> Output:
        """Together with what else is said of it: nothing is erased."""
        explicit = (self.explicit or frozenset()) | (other.explicit or frozenset())
        return Output(
            self.name,
            self.columns | other.columns,
            self.whole | other.whole,
            self.by_columns or other.by_columns,
            None if self.explicit is None and other.explicit is None else explicit,
            self.changes | other.changes,
        )


class Content(NamedTuple):
    """What an event says: inputs, outputs, the job above its own, other names of datasets, what could not be read."""

    inputs: tuple[Name, ...] = ()
    outputs: tuple[Output, ...] = ()
    parent: Name | None = None
    aliases: tuple[tuple[Name, Name], ...] = ()
    faults: tuple[str, ...] = ()


class Reader:
    """Reads the parts of one event, and keeps what is wrong with them."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self._aliases: list[tuple[Name, Name]] = []

    def content(self, inputs: Any, outputs: Any, job: Any, parent: Any) -> Content:
        """The content of a run event or job event, from its parts as JSON values."""
        read = tuple(dict.fromkeys(name for name, _ in self._datasets(inputs, "inputs")))
        written: dict[Name, Output] = {}
        for name, facets in self._datasets(outputs, "outputs"):
            output = self._output(name, facets)
            written[name] = written[name].with_more(output) if name in written else output
        entries = self._entries(self._part(self._facets(job), "lineage", "job lineage"))
        for name, sources in entries:
            if name in written:
                written[name] = written[name].with_more(Output(name, explicit=frozenset(sources)))
        above = None
        if parent is not None:
            held = parent.get("job") if isinstance(parent, dict) else None
            above = self.name(held, "parent")
        return Content(read, tuple(written.values()), above, tuple(self._aliases), tuple(self.faults))

    def dataset(self, held: Any) -> Content:
        """The content of a dataset event: it tells about its dataset only."""
        found = list(self._datasets([held], "dataset"))
        outputs = tuple(self._output(name, facets) for name, facets in found)
        return Content((), outputs, None, tuple(self._aliases), tuple(self.faults))

    def name(self, held: Any, where: str) -> Name | None:
        """The namespace and name of a dataset or job."""
        if isinstance(held, dict):
            namespace, name = held.get("namespace"), held.get("name")
            if isinstance(namespace, str) and isinstance(name, str) and name:
                return namespace, name
        self.faults.append(where)
        return None

    def _datasets(self, held: Any, where: str) -> Iterable[tuple[Name, dict[str, Any]]]:
        if held is None:
            return
        if not isinstance(held, list):
            self.faults.append(where)
            return
        for one in held:
            if (name := self.name(one, where)) is not None:
                facets = self._facets(one)
                self._symlinks(name, self._part(facets, "symlinks", "symlinks"))
                yield name, facets

    def _facets(self, held: Any) -> dict[str, Any]:
        facets = held.get("facets") if isinstance(held, dict) else None
        if facets is not None and not isinstance(facets, dict):
            self.faults.append("facets")
        return facets if isinstance(facets, dict) else {}

    def _part(self, facets: dict[str, Any], name: str, where: str) -> dict[str, Any] | None:
        """A facet, which is an object."""
        facet = facets.get(name)
        if facet is not None and not isinstance(facet, dict):
            self.faults.append(where)
        return facet if isinstance(facet, dict) else None

    def _listed(self, facet: dict[str, Any], name: str) -> list[Any]:
        held = facet.get(name)
        if held is not None and not isinstance(held, list):
            self.faults.append(name)
        return held if isinstance(held, list) else []

    def _symlinks(self, name: Name, facet: dict[str, Any] | None) -> None:
        for one in self._listed(facet, "identifiers") if facet else []:
            if (other := self.name(one, "symlinks")) is not None and other != name:
                self._aliases.append((name, other))

    def _output(self, name: Name, facets: dict[str, Any]) -> Output:
        by_columns = self._part(facets, "columnLineage", "columnLineage")
        stated = self._part(facets, "lineage", "lineage")
        columns: set[tuple[str, Field, bool]] = set()
        whole: set[tuple[Name, str | None]] = set()
        for facet, inputs in ((by_columns, "inputFields"), (stated, "inputs")):
            if facet is not None:
                columns |= set(self._columns(facet.get("fields"), inputs))
        if by_columns is not None:
            for one in self._listed(by_columns, "dataset"):
                if (source := self.name(one, "columnLineage")) is not None:
                    whole.add((source, self._field(one)))
        explicit = None
        if stated is not None:
            explicit = frozenset(self._sources(self._listed(stated, "inputs")))
        changes = self._changes(self._part(facets, "lifecycleStateChange", "lifecycleStateChange"))
        return Output(name, frozenset(columns), frozenset(whole), by_columns is not None, explicit, changes)

    def _columns(self, fields: Any, inputs: str) -> Iterable[tuple[str, Field, bool]]:
        if fields is None:
            return
        if not isinstance(fields, dict):
            self.faults.append("fields")
            return
        for column, held in fields.items():
            if not isinstance(held, dict):
                self.faults.append("fields")
                continue
            for one in self._listed(held, inputs):
                source = self.name(one, "fields")
                field = self._field(one)
                if source is not None and field is None:
                    if inputs == "inputFields":
                        self.faults.append("fields")
                elif source is not None and field is not None:
                    yield column, (source, field), _is_direct(one)

    @staticmethod
    def _field(held: Any) -> str | None:
        field = held.get("field") if isinstance(held, dict) else None
        return field if isinstance(field, str) and field else None

    def _sources(self, listed: list[Any]) -> Iterable[Name]:
        """The datasets among the inputs of an explicit lineage."""
        for one in listed:
            if isinstance(one, dict) and one.get("type", "DATASET") != "DATASET":
                continue
            if (name := self.name(one, "lineage")) is not None:
                yield name

    def _entries(self, facet: dict[str, Any] | None) -> list[tuple[Name, list[Name]]]:
        """What the explicit lineage of a job says of each dataset."""
        found = []
        for one in self._listed(facet, "entries") if facet else []:
            if isinstance(one, dict) and one.get("type", "DATASET") != "DATASET":
                continue
            if (name := self.name(one, "lineage")) is not None:
                found.append((name, list(self._sources(self._listed(one, "inputs")))))
        return found

    def _changes(self, facet: dict[str, Any] | None) -> frozenset[tuple[str, Name | None]]:
        if facet is None:
            return frozenset()
        word = facet.get("lifecycleStateChange")
        if not isinstance(word, str):
            self.faults.append("lifecycleStateChange")
            return frozenset()
        former = None
        if word.upper() == "RENAME":
            former = self.name(facet.get("previousIdentifier"), "previousIdentifier")
        return frozenset({(word.upper(), former)})


def _is_direct(held: dict[str, Any]) -> bool:
    """Whether a column comes from another directly: what says nothing of it does."""
    listed = held.get("transformations")
    types = [one.get("type") for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return not types or "DIRECT" in types
