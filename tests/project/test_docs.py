"""The pages are true: their code runs, their transcripts are what is printed, their tables are those of the schema.

A page is run from top to bottom in a folder of its own, beside the data: python blocks share their names, a sql block
asks the `connection` that the blocks before it made, and a text block right after a python block is what that prints.
"""

import re
import shlex
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

import lineage_kit
from lineage_kit import schema
from lineage_kit.cli import app, run
from lineage_kit.importers.pipeline.findings import KINDS
from lineage_kit.importers.relation_pipeline.findings import RELATION_KINDS
from lineage_kit.sql.connect import VIEWS
from support.shared import ROOT

PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", ROOT / "data" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

# ---- code and transcripts


class Block(NamedTuple):
    """Code of a page; `prints` is the text block right after it, if there is one."""

    language: str
    code: str
    line: int
    prints: str | None


def blocks_of(text):
    found = list(BLOCK.finditer(text))
    blocks = []
    for match, following in zip(found, [*found[1:], None], strict=True):
        prints = None
        if following and following[1] == "text" and not text[match.end() : following.start()].strip():
            prints = following[2]
        blocks.append(Block(match[1], match[2], text.count("\n", 0, match.start()) + 1, prints))
    return blocks


def transcripts_of(code):
    """The commands of a console block, each with what it prints."""
    first, *parts = re.split(r"^\$ ", code, flags=re.MULTILINE)
    assert not first
    return [(shlex.split(command), printed) for command, _, printed in (part.partition("\n") for part in parts)]


def ask(connection, query):
    """Rows, the same ones in the same order each time."""
    answer = connection.sql(query).pl()
    assert answer.height
    assert answer.equals(connection.cursor().sql(query).pl())


def run_block(page, block, names, capsys):
    if block.language == "python":
        exec(compile("\n" * block.line + block.code, page, "exec"), names)
        printed = capsys.readouterr().out
        assert block.prints is None or printed == block.prints
    elif block.language == "console":
        for words, printed in transcripts_of(block.code):
            assert words[0] == "lineage-kit"
            assert run(lambda words=words: app(words[1:], standalone_mode=False)) == 0
            assert capsys.readouterr().out == printed
    elif block.language == "sql":
        ask(names["connection"], block.code)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_from_top_to_bottom(page, capsys, monkeypatch, tmp_path):
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks_of(PAGES[page]):
        try:
            run_block(page, block, names, capsys)
        except BaseException as error:
            error.add_note(f"in the {block.language} block of {page}, line {block.line}")
            raise


def test_there_is_something_to_run():
    languages = {page: [block.language for block in blocks_of(text)] for page, text in PAGES.items()}
    assert {"python", "console"} <= set(languages["README.md"])
    for page in ("tracing", "sessions", "importing", "indexing", "sql"):
        assert "python" in languages[f"docs/{page}.md"]
    assert languages["docs/sql.md"].count("sql") == 12 + 5
    assert [
        page for page, found in languages.items() if not set(found) <= {"", "python", "console", "sql", "text"}
    ] == []


def test_blocks_are_read_with_what_they_print():
    text = (
        "```python\nprint(1)\n```\n\n```text\n1\n```\nand\n```console\n$ lineage-kit a 'b c'\nd\n$ lineage-kit e\n```\n"
    )
    one, _, other = blocks_of(text)
    assert one == ("python", "print(1)\n", 1, "1\n")
    assert transcripts_of(other.code) == [(["lineage-kit", "a", "b c"], "d\n"), (["lineage-kit", "e"], "")]


