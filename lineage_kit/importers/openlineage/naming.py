"""The names of one dataset, folded into one (rule O9), and the ids of nodes (rule O2)."""

from __future__ import annotations

from collections.abc import Iterable

from lineage_kit.importers.openlineage.content import Name

Node = tuple[str, str]


class Naming:
    """Which names are of one dataset; it remembers every node that it gave an id.

    Example:
        >>> naming = Naming([(("s3", "t"), ("hive", "db.t"))], used={("s3", "t")})
        >>> naming.dataset(("hive", "db.t")), naming.aliases
        (('dataset', 's3/t'), [(('hive', 'db.t'), ('s3', 't'))])
    """

    def __init__(self, links: Iterable[tuple[Name, Name]], used: set[Name]) -> None:
        above: dict[Name, Name] = {}

        def top(name: Name) -> Name:
            while above.get(name, name) != name:
                above[name] = above.get(above[name], above[name])
                name = above[name]
            return name

        for one, other in links:
            above.setdefault(one, one)
            above.setdefault(other, other)
            above[top(one)] = top(other)
        groups: dict[Name, list[Name]] = {}
        for name in above:
            groups.setdefault(top(name), []).append(name)
        self._main: dict[Name, Name] = {}
        self.nodes: dict[Node, tuple[str, str]] = {}
        """Of every node its namespace and its label."""
        self.aliases: list[tuple[Name, Name]] = []
        """Every other name, with the one that stands for it; sorted."""
        for names in groups.values():
            main = min(name for name in names if name in used)
            for name in names:
                self._main[name] = main
                if name != main:
                    self.aliases.append((name, main))
        self.aliases.sort()

    def dataset(self, name: Name) -> Node:
        """A dataset, by any of its names."""
        return self._node("dataset", self._main.get(name, name))

    def alias(self, name: Name) -> Node:
        """Another name of a dataset, as a node of its own."""
        return self._node("dataset", name)

    def job(self, name: Name) -> Node:
        """A job."""
        return self._node("job", name)

    def column(self, dataset: Name, field: str) -> Node:
        """A column of a dataset."""
        _, id = self.dataset(dataset)
        node = "column", f"{id}#{field}"
        self.nodes[node] = self._main.get(dataset, dataset)[0], field
        return node

    def _node(self, type: str, name: Name) -> Node:
        node = type, f"{name[0]}/{name[1]}"
        self.nodes.setdefault(node, name)
        return node
