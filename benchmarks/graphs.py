"""Synthetic relations of any size: time-ordered, heavy-tailed, with revisions, noise and invalidated edges."""

from pathlib import Path

import numpy as np
import polars as pl

KINDS = ("depends_on", "derives_from", "supersedes", "relates_to", "mentions", "blocks")
SHARES = (0.50, 0.30, 0.05, 0.05, 0.05, 0.05)
CLASSES, CLASS_SHARES = ("asserted", "observed", "inferred"), (0.5, 0.3, 0.2)
TYPES = ("decision", "task", "evidence", "goal")
START = 1_767_225_600_000_000  # 2026-01-01 in microseconds
NODES_PER_EDGE = 0.3


def relations(edges: int, seed: int = 7) -> pl.DataFrame:
    """A relations table: 80 % walked edges, 5 % supersedes, 15 % others, 7 % invalidated.

    Node n is older than node n + 1. Premises lie anywhere in the past, a twentieth of them among a few hubs; a
    revision replaces something a little older than itself; one edge in a hundred points forward, so there are cycles.
    """
    rng = np.random.default_rng(seed)
    nodes = max(10, int(edges * NODES_PER_EDGE))
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


def parquet(edges: int, folder: Path) -> Path:
    """The file with a graph of this size, made once."""
    path = folder / f"relations-{edges}.parquet"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        relations(edges).write_parquet(unfinished)
        unfinished.rename(path)
    return path


def node(number: int) -> tuple[str, str]:
    """The type and id of a node."""
    return TYPES[number % len(TYPES)], f"d-{number:09}"


def _word(code: pl.Expr, words: tuple[str, ...]) -> pl.Expr:
    return code.replace_strict(dict(enumerate(words)), return_dtype=pl.String)


def _id(column: str) -> pl.Expr:
    return pl.lit("d-") + pl.col(column).cast(pl.String).str.zfill(9)
