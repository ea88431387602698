"""`lineage-kit audit`: which items still stand, which fell since last time, as a nightly job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from lineage_kit.cli.answer import check_output_options, write_result
from lineage_kit.cli.gate import reject
from lineage_kit.cli.option_groups import Supposed, TableOptions, TreeAnswer, Walk, with_groups
from lineage_kit.cli.options import Report, Type
from lineage_kit.cli.process import note
from lineage_kit.errors import InvalidRequest
from lineage_kit.output.folder_manifest import AUDIT
from lineage_kit.output.generation import refuse_no_folder
from lineage_kit.relations.audit.audit import Audit
from lineage_kit.relations.audit.baseline import Baseline
from lineage_kit.wording import counted

FAILING = ("withdrawn", "stale", "cut", "unknown", "new")
"""What `--fail-on` takes: the verdicts but the good one, and whatever is worse than in the baseline."""


@dataclass(frozen=True, kw_only=True)
class AuditAnswer(TreeAnswer):
    """An audit as a table, worst first, with its frames, and a report beside it."""

    frame: Annotated[str, typer.Option("--frame", metavar="NAME", help="For csv and parquet: summary or findings.")] = (
        "summary"
    )
    report: Report = None

    def __post_init__(self) -> None:
        if self.frame not in ("summary", "findings"):
            raise typer.BadParameter(f"--frame must be summary or findings, not {self.frame!r}")
        check_output_options(self.format, self.output, self.draw, self.report)

    def write(self, result: object) -> None:
        """Write the audit as asked."""
        write_result(result, self.format, self.output, self.draw, self.frame)


@with_groups()
def audit(
    *,
    type: Type,
    walk: Walk,
    seen: Supposed,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", metavar="FOLDER", help="An audit kept earlier: say what is new since.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FOLDER", help="Keep this audit; may be the baseline's folder.")
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on",
            metavar="WHAT",
            help=f"Exit 1 at one of these, comma-separated: {', '.join(FAILING)}.",
        ),
    ] = None,
    answer: AuditAnswer,
    table: TableOptions,
) -> None:
    """Say of every item of a type whether it still stands, worst first.

    Verdicts: withdrawn (no live route is left to a premise), stale (something it rests on was replaced or
    invalidated), cut (nothing fell as far as the walk went), stands.

    Example: lineage-kit audit decision --data data/decisions.parquet --items data/items.parquet

    As a nightly job: lineage-kit audit decision --data FILE --baseline last --save last --report audit.html
    --fail-on new
    """
    rejects = _failures(fail_on, baseline)
    if save is not None:
        refuse_no_folder(save, AUDIT)
    earlier = None if baseline is None else Baseline.read(baseline)
    found = seen.of(walk.open(table)).audit(type, walk.max_depth, **seen.instants)
    new = None if earlier is None else found.new_since(earlier)
    answer.write(found)
    if answer.report is not None:
        found.report(answer.report, baseline=earlier)
    if new is not None:
        note(f"{counted(new.height, 'item')} new or worse since {baseline}{_named(new)}")
    if save is not None:
        found.write(save)
        note(f"kept in {save}")
    reject(rejects(found, new))


def _named(new: pl.DataFrame, most: int = 10) -> str:
    told = [f"{row['type']} {row['id']} {row['verdict'].upper()}" for row in new.head(most).iter_rows(named=True)]
    more = f", and {new.height - most:,} more" if new.height > most else ""
    return f": {', '.join(told)}{more}" if told else ""


def _failures(names: str | None, baseline: Path | None) -> Callable[[Audit, pl.DataFrame | None], list[str]]:
    """From a comma-separated list to what of it an audit holds, in words.

    Raises:
        InvalidRequest: another word, or `new` without a baseline; before anything is read.
    """
    asked = [name.strip() for name in names.split(",")] if names is not None else []
    for name in asked:
        if name not in FAILING:
            raise InvalidRequest(f"--fail-on takes {', '.join(FAILING)}; not {name!r}")
    if "new" in asked and baseline is None:
        raise InvalidRequest("--fail-on new says what is new since --baseline FOLDER, and there is none")

    def found(audit: Audit, new: pl.DataFrame | None) -> list[str]:
        counts = audit.verdicts() | {"new": 0 if new is None else new.height}
        return [f"{counts[name]:,} {name.upper()}" for name in FAILING if name in asked and counts.get(name)]

    return found
