"""The options that several commands share, and the store they open."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lineage_kit.door.table_spec import TableSpec
from lineage_kit.errors import InvalidRequest
from lineage_kit.relations.backing import open_backing
from lineage_kit.relations.request import Limits
from lineage_kit.relations.store import RelationStore
from lineage_kit.sessions.corpus import SessionCorpus


class Format(StrEnum):
    """How an answer is written."""

    tree = "tree"
    table = "table"
    json = "json"
    csv = "csv"
    parquet = "parquet"


Type = Annotated[str, typer.Argument(metavar="TYPE", help="The type of the item, e.g. decision.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="The id of the item, e.g. dec-2026-0417.")]
Data = Annotated[
    list[str],
    typer.Option(
        "--data", "-d", metavar="FILE", help="Relations: a Parquet file, a glob, a folder, an index; repeatable."
    ),
]
MaybeData = Annotated[
    list[str] | None,
    typer.Option(
        "--data", "-d", metavar="FILE", help="Relations: a Parquet file, a glob, a folder, an index; repeatable."
    ),
]
CorpusFolder = Annotated[
    Path,
    typer.Option(
        "--corpus", "-c", metavar="FOLDER", help="Sessions: a folder with sessions.parquet and events.parquet."
    ),
]
WithCorpus = Annotated[
    Path | None,
    typer.Option("--corpus", "-c", metavar="FOLDER", help="Go on into the sessions of this folder, event by event."),
]
Items = Annotated[
    str | None,
    typer.Option("--items", metavar="FILE", help="What nodes are called: a Parquet file with type, id, label."),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column", metavar="OLD=NEW", help="Rename a column of the data, e.g. from_id=source_id; repeatable."
    ),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="OLD=NEW", help="Map a relation kind, e.g. BASED_ON=depends_on; repeatable."),
]
SourceType = Annotated[
    str | None, typer.Option("--source-type", metavar="TYPE", help="The type of every source, without such a column.")
]
TargetType = Annotated[
    str | None, typer.Option("--target-type", metavar="TYPE", help="The type of every target, without such a column.")
]
Ended = Annotated[
    str,
    typer.Option(
        "--ended", metavar="WORD", help="Items that have ended: invalidate the edges into them, or ignore that."
    ),
]
MaxDepthLimit = Annotated[int, typer.Option("--max-depth-limit", metavar="N", help="The largest --max-depth allowed.")]
SupersedeLimit = Annotated[
    int, typer.Option("--supersede-limit", metavar="N", help="Replacement hops to follow per level.")
]
MaxDepth = Annotated[int, typer.Option("--max-depth", metavar="N", help="Levels to walk.")]
AsOf = Annotated[
    str | None,
    typer.Option("--as-of", metavar="TIME", help="See the relations as of this instant, e.g. 2026-03-01T12:00:00Z."),
]
KnownAt = Annotated[
    str | None,
    typer.Option("--known-at", metavar="TIME", help="See of them what was known at this instant, written likewise."),
]
FailOn = Annotated[
    str | None,
    typer.Option(
        "--fail-on",
        metavar="FLAGS",
        help="Exit 1 when the answer holds one of these, comma-separated: "
        "invalidated, superseded, truncated, outdated, unknown.",
    ),
]
Withdraw = Annotated[
    list[str] | None,
    typer.Option(
        "--what-if-withdraw",
        metavar="TYPE:ID",
        help="Suppose that this item is withdrawn, and change nothing in the data; repeatable.",
    ),
]
WithdrawAt = Annotated[
    str | None,
    typer.Option("--what-if-at", metavar="TIME", help="Since when it is supposed to be; without it, --as-of."),
]
ToType = Annotated[str, typer.Argument(metavar="TO_TYPE", help="The type of the node to be explained.")]
ToId = Annotated[str, typer.Argument(metavar="TO_ID", help="The id of the node to be explained.")]
OfImpact = Annotated[bool, typer.Option("--impact", help="Ask what rests on the item, instead of what it rests on.")]
Draw = Annotated[int, typer.Option("--draw", metavar="N", help="Nodes or rows to draw; 0 draws all of them.")]
OutFormat = Annotated[Format, typer.Option("--format", "-f", help="How to write the answer.")]
FrameName = Annotated[
    str, typer.Option("--frame", metavar="NAME", help="For table, csv, parquet: nodes, edges or frontier.")
]
DiffFrame = Annotated[str, typer.Option("--frame", metavar="NAME", help="For table, csv, parquet: nodes or edges.")]
Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Also write a page to hand on: .html or .md.")
]
Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write there instead of here.")]


def open_store(
    data: list[str],
    items: str | None,
    spec: TableSpec,
    max_depth_limit: int = 10,
    supersede_limit: int = 10,
    *,
    corpus: Path | None = None,
) -> RelationStore:
    """The store that the shared options describe; with a corpus, the union with its relations."""
    limits = Limits.checked(max_depth_limit, supersede_limit)
    source = data if corpus is None else [*data, SessionCorpus.open(corpus).relations()]
    return RelationStore(open_backing(source, items, spec, "error"), limits)


def nodes(option: str, given: list[str] | None) -> list[tuple[str, str]]:
    """TYPE:ID texts as nodes; a type holds no colon, an id may.

    Example:
        >>> nodes("--what-if-withdraw", ["event:s1:a#23"])
        [('event', 's1:a#23')]
    """
    found = []
    for text in given or []:
        type, colon, id = text.partition(":")
        if not (type and colon and id):
            raise InvalidRequest(f"{option} takes TYPE:ID, got {text!r}")
        found.append((type, id))
    return found


def pairs(option: str, given: list[str] | None) -> dict[str, str] | None:
    """OLD=NEW texts as a mapping.

    Example:
        >>> pairs("--kind", ["BASED_ON=depends_on"])
        {'BASED_ON': 'depends_on'}
    """
    found = {}
    for text in given or []:
        old, equals, new = text.partition("=")
        if not (old and equals and new):
            raise InvalidRequest(f"{option} takes OLD=NEW, got {text!r}")
        found[old] = new
    return found or None
