"""The same edges as a store of each engine, and suppositions as a store takes them."""

import tempfile
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from lineage_kit import RelationStore
from lineage_kit.engines.csr import engine as csr
from support import strategies as some
from support.sources import frame

ENGINES = ("arrays", "frames", "lazy", "parquet", "index")


@contextmanager
def opened(engine, edges, **options):
    """A store of the edges; small tables are answered by the frames engine but for `arrays`."""
    options = {"max_depth_limit": some.MAX_DEPTH_LIMIT, **options}
    held = frame(edges)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if engine == "arrays":
            yield RelationStore.open(held, **options)
            return
        with patch.object(csr, "SMALL", -1):
            if engine == "frames":
                yield RelationStore.open(held, **options)
            elif engine == "lazy":
                yield RelationStore.open(held.lazy(), **options)
            else:
                held.write_parquet(place / "edges.parquet")
                store = RelationStore.open(place / "edges.parquet", **options)
                yield store if engine == "parquet" else indexed(store, place / "index", options)


def indexed(store, folder, options):
    """An index is opened with its limits; what it was built with (items, and what ends with them) it knows."""
    store.build_index(folder, progress=False)
    return RelationStore.open(folder, **{name: value for name, value in options.items() if name.endswith("_limit")})


def suppose(store, at, change):
    """`store.what_if` of a change as the model takes it."""
    return store.what_if(
        at,
        withdraw=change["withdraw"] or None,
        invalidate=[(*source, *target, kind) for source, target, kind in change["invalidate"]] or None,
        supersede=[(*old, *new) for old, new in change["supersede"]] or None,
        add=frame(change["add"]) if change["add"] else None,
    )


def same_frames(one, other):
    """Assert that two traces are equal to the last column, row numbers included."""
    assert one == other
    for name in ("nodes", "edges", "frontier"):
        assert getattr(one, name).equals(getattr(other, name)), name
    assert one.describing.equals(other.describing)