def test_the_make_targets_they_name_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z]+)`", "".join(PAGES.values()))) <= targets


# ---- tables of columns

MARK = re.compile(
    r"^<!-- (\w+): ([A-Z_]+)(?: without ([A-Z_]+))? -->\n\n?((?:\|.*\n)*(?:\nSorted by .*\n)?)(?=\n|\Z)", re.MULTILINE
)
"""A table that is held against the code: `schema: NODES`, `schema: IMPORTED_EVENTS without EVENTS`, `findings: KINDS`,
`sql: VIEWS`."""
MARKED = [(page, *match.groups()) for page, text in PAGES.items() for match in MARK.finditer(text)]
COME_IN = ("RELATIONS", "ITEMS", "SESSIONS", "EVENTS")
NEEDS = {"non-empty": "; required, never empty", "non-null": "; required, never null", "present": "; required"}
SHOWN = {
    "docs/tracing.md": {"RELATIONS", "ITEMS", "NODES", "EDGES", "FRONTIER", "LEVELS", "SUMMARY", "RINGS", "FOUND"},
    "docs/sessions.md": {"SESSIONS", "EVENTS", "EVENT_TRACES", "ONE_EVENT", "VIOLATIONS"},
    "docs/sql.md": {"TRACES", "AUDIT_SUMMARY", "PATH_NODES", "REPLACEMENTS", "SESSION_TREE", "FINDINGS", "VIEWS"},
    "docs/importing.md": {"IMPORTED_EVENTS", "REPORT", "KINDS", "STATED_RELATIONS", "STATED_ITEMS", "RELATION_KINDS"},
}


def markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def rendered(page, kind, name, without=None):
    """The table that belongs after a mark, and how its rows are sorted; those of a view have no order."""
    if kind == "findings":
        kinds = {"KINDS": KINDS, "RELATION_KINDS": RELATION_KINDS}[name]
        return markdown(
            ["kind", "what was found, and what the import made of it"], [[f"`{k}`", v] for k, v in kinds.items()]
        )
    if kind == "sql":
        connection = lineage_kit.connect()
        columns = {view: connection.sql(f"from {view} limit 0").columns for view in VIEWS}
        return markdown(["view", "columns"], [[f"`{view}`", ", ".join(names)] for view, names in columns.items()])
    table = getattr(schema, name)
    come_in = name in COME_IN
    left_out = getattr(schema, without).names if without else ()
    rows = [
        [f"`{column.name}`", column.dtype.name, column.meaning + (NEEDS.get(column.need, "") if come_in else "")]
        for column in table
        if column.name not in left_out
    ]
    is_sorted = f"\nSorted by {table.sort}.\n" if table.sort and not without and page != "docs/sql.md" else ""
    return markdown(["column", "dtype", "meaning"], rows) + is_sorted


@pytest.mark.parametrize(
    ("page", "kind", "name", "without", "shown"), MARKED, ids=[f"{one[0]}-{one[2]}" for one in MARKED]
)
def test_a_table_is_that_of_the_code(page, kind, name, without, shown):
    wanted = rendered(page, kind, name, without)
    assert shown == wanted, f"{page}: the table after <!-- {kind}: {name} --> has to be\n\n{wanted}"


def refreshed(page):
    """A page with every table as it has to be."""

    def table(match):
        mark = match[0].removesuffix(match[4])
        return mark + rendered(page, *match.groups()[:3])

    return MARK.sub(table, PAGES[page])


@pytest.mark.parametrize("page", SHOWN)
def test_a_page_can_be_refreshed(page, monkeypatch):
    outdated = PAGES[page].replace("| `type` | String |", "| `kind` | Int64 |").replace("| `file` |", "| `path` |")
    outdated = outdated.replace("| `seq` | Int64 |", "| `number` | Float64 |").replace(
        "\nSorted by ", "\nSorted by no "
    )
    true = PAGES[page]
    assert outdated != true
    monkeypatch.setitem(PAGES, page, outdated)
    assert refreshed(page) == true


@pytest.mark.parametrize("page", SHOWN)
def test_the_tables_that_matter_are_there(page):
    assert {name for shown_on, _, name, *_ in MARKED if shown_on == page} >= SHOWN[page], page


def test_the_macros_are_told_with_their_arguments():
    section = PAGES["docs/sql.md"].partition("## Macros")[2].partition("\n## ")[0]
    told = {name: arguments for name, _, arguments in re.findall(r"`(\w+)(\(([^`]*)\))?`", section)}
    macros = lineage_kit.connect().sql(
        "select function_name, parameters from duckdb_functions() where function_type = 'table_macro' and not internal"
    )
    there = dict(macros.fetchall())
    assert set(there) <= set(told)
    for name in there:
        assert told[name] == "" or re.findall(r"(\w+)(?: := [^,]*)?(?:, |$)", told[name]) == there[name]


def test_no_mark_is_misread():
    marks = sum(text.count("<!--") for text in PAGES.values())
    assert marks == len(MARKED)


# ---- links


def prose_of(text):
    """A page without its code."""
    return re.sub(r"`[^`\n]*`", "", BLOCK.sub("", text))


def anchors_of(text):
    """The anchors of a page's headings, as GitHub makes them."""
    seen, anchors = {}, set()
    for heading in re.findall(r"^#+ +(.*)$", BLOCK.sub("", text), re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = seen[slug] = seen.get(slug, -1) + 1
        anchors.add(f"{slug}-{count}" if count else slug)
    return anchors


def links_of(page):
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(PAGES[page])) if "://" not in target]


def wrong_with(page, target):
    path, _, anchor = target.partition("#")
    place = (ROOT / page).parent / path if path else ROOT / page
    if Path(path).is_absolute() or not place.resolve().is_relative_to(ROOT):
        return "leads out of the project"
    if not place.exists():
        return "is not there"
    if anchor and anchor not in anchors_of(place.read_text(encoding="utf-8")):
        return "has no such heading"
    return None


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    assert {target: wrong for target in links_of(page) if (wrong := wrong_with(page, target))} == {}


@pytest.mark.parametrize(
    ("target", "wrong"),
    [
        ("docs/sql.md", None),
        ("data/README.md#the-story", None),
        ("docs/none.md", "is not there"),
        ("data/README.md#no-story", "has no such heading"),
        ("../other/README.md", "leads out of the project"),
        ("/README.md", "leads out of the project"),
    ],
)
def test_a_wrong_link_is_seen(target, wrong):
    assert wrong_with("README.md", target) == wrong


def test_every_page_and_picture_is_led_to():
    """Pages by the README, pictures by any page."""
    led_to = {ROOT / target for target in links_of("README.md")}
    shown = {ROOT / "docs" / target for page in PAGES for target in links_of(page)}
    missing = [path.name for path in (ROOT / "docs").glob("*.md") if path not in led_to]
    missing += [path.name for path in (ROOT / "docs").glob("*.png") if path not in shown]
    assert missing == []


def test_the_readme_is_short():
    assert len(PAGES["README.md"].splitlines()) <= 240


def test_the_pages_are_shipped():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {"README.md", "docs", "data"} <= set(project["tool"]["hatch"]["build"]["targets"]["sdist"]["only-include"])


# ---- architecture.md

ARCHITECTURE = "docs/architecture.md"


def paths_in(text):
    """Files and folders it names: from the root, from the package, or with a * for any one name."""
    return sorted(set(re.findall(r"`([\w./*-]+(?:\.py|/))`", text)))


def test_the_architecture_names_what_is_there():
    package = ROOT / "lineage_kit"
    missing = [path for path in paths_in(PAGES[ARCHITECTURE]) if not [*ROOT.glob(path), *package.glob(path)]]
    assert not missing, f"{ARCHITECTURE} names what is not there: {', '.join(missing)}"


def test_the_architecture_names_every_room():
    package = ROOT / "lineage_kit"
    rooms = {f"{path.parent.relative_to(package).as_posix()}/" for path in package.rglob("__init__.py")} - {"./"}
    ground = {path.name for path in package.glob("*.py")} - {"__init__.py"}
    unnamed = sorted((rooms | ground) - set(paths_in(PAGES[ARCHITECTURE])))
    assert not unnamed, f"{ARCHITECTURE} does not name {', '.join(unnamed)}"
