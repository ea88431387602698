"""`store.check()`: what in a relations table deserves a second look before its traces are trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import narwhals as nw
import polars as pl

from lineage_kit.engines.endpoints import numbered_ends
from lineage_kit.engines.protocol import Backend, Frame
from lineage_kit.progress import bar
from lineage_kit.relations.backing import Backing, damaged_files
from lineage_kit.relations.cycles import cycles
from lineage_kit.schema import CHECKS, ENDS, KNOWN_CLASSES, RELATIONS, ROW, SUPERSEDES, WALKED

EXAMPLES = 3
Findings = Iterable[tuple[str, int, str, list[str]]]
"""Rows of the answer: finding, count, message, examples."""


def check(backing: Backing) -> pl.DataFrame:
    """One row a finding in the relations of a store; see `RelationStore.check`."""
    found = list(_damaged(backing))
    try:
        whole = backing.whole
        found += _of_edges(whole.relations.frame, backing.engine.rejected, whole.backend, whole.relations.left_out)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # whatever reading a damaged file raises, Polars' panics among it
        if not found:
            raise
    return CHECKS.frame(found).sort("finding")


def _damaged(backing: Backing) -> Findings:
    """Files of ours that are not as they were written, from their manifests."""
    if found := damaged_files(backing):
        message = "files that this package wrote are not as they were written; answers from them cannot be trusted"
        yield "damaged file", len(found), message, [f"{path}: {what}" for path, what in found]


def _of_edges(edges: Frame, rejected: pl.DataFrame, backend: Backend, left_out: Sequence[str]) -> Findings:
    checks: tuple[Callable[[], Findings], ...] = (
        lambda: _rows_wrong(edges, backend),
        lambda: _rejected(rejected),
        lambda: _left_out(left_out),
        lambda: _no_walked_kind(edges, backend),
        lambda: _duplicates(edges, backend),
        lambda: _cycles(edges, backend),
    )
    with backend.turn():
        return [row for one in bar(checks, doing="checking") for row in one()]


def _rows_wrong(edges: Frame, backend: Backend) -> Findings:
    """Checks of one row at a time, counted in one pass."""
    same = (nw.col("source_type") == nw.col("target_type")) & (nw.col("source_id") == nw.col("target_id"))
    confidence = nw.col("confidence")
    tests = {
        "self-supersedes": (
            (nw.col("relation_kind") == SUPERSEDES) & same,
            "an item supersedes itself; such an edge is ignored",
        ),
        "invalid before created": (
            nw.col("invalid_at") < nw.col("created_at"),
            "invalid_at lies before created_at; the edge never held",
        ),
        "expired without invalid": (
            ~nw.col("expired_at").is_null() & nw.col("invalid_at").is_null(),
            "expired_at is set where invalid_at is not; it plays no part",
        ),
        "unknown class": (
            ~nw.col("edge_class").is_in(KNOWN_CLASSES),
            f"edge_class is none of {', '.join(KNOWN_CLASSES)}; it ranks with inferred",
        ),
        "confidence out of range": (
            (confidence < 0) | (confidence > 1),
            "confidence lies outside 0..1",
        ),
    }
    sums = [test.cast(nw.Int64).sum().alias(name) for name, (test, _) in tests.items()]
    counts = backend.collect(edges.select(*sums)).row(0, named=True)
    for name, (test, message) in tests.items():
        if counts[name]:
            shown = edges.select(*RELATIONS.names, ROW).filter(test)
            rows = backend.collect(shown.sort(ROW).head(EXAMPLES))
            yield name, counts[name], message, [edge_text(row) for row in rows.iter_rows(named=True)]


def _rejected(rejected: pl.DataFrame) -> Findings:
    if rejected.height:
        examples = [f"row {row[ROW]}: {row['reason']}" for row in rejected.head(EXAMPLES).iter_rows(named=True)]
        yield "rejected", rejected.height, "rows set aside at open (strict=False); see store.rejected", examples


def _left_out(columns: Sequence[str]) -> Findings:
    if columns:
        message = "columns of your own that cannot be carried are left out; a cast at the source keeps them"
        yield "left out column", len(columns), message, list(columns[:EXAMPLES])


def _no_walked_kind(edges: Frame, backend: Backend) -> Findings:
    kinds = backend.collect(edges.select("relation_kind").unique())["relation_kind"].sort().to_list()
    if not set(WALKED) & set(kinds):
        message = (
            f"no edge is {' or '.join(WALKED)}, so every lineage is empty but for replacements; "
            "map your kinds with kinds={'YOUR_KIND': 'depends_on'}"
        )
        yield "no walked kind", len(kinds), message, [repr(kind) for kind in kinds[:20]]


def _duplicates(edges: Frame, backend: Backend) -> Findings:
    """Edges told twice in every canonical column; a hash of ends and kind narrows the search, texts decide it."""
    hashed = backend.hashed(edges.select(ROW, *ENDS, "relation_kind"), "hash", *ENDS, "relation_kind")
    groups = hashed.group_by("hash").agg(size=nw.len()).filter(nw.col("size") > 1)
    rows = backend.collect(hashed.join(groups, on="hash", how="semi").select(ROW))
    if not rows.height:
        return
    columns = list(RELATIONS.names)
    full = backend.collect(edges.join(backend.upload(rows), on=ROW, how="semi").select(*columns, ROW))
    repeated = full.group_by(columns).agg(pl.len(), pl.col(ROW).min()).filter(pl.col("len") > 1).sort(ROW)
    if repeated.height:
        count = int(repeated["len"].sum()) - repeated.height
        message = "edges repeat an earlier one in every canonical column; answers do not change"
        yield (
            "duplicate edge",
            count,
            message,
            [edge_text(row) for row in repeated.head(EXAMPLES).iter_rows(named=True)],
        )


def _cycles(edges: Frame, backend: Backend) -> Findings:
    """Items that supersede each other in a circle: none of them is current."""
    superseding = edges.filter(nw.col("relation_kind") == SUPERSEDES).select(*ENDS)
    nodes, source, target = numbered_ends(backend.collect(superseding))
    found = cycles(source, target)
    if found:
        texts = []
        for cycle in found[:EXAMPLES]:
            names = [f"{type} {id}" for type, id in nodes[[*cycle, cycle[0]]].select("type", "id").iter_rows()]
            texts.append(" supersedes ".join(names))
        yield "supersede ring", len(found), "items supersede each other in a ring; none of them is current", texts


def edge_text(row: dict[str, object]) -> str:
    """One edge in words, with its row number."""
    return (
        f"row {row[ROW]}: {row['source_type']} {row['source_id']} {row['relation_kind']} "
        f"{row['target_type']} {row['target_id']}"
    )
