"""Synthetic relations of any size: time-ordered, heavy-tailed, with revisions, noise and invalidated edges.

A graph is made in chunks that have seeds of their own, so that a hundred million edges need no more memory than one
million, and a graph of a given size is the same graph whether it is made as a frame or as a file.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq

KINDS = ("depends_on", "derives_from", "supersedes", "relates_to", "mentions", "blocks")
SHARES = (0.50, 0.30, 0.05, 0.05, 0.05, 0.05)
WALKED = KINDS[:2]
CLASSES, CLASS_SHARES = ("asserted", "observed", "inferred"), (0.5, 0.3, 0.2)
TYPES = ("decision", "task", "evidence", "goal")
START = 1_767_225_600_000_000  # 2026-01-01 in microseconds
NODES_PER_EDGE = 0.3
CHUNK = 250_000  # also the row group of a file: some for every core, even of a small graph


def relations(edges: int, seed: int = 7) -> pl.DataFrame:
    """A relations table: 80 % walked edges, 5 % supersedes, 15 % others, 7 % invalidated.

    Node n is older than node n + 1. Premises lie anywhere in the past, a twentieth of them among a few hubs; a
    revision replaces something a little older than itself; one edge in a hundred points forward, so there are cycles.
    """
    return pl.concat(chunks(edges, seed))


def chunks(edges: int, seed: int = 7) -> Iterator[pl.DataFrame]:
    """The table of `relations` in parts."""
    for number, first in enumerate(range(0, edges, CHUNK)):
        yield _chunk(min(CHUNK, edges - first), node_count(edges), np.random.default_rng([seed, number]))


def parquet(edges: int, folder: Path) -> Path:
    """The file with a graph of this size, made once."""
    path = folder / f"graph-{edges}.parquet"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        parts = (chunk.to_arrow() for chunk in chunks(edges))
        first = next(parts)
        with pq.ParquetWriter(unfinished, first.schema, compression="zstd") as writer:
            writer.write_table(first)
            for part in parts:
                writer.write_table(part)
        unfinished.rename(path)
    return path


def node(number: int) -> tuple[str, str]:
    """The type and id of a node."""
    return TYPES[number % len(TYPES)], f"d-{number:09}"


def node_count(edges: int) -> int:
    """How many nodes a graph of this size draws its edges from."""
    return max(10, int(edges * NODES_PER_EDGE))


def late_nodes(edges: int, count: int) -> list[tuple[str, str]]:
    """Nodes from the end of a graph, whose lineages are the largest; spread a little, so that they differ."""
    nodes = node_count(edges)
    step = max(1, min(97, nodes // (2 * count)))
    return [node(nodes - 1 - step * place) for place in range(min(count, nodes - 1))]


def some_sources(edges: int, count: int) -> pl.DataFrame:
    """The first nodes from all over a graph, in the order of its edges, that rest on anything: type and id."""
    found: pl.DataFrame | None = None
    for chunk in chunks(edges):
        walked = chunk.filter(pl.col("relation_kind").is_in(WALKED)).select(type="source_type", id="source_id")
        found = walked if found is None else pl.concat([found, walked])
        found = found.unique(maintain_order=True)
        if found.height >= count:
            break
    assert found is not None
    return found.head(count)


def _chunk(edges: int, nodes: int, rng: np.random.Generator) -> pl.DataFrame:
    kind = rng.choice(len(KINDS), edges, p=SHARES)
    source = rng.integers(1, nodes, edges)
    target = (source * rng.random(edges)).astype(np.int64)
    hub = rng.random(edges) < 0.05
    target[hub] = (source[hub] * rng.random(hub.sum()) ** 8).astype(np.int64)
    forward = rng.random(edges) < 0.01
    target[forward] = rng.integers(0, nodes, forward.sum())
    revision = kind == KINDS.index("supersedes")
    target[revision] = np.maximum(source[revision] - 1 - rng.geometric(0.02, revision.sum()), 0)
    created = START + source * 30_000_000
    invalid = np.where(rng.random(edges) < 0.07, created + rng.integers(1, 10**12, edges), -1)
    frame = pl.DataFrame(
        {
            "source": source,
            "target": target,
            "kind": kind,
            "class": rng.choice(len(CLASSES), edges, p=CLASS_SHARES),
            "confidence": rng.random(edges).round(3),
            "created": created,
            "invalid": invalid,
        }
    )
    moment = pl.Datetime("us", "UTC")
    return frame.select(
        source_type=_word(pl.col("source") % len(TYPES), TYPES),
        source_id=_id("source"),
        target_type=_word(pl.col("target") % len(TYPES), TYPES),
        target_id=_id("target"),
        relation_kind=_word(pl.col("kind"), KINDS),
        edge_class=_word(pl.col("class"), CLASSES),
        confidence="confidence",
        created_at=pl.col("created").cast(moment),
        invalid_at=pl.when(pl.col("invalid") >= 0).then("invalid").cast(moment),
    )


def _word(code: pl.Expr, words: tuple[str, ...]) -> pl.Expr:
    return code.replace_strict(dict(enumerate(words)), return_dtype=pl.String)


def _id(column: str) -> pl.Expr:
    return pl.lit("d-") + pl.col(column).cast(pl.String).str.zfill(9)
