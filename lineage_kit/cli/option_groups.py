"""Options that come together, as one value a command takes: how an answer is written, and how a table is read."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any, ClassVar, TypedDict, get_type_hints

import typer

from lineage_kit.cli.answer import check_output_options, write_result
from lineage_kit.cli.options import (
    AsOf,
    Columns,
    Data,
    DiffFrame,
    Draw,
    Ended,
    Format,
    FrameName,
    Items,
    Kinds,
    KnownAt,
    MaxDepth,
    MaxDepthLimit,
    OutFormat,
    Output,
    Report,
    SourceType,
    SupersedeLimit,
    TargetType,
    WithCorpus,
    Withdraw,
    WithdrawAt,
    nodes,
    open_store,
    pairs,
)
from lineage_kit.door.table_spec import TableSpec
from lineage_kit.errors import InvalidRequest
from lineage_kit.relations.diff import LineageDiff
from lineage_kit.relations.store import RelationStore
from lineage_kit.relations.trace import Trace


@dataclass(frozen=True, kw_only=True)
class WholeTable:
    """An answer written as a table, all of it; refused before anything is read if it could not be written."""

    format: OutFormat = Format.table
    output: Output = None
    draw: ClassVar[int] = 0

    def __post_init__(self) -> None:
        check_output_options(self.format, self.output, self.draw)

    def write(self, result: object) -> None:
        """Write the answer as asked."""
        write_result(result, self.format, self.output, self.draw)


@dataclass(frozen=True, kw_only=True)
class TableAnswer:
    """An answer written as a table, of which so many rows are drawn."""

    format: OutFormat = Format.table
    output: Output = None
    draw: Draw = 200

    def __post_init__(self) -> None:
        check_output_options(self.format, self.output, self.draw)

    def write(self, result: object) -> None:
        """Write the answer as asked."""
        write_result(result, self.format, self.output, self.draw)


@dataclass(frozen=True, kw_only=True)
class TreeAnswer(TableAnswer):
    """An answer drawn as a tree."""

    format: OutFormat = Format.tree


@dataclass(frozen=True, kw_only=True)
class TraceAnswer:
    """A lineage or an impact: drawn as a tree, one of its frames as a table, and a report beside it."""

    format: OutFormat = Format.tree
    frame: FrameName = "nodes"
    output: Output = None
    report: Report = None
    draw: Draw = 200

    def __post_init__(self) -> None:
        if self.frame not in ("nodes", "edges", "frontier"):
            raise typer.BadParameter(f"--frame must be nodes, edges or frontier, not {self.frame!r}")
        check_output_options(self.format, self.output, self.draw, self.report)

    def write(self, trace: Trace) -> None:
        """Write the trace as asked, and the report."""
        write_result(trace, self.format, self.output, self.draw, self.frame)
        if self.report is not None:
            trace.report(self.report)


@dataclass(frozen=True, kw_only=True)
class DiffAnswer:
    """What changed: drawn worst first, its nodes or edges as a table, and a report beside it."""

    format: OutFormat = Format.tree
    frame: DiffFrame = "nodes"
    output: Output = None
    report: Report = None
    draw: Draw = 200

    def __post_init__(self) -> None:
        if self.frame not in ("nodes", "edges"):
            raise typer.BadParameter(f"--frame must be nodes or edges, not {self.frame!r}")
        check_output_options(self.format, self.output, self.draw, self.report)

    def write(self, diff: LineageDiff) -> None:
        """Write the diff as asked, and the report."""
        write_result(diff, self.format, self.output, self.draw, self.frame)
        if self.report is not None:
            diff.report(self.report)


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """How the relations are read."""

    column: Columns = None
    kind: Kinds = None
    source_type: SourceType = None
    target_type: TargetType = None
    ended: Ended = "invalidate"

    def spec(self, *, strict: bool = True) -> TableSpec:
        """The options in one value."""
        columns, kinds = pairs("--column", self.column), pairs("--kind", self.kind)
        return TableSpec.of(columns, kinds, self.source_type, self.target_type, strict=strict, ended=self.ended)


@dataclass(frozen=True, kw_only=True)
class Walk:
    """What a walk reads, and how far it may go."""

    data: Data
    items: Items = None
    corpus: WithCorpus = None
    max_depth: MaxDepth = 5
    supersede_limit: SupersedeLimit = 10
    max_depth_limit: MaxDepthLimit = 10

    def open(self, table: TableOptions) -> RelationStore:
        """The store to walk in."""
        spec = table.spec()
        return open_store(self.data, self.items, spec, self.max_depth_limit, self.supersede_limit, corpus=self.corpus)


class Instants(TypedDict):
    """The two clocks, as every question of a store takes them."""

    as_of: str | None
    known_at: str | None


@dataclass(frozen=True, kw_only=True)
class Clocks:
    """Two clocks: when a relation held, and when that was known."""

    as_of: AsOf = None
    known_at: KnownAt = None

    @property
    def instants(self) -> Instants:
        """As the questions of a store take them."""
        return {"as_of": self.as_of, "known_at": self.known_at}


@dataclass(frozen=True, kw_only=True)
class Supposed(Clocks):
    """The clocks, and what is supposed of the data, which stays as it is; refused before it is read if it cannot be."""

    what_if_withdraw: Withdraw = None
    what_if_at: WithdrawAt = None

    def __post_init__(self) -> None:
        withdrawn = nodes("--what-if-withdraw", self.what_if_withdraw)
        if self.what_if_at is not None and not withdrawn:
            raise InvalidRequest(
                "--what-if-at says since when --what-if-withdraw TYPE:ID is supposed, and there is none"
            )
        if withdrawn and self.since is None:  # the present moment would give another answer tomorrow
            raise InvalidRequest("--what-if-withdraw needs a time since when. Hint: --what-if-at TIME, or --as-of TIME")

    @property
    def since(self) -> str | None:
        """Since when the items are supposed to be withdrawn."""
        return self.what_if_at if self.what_if_at is not None else self.as_of

    def of(self, store: RelationStore) -> RelationStore:
        """The store as it would be."""
        withdrawn = nodes("--what-if-withdraw", self.what_if_withdraw)
        if not withdrawn or self.since is None:
            return store
        return store.what_if(self.since, withdraw=withdrawn)


def with_groups(*, leave_out: tuple[str, ...] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command as the option parser wants it: in place of each group among its parameters, the options of the group.

    Args:
        leave_out: options of its groups that the command does not have; they keep their defaults.
    """

    def wrapped(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(command, include_extras=True)
        options: list[inspect.Parameter] = []
        groups: dict[str, tuple[Any, list[str]]] = {}
        for name, parameter in inspect.signature(command).parameters.items():
            kind: Any = hints[name]
            if not is_dataclass(kind):
                options.append(_option(name, parameter.default, kind))
                continue
            inner = get_type_hints(kind, include_extras=True)
            chosen = [one for one in fields(kind) if one.name not in leave_out]
            options += [_option(one.name, one.default, inner[one.name]) for one in chosen]
            groups[name] = (kind, [one.name for one in chosen])

        @functools.wraps(command)
        def run(**given: Any) -> None:
            made = {name: group(**{one: given.pop(one) for one in names}) for name, (group, names) in groups.items()}
            command(**given, **made)

        run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
        run.__annotations__ = {option.name: option.annotation for option in options}
        return run

    return wrapped


def _option(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if default is MISSING else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
