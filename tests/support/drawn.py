"""Graphs to draw: a small one, a wide one, and one in which every text is hostile."""

import polars as pl

import lineage_kit
from lineage_kit.view.generic import graph_data

ENDS = ("source_type", "source_id", "target_type", "target_id", "relation_kind")
HOSTILE = [
    "<script>window.__hit = 1</script>",
    "</script><script>window.__hit = 2</script>",
    "<img src=x onerror='window.__hit = 3'>",
    '"><svg onload="window.__hit = 4">',
    "<!--<script>",
    "{{constructor.constructor('window.__hit = 5')()}} ${window.__hit = 6}",
    "javascript:window.__hit = 7//href=",
    "line\u2028paragraph\u2029bidi\u202eright\u2066 nul\x01 tab\t",
    "]]></noscript><base href='https://example.test/'>",
]


def drawn(rows, labels=None, limit=500, anchor=("decision", "d1"), **asked):
    """The drawing of what rests under d1; a row is an edge between (type, id) pairs of a kind."""
    frame = pl.DataFrame([dict(zip(ENDS, (*s, *t, kind), strict=True)) for s, t, kind in rows])
    items = None
    if labels:
        items = pl.DataFrame([{"type": t, "id": i, "label": text} for (t, i), text in labels.items()])
    trace = lineage_kit.trace_lineage(frame, *anchor, items=items, **asked)
    return graph_data(trace, limit)


def small(**options):
    """d1 rests on a, b and c; a newer one replaces b, and c rests on e."""
    d1, a, b, newer, c, e = (("decision", name) for name in ("d1", "a", "b", "b2", "c", "e"))
    kinds = [(d1, a), (d1, b), (d1, c), (c, e)]
    rows = [(*ends, "depends_on") for ends in kinds] + [(newer, b, "supersedes")]
    return drawn(rows, {a: "Apples are ripe", b: "Bread is fresh"}, **options)


def wide(count=30, limit=10):
    """d1 rests on many, of which few are drawn at first."""
    return drawn([(("decision", "d1"), ("evidence", f"e{n:03}"), "depends_on") for n in range(count)], limit=limit)


def hostile():
    """Every text that a trace can hold is hostile."""
    rows = [((HOSTILE[0], HOSTILE[1]), (text, f"{text} id"), HOSTILE[2]) for text in HOSTILE]
    labels = {(text, f"{text} id"): f"{text} label" for text in HOSTILE}
    labels[HOSTILE[0], HOSTILE[1]] = "x" * 1_000_000
    return drawn(rows, labels, anchor=(HOSTILE[0], HOSTILE[1]), kinds={HOSTILE[2]: "depends_on"})


def number(drawing, id):
    return next(node["number"] for node in drawing.data["nodes"] if node["id"] == id)
