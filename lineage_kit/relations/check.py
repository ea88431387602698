"""`store.check()`: what in a relations table deserves a second look before its traces are trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import narwhals as nw
import numpy as np
import polars as pl

from lineage_kit.engines.frames.engine import FramesEngine
from lineage_kit.engines.frames.node_codes import SOURCE, TARGET
from lineage_kit.engines.protocol import Ints
from lineage_kit.relations.cycles import rings
from lineage_kit.schema import CHECKS, ENDS, KNOWN_CLASSES, RELATIONS, ROW, SUPERSEDES, WALKED

EXAMPLES = 3


def check(engine: FramesEngine) -> pl.DataFrame:
    """One row a finding; see `RelationStore.check`."""
    from tqdm import tqdm  # only here: importing the package stays light

    checks: tuple[Callable[[FramesEngine], Iterable[tuple[str, int, str, list[str]]]], ...] = (
        _rows_wrong,
        _rejected,
        _no_walked_kind,
        _duplicates,
        _rings,
    )
    found = [row for one in tqdm(checks, desc="checking", delay=2, leave=False) for row in one(engine)]
    return CHECKS.frame(found).sort("finding")


def _rows_wrong(engine: FramesEngine) -> Iterable[tuple[str, int, str, list[str]]]:
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
        "unknown class": (
            ~nw.col("edge_class").is_in(KNOWN_CLASSES),
            f"edge_class is none of {', '.join(KNOWN_CLASSES)}; it ranks with inferred",
        ),
        "confidence out of range": (
            (confidence < 0) | (confidence > 1),
            "confidence lies outside 0..1",
        ),
    }
    frame = engine.table.frame
    sums = [test.cast(nw.Int64).sum().alias(name) for name, (test, _) in tests.items()]
    counts = engine.backend.collect(frame.select(*sums)).row(0, named=True)
    for name, (test, message) in tests.items():
        if counts[name]:
            rows = engine.backend.collect(frame.filter(test).sort(ROW).head(EXAMPLES))
            yield name, counts[name], message, [edge_text(row) for row in rows.iter_rows(named=True)]


def _rejected(engine: FramesEngine) -> Iterable[tuple[str, int, str, list[str]]]:
    rejected = engine.rejected
    if rejected.height:
        examples = [f"row {row[ROW]}: {row['reason']}" for row in rejected.head(EXAMPLES).iter_rows(named=True)]
        yield (
            "rejected",
            rejected.height,
            "rows set aside at open (strict=False); see store.rejected",
            examples,
        )


def _no_walked_kind(engine: FramesEngine) -> Iterable[tuple[str, int, str, list[str]]]:
    kinds = list(engine.kinds)
    if not set(WALKED) & set(kinds):
        message = (
            f"no edge is {' or '.join(WALKED)}, so every lineage is empty but for replacements; "
            "map your kinds with kinds={'YOUR_KIND': 'depends_on'}"
        )
        yield "no walked kind", len(kinds), message, [repr(kind) for kind in kinds[:20]]


def _duplicates(engine: FramesEngine) -> Iterable[tuple[str, int, str, list[str]]]:
    """Edges stated twice in every canonical column; codes narrow the search, texts decide it."""
    ends = (SOURCE, TARGET, "kind")
    groups = engine.keyed.group_by(*ends).agg(size=nw.len()).filter(nw.col("size") > 1)
    rows = engine.backend.collect(engine.keyed.join(groups, on=list(ends), how="semi").select(ROW))
    if not rows.height:
        return
    columns = list(RELATIONS.names)
    wanted = engine.backend.lifted(rows)
    full = engine.backend.collect(engine.table.frame.join(wanted, on=ROW, how="semi").select(*columns, ROW))
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


def _rings(engine: FramesEngine) -> Iterable[tuple[str, int, str, list[str]]]:
    """Items that supersede each other in a circle: none of them is current."""
    rows = engine.backend.collect(engine.replacing.select(ROW))
    wanted = engine.backend.lifted(rows)
    edges = engine.backend.collect(engine.table.frame.join(wanted, on=ROW, how="semi").select(*ENDS))
    both = [edges.select(type=f"{end}_type", id=f"{end}_id") for end in ("source", "target")]
    nodes = pl.concat(both).unique().sort("type", "id").with_row_index("code")
    source, target = (_codes(side, nodes) for side in both)
    found = rings(source, target)
    if found:
        texts = []
        for ring in found[:EXAMPLES]:
            names = [f"{type} {id}" for type, id in nodes[[*ring, ring[0]]].select("type", "id").iter_rows()]
            texts.append(" supersedes ".join(names))
        message = "items supersede each other in a ring; none of them is current"
        yield "supersede ring", len(found), message, texts


def _codes(side: pl.DataFrame, nodes: pl.DataFrame) -> Ints:
    codes = side.join(nodes, on=["type", "id"], how="left", maintain_order="left")["code"]
    return codes.to_numpy().astype(np.int64)


def edge_text(row: dict[str, object]) -> str:
    """One edge in words, with its row number."""
    return (
        f"row {row[ROW]}: {row['source_type']} {row['source_id']} {row['relation_kind']} "
        f"{row['target_type']} {row['target_id']}"
    )
