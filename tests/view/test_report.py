"""`trace.report`: a page to hand on, self-contained, the same each time, and true."""

import hashlib
import pickle
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import polars as pl
import pytest

from lineage_kit import InvalidRequest, LineageKitError, RelationStore
from support.pages import Page, markdown
from support.shared import DATA
from support.small import edge, two_steps
from support.sources import frame

DOUBTED = ("decision", "dec-2026-0417")
TEMPLATE = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "ul", "li",
    "table", "thead", "tbody", "tr", "th", "td", "pre",
}  # fmt: skip
END = datetime(2026, 2, 1, tzinfo=UTC)


def flagged(ids=("d1", "a", "a2", "b", "gone", "c")):
    """d1 rests on a and gone (invalidated); a2 replaces a; b supports the outdated a alone; c lies beyond the walk."""
    d1, a, a2, b, gone, c = ids
    return frame(
        [
            edge(d1, a, confidence=0.5),
            edge(a2, a, "supersedes"),
            edge(a, b, edge_class="observed"),
            edge(b, c),
            edge(d1, gone, invalid_at=END),
        ]
    )


def labelled(ids, label):
    return pl.DataFrame({"type": ["decision"] * len(ids), "id": ids, "label": [label] * len(ids)})


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The table in two files, in the working directory."""
    whole = flagged()
    whole.head(2).write_parquet(tmp_path / "r1.parquet")
    whole.tail(3).write_parquet(tmp_path / "r2.parquet")
    monkeypatch.chdir(tmp_path)
    return ["r1.parquet", "r2.parquet"]


def sections(trace):
    """{heading: [(sort, text), …]} of a Markdown report."""
    parts, title = {}, None
    for sort, text in markdown(trace.report(format="md")):
        if sort in ("h1", "h2"):
            title = text
            parts[title] = []
        else:
            parts[title].append((sort, text))
    return parts


def cells(parts, title):
    """The rows of the table of a section, by its first cell."""
    flat = [text for sort, text in parts[title] if sort == "cell"]
    width = {"What was asked": 2, "Versions": 2, "Superseded": 5}.get(title, 4)
    return {flat[n]: tuple(flat[n + 1 : n + width]) for n in range(width, len(flat), width)}


# ---- what it holds


def test_question_anchor_and_limits(files):
    trace = RelationStore.open(files, supersede_limit=3).trace_lineage("decision", "d1", 2, as_of=END)
    parts = sections(trace)
    assert parts["Lineage of decision d1"] == [("p", "What does decision d1 rest on, and does that still stand?")]
    assert cells(parts, "What was asked") == {
        "anchor": ("decision d1",),
        "anchor known": ("yes",),
        "max_depth": ("2",),
        "supersede_limit": ("3",),
        "as_of": ("2026-02-01T00:00:00Z",),
        "known_at": ("not set: whenever it came to be known",),
        "truncated": ("by max_depth",),
    }
    assert "not set" in cells(sections(RelationStore.open(files).trace_lineage("decision", "d1")), "What was asked")[
        "as_of"
    ][0]  # fmt: skip


def test_files_with_rows_sizes_and_checksums(files):
    told = cells(sections(RelationStore.open(files).trace_lineage("decision", "d1")), "The data")
    assert told == {
        name: (str(rows), f"{len(content):,}", hashlib.sha256(content).hexdigest())
        for name, rows in zip(files, (2, 3), strict=True)
        for content in [Path(name).read_bytes()]
    }


def test_every_flagged_node_and_the_way_to_it(files):
    parts = sections(RelationStore.open(files).trace_lineage("decision", "d1", 2))
    assert cells(parts, "Invalidated") == {
        "decision gone": (
            "depends_on, asserted",
            "decision d1 → decision gone",
            "invalidated at 2026-02-01T00:00:00Z",
        )
    }
    assert cells(parts, "Superseded") == {
        "decision a": (
            "depends_on, asserted 0.50",
            "decision d1 → decision a",
            "decision a2",
            "superseded by decision a2 (asserted)",
        )
    }
    assert cells(parts, "Outdated support") == {
        "decision b": (
            "depends_on, observed",
            "decision d1 → decision a → decision b",
            "supports only a revision that has been replaced",
        )
    }


def test_tree_warnings_and_what_was_cut(files):
    parts = sections(RelationStore.open(files).trace_lineage("decision", "d1", 2))
    assert parts["The lineage"] == [
        (
            "pre",
            "decision d1\n"
            "├── depth 1 · depends_on decision a · asserted 0.50 · SUPERSEDED\n"
            "│   ├── depth 1, hop 1 · replaced by decision a2 · asserted\n"
            "│   └── depth 2 · depends_on decision b · observed · OUTDATED SUPPORT · TRUNCATED HERE\n"
            "└── depth 1 · depends_on decision gone · asserted · INVALIDATED",
        )
    ]
    assert ("li", "decision b") in parts["What was cut"]
    assert [text.split(":")[0].rstrip(".") for sort, text in parts["In short"] if sort == "li"] == [
        "TRUNCATED by max_depth 2",
        "1 node INVALIDATED",
        "1 node SUPERSEDED",
        "1 node OUTDATED SUPPORT",
    ]


def test_a_sound_lineage_says_so_and_has_no_empty_sections(files):
    parts = sections(RelationStore.open(files).trace_lineage("decision", "b"))
    assert list(parts) == ["Lineage of decision b", "In short", "What was asked", "The lineage", "The data", "Versions"]
    assert parts["In short"] == [
        ("p", "1 premise over 1 level (max_depth 5). Complete: nothing was cut."),
        ("li", "Nothing in it is invalidated, superseded or cut."),
    ]


def test_versions(files):
    told = cells(sections(RelationStore.open(files).trace_lineage("decision", "d1")), "Versions")
    packages = ("lineage-kit", "polars", "duckdb")
    assert told == {**{name: (version(name),) for name in packages}, "python": (platform.python_version(),)}


def test_an_unknown_anchor_is_said_first_with_near_names(files):
    parts = sections(RelationStore.open(files).trace_lineage("decision", "dl"))
    assert parts["In short"] == [("li", "UNKNOWN ANCHOR: no relation mentions decision dl. Close to it: decision d1.")]
    assert cells(parts, "What was asked")["anchor known"] == ("NO: no relation mentions it",)
    assert "The lineage" not in parts


def test_labels_are_those_of_the_items(files):
    trace = RelationStore.open(files, items=labelled(["d1", "a"], "Ship it")).trace_lineage("decision", "d1")
    parts = sections(trace)
    assert "Lineage of decision d1 “Ship it”" in parts
    assert list(cells(parts, "Superseded")) == ["decision a “Ship it”"]


def test_html_and_markdown_say_the_same(files):
    trace = RelationStore.open(files).trace_lineage("decision", "d1", 2)
    assert Page(trace.report()).seen() == markdown(trace.report(format="md"))


# ---- where the data is


def test_a_source_in_memory_says_so():
    trace = RelationStore.open(two_steps()).trace_lineage("decision", "d1")
    assert sections(trace)["The data"] == [("p", "The Polars DataFrame, in memory: 2 edges.")]


def test_a_source_in_memory_beside_a_file_says_so_too(files):
    trace = RelationStore.open(["r1.parquet", flagged().tail(3)]).trace_lineage("decision", "d1")
    told = sections(trace)["The data"]
    assert ("cell", "r1.parquet") in told
    assert any("in memory" in text for _, text in told)


def test_a_pickled_trace_says_that_its_store_is_not_at_hand(files):
    trace = RelationStore.open(files).trace_lineage("decision", "d1")
    parts, again = sections(trace), sections(pickle.loads(pickle.dumps(trace)))
    assert again.pop("The data") == [("p", "The store this answer came from is not at hand any more.")]
    del parts["The data"]
    assert again == parts


def test_a_file_that_changed_since_is_an_error_and_no_report(files):
    trace = RelationStore.open(files).trace_lineage("decision", "d1")
    flagged().write_parquet("r2.parquet")
    with pytest.raises(LineageKitError, match=r"r2\.parquet"):
        trace.report("o.html")
    Path("r2.parquet").unlink()
    with pytest.raises(LineageKitError, match=r"r2\.parquet"):
        trace.report("o.html")
    assert not Path("o.html").exists()


# ---- the same each time, and self-contained


@pytest.mark.parametrize("suffix", ["html", "md"])
def test_two_runs_write_the_same_bytes(suffix, files):
    code = f"import lineage_kit; lineage_kit.trace_lineage({files}, 'decision', 'd1', 2).report('other.{suffix}')"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
    for name in ("one", "two"):
        text = RelationStore.open(files).trace_lineage("decision", "d1", 2).report(f"{name}.{suffix}")
        assert Path(f"{name}.{suffix}").read_bytes() == Path(f"other.{suffix}").read_bytes() == text.encode()


def test_the_page_of_the_story_needs_nothing_from_outside():
    store = RelationStore.open(DATA / "decisions.parquet", items=DATA / "items.parquet")
    text = store.trace_lineage(*DOUBTED).report()
    page = Page(text)
    assert {tag for tag, _ in page.tags} <= TEMPLATE
    assert {name for _, attrs in page.tags for name, _ in attrs} == {"lang", "charset"}
    for outside in ("http:", "https:", "//", "url(", "@import", "<script", "src=", "href="):
        assert outside not in text


# ---- hostile names

HOSTILE = (
    "</pre></td><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a|b\\|c",
    "```\n```text\n# x",
    "[a](javascript:x) **b** _c_ __d__ ~~e~~ <!--",
    "&lt;b&gt; `x` \u202e\x1b[31m &amp;",
)


def hostile():
    table = flagged(HOSTILE).with_columns(edge_class=pl.lit("````|<b>"))
    store = RelationStore.open(table, items=labelled(HOSTILE, "</title>`````|</style><b onclick=x>\n\n# y"))
    return store.trace_lineage("decision", HOSTILE[0], 2)


def test_hostile_names_do_not_change_the_shape_of_the_page():
    plain = ("d1", "a", "a2", "b", "gone", "c")
    store = RelationStore.open(flagged(plain), items=labelled(plain, "x"))
    page, other = Page(hostile().report()), Page(store.trace_lineage("decision", "d1", 2).report())
    assert page.tags == other.tags
    assert any(HOSTILE[1] in text for sort, text in page.seen() if sort == "cell")


def test_hostile_names_do_not_change_the_shape_of_markdown():
    assert markdown(hostile().report(format="md")) == Page(hostile().report()).seen()


# ---- where it goes


@pytest.mark.parametrize(
    ("name", "start"),
    [("o.html", "<!doctype"), ("o.HTM", "<!doctype"), ("o.md", "# Lin"), ("o.markdown", "# Lin")],
)
def test_the_suffix_says_which_sort_of_page(name, start, files):
    trace = RelationStore.open(files).trace_lineage("decision", "d1")
    for place in (name, Path(name)):
        assert trace.report(place).startswith(start)
        assert Path(name).read_text(encoding="utf-8").startswith(start)


def test_format_wins_over_the_suffix_and_html_is_the_default(files):
    trace = RelationStore.open(files).trace_lineage("decision", "d1")
    assert trace.report() == trace.report(format="html") == trace.report("o.txt", format="html")
    assert trace.report("o.html", format="md") == trace.report(format="md") == Path("o.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("path", "format", "words"),
    [
        ("o.txt", None, "a report is .html or .md"),
        ("o", None, "a report is .html or .md"),
        ("", None, "a report is .html or .md"),
        (None, "pdf", "format must be html or md, got 'pdf'"),
        ("nowhere/o.md", None, "cannot be written to nowhere/o.md"),
        ("r1.parquet/o.md", None, "cannot be written to r1.parquet/o.md"),
        (".", "md", r"cannot be written to \."),
    ],
)
def test_a_wrong_place_or_format_is_an_invalid_request(path, format, words, files):
    trace = RelationStore.open(files).trace_lineage("decision", "d1")
    with pytest.raises(InvalidRequest, match=words):
        trace.report(path, format=format)
    assert sorted(path.name for path in Path().iterdir()) == files
