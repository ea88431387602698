"""Options that come together, as one value a command takes: how an answer is written, and how a table is read."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any, ClassVar, get_type_hints

import typer

from lineage_kit.cli.answer import check_output_options, write_result
from lineage_kit.cli.options import (
    Columns,
    Draw,
    Format,
    FrameName,
    Kinds,
    OutFormat,
    Output,
    Report,
    SourceType,
    TargetType,
    pairs,
)
from lineage_kit.door.table_spec import TableSpec
from lineage_kit.relations.trace import LineageTrace


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
class LineageAnswer:
    """A lineage: drawn as a tree, one of its frames as a table, and a report beside it."""

    format: OutFormat = Format.tree
    frame: FrameName = "nodes"
    output: Output = None
    report: Report = None
    draw: Draw = 200

    def __post_init__(self) -> None:
        if self.frame not in ("nodes", "edges", "frontier"):
            raise typer.BadParameter(f"--frame must be nodes, edges or frontier, not {self.frame!r}")
        check_output_options(self.format, self.output, self.draw, self.report)

    def write(self, trace: LineageTrace) -> None:
        """Write the lineage as asked, and the report."""
        write_result(trace, self.format, self.output, self.draw, self.frame)
        if self.report is not None:
            trace.report(self.report)


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """How the relations are read."""

    column: Columns = None
    kind: Kinds = None
    source_type: SourceType = None
    target_type: TargetType = None

    def spec(self, *, strict: bool = True) -> TableSpec:
        """The options in one value."""
        columns, kinds = pairs("--column", self.column), pairs("--kind", self.kind)
        return TableSpec.of(columns, kinds, self.source_type, self.target_type, strict=strict)


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
