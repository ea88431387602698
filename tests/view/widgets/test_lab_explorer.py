"""Notebook 04 in real JupyterLab: the explorers are looked at, clicked and read back from Python."""

import os
import shutil

import nbformat
import polars as pl
import pytest

from support.browser import need_browser, running
from support.lab import LabPage, alone, serving
from support.shared import ROOT

NOTEBOOK = ROOT / "notebooks" / "04_explore.ipynb"
# How many pixels have a colour of their own: white paper and grey lines have none.
COLOURED = """canvas => {
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let count = 0;
    for (let at = 0; at < pixels.length; at += 4) {
        const channels = pixels.slice(at, at + 3);
        if (pixels[at + 3] && Math.max(...channels) - Math.min(...channels) > 60) count += 1;
    }
    return count;
}"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The notebook in a folder of its own, run from top to bottom."""
    need_browser()
    base = tmp_path_factory.getbasetemp()
    folder, home = tmp_path_factory.mktemp("folder"), tmp_path_factory.mktemp("home")
    shutil.copy(NOTEBOOK, folder)
    with (
        alone(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base),
        serving(folder, home) as lab,
        running() as browser,
        LabPage.opened(browser, lab, NOTEBOOK.name, viewport={"width": 1500, "height": 1300}) as opened,
    ):
        opened.run_all()
        yield opened
        assert opened.troubles() == []
        files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        assert files - {f".ipynb_checkpoints/{NOTEBOOK.stem}-checkpoint.ipynb"} == {NOTEBOOK.name}


def cell(name):
    """Which code cell it is, by its id."""
    code = [one.id for one in nbformat.read(NOTEBOOK, as_version=4).cells if one.cell_type == "code"]
    return code.index(name)


def graph(page, name):
    """The picture under a cell, drawn."""
    found = page.output(cell(name)).locator(".lk-graph")
    found.locator("canvas").first.wait_for()
    return found


def middle(found, number):
    """Where a node is on the page."""
    at = found.evaluate("(root, number) => root.parentElement.lineage.at(number)", number)
    assert at is not None
    return at["x"], at["y"]


def number_of(page, explorer, id):
    return page.value(f"next(n['number'] for n in {explorer}.picture.drawing['nodes'] if n['id'] == {id!r})")


def click(page, found, number, times=1):
    found.locator(".lk-stage").scroll_into_view_if_needed()
    x, y = middle(found, number)
    page.page.mouse.click(x, y, click_count=times)


def until(page, expression):
    """Waits until Python says so: what was clicked is on its way."""
    for _ in range(200):
        if page.value(expression):
            return
        page.page.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression}")


def test_the_picture_is_drawn(page):
    found = graph(page, "look-explorer")
    assert found.locator("canvas").first.evaluate(COLOURED) > 300
    assert found.get_by_text("All 28 nodes shown").is_visible()


def test_a_click_is_read_back_and_shown(page):
    found = graph(page, "look-explorer")
    page.python("explorer.selected = None")
    number = number_of(page, "explorer", "clm-0214")
    click(page, found, number)
    until(page, "explorer.selected == ('claim', 'clm-0214')")
    assert found.locator(".lk-pane").get_by_text("clm-0214").first.is_visible()
    page.python("explorer.selected = ('evidence', 'ev-9d20c6b1')")
    found.locator(".lk-pane").get_by_text("ev-9d20c6b1").first.wait_for()


def test_a_double_click_traces_from_there_and_back(page):
    found = graph(page, "look-explorer")
    click(page, found, number_of(page, "explorer", "clm-0214"), times=2)
    until(page, "explorer.trace.anchor.id == 'clm-0214'")
    found.get_by_text("Lineage of claim clm-0214").wait_for()
    page.output(cell("look-explorer")).get_by_role("button", name="back").click()
    until(page, "explorer.trace.anchor.id == 'dec-2026-0417'")
    found.get_by_text("Lineage of decision dec-2026-0417").wait_for()


def test_depth_and_filters(page):
    output = page.output(cell("look-explorer"))
    found = graph(page, "look-explorer")
    page.python("explorer.max_depth = 1")
    output.get_by_text("TRUNCATED by max_depth 1").wait_for()
    found.get_by_text("All 7 nodes shown").wait_for()
    output.get_by_role("button", name="go deeper (2)").click()
    until(page, "explorer.max_depth == 2")
    page.python("explorer.max_depth = 8")
    found.get_by_text("All 28 nodes shown").wait_for()
    output.get_by_text("Filters", exact=True).click()
    output.get_by_label("show superseded").click()
    until(page, "'ev-7f3a91c2' not in explorer.frame['id'].to_list()")
    found.get_by_text("27 of 28 nodes").first.wait_for()
    output.get_by_label("show superseded").click()
    found.get_by_text("All 28 nodes shown").wait_for()


def test_typing_finds_an_item(page):
    output = page.output(cell("look-explorer"))
    output.get_by_placeholder("find an id or a label").fill("rollback drill")
    output.get_by_role("button", name="evidence ev-9d20c6b1").click()
    until(page, "explorer.anchor.id == 'ev-9d20c6b1'")
    output.get_by_role("button", name="back").click()
    until(page, "explorer.anchor.id == 'dec-2026-0417'")


def test_more_of_a_level_is_opened(page):
    found = graph(page, "large-explorer")
    assert found.get_by_text("10 of 16 nodes shown").is_visible()
    found.locator(".lk-stage").scroll_into_view_if_needed()
    places = found.evaluate(
        "root => [...Array(20).keys()].map((depth) => root.parentElement.lineage.rest(depth)).filter(Boolean)"
    )
    page.page.mouse.click(places[0]["x"], places[0]["y"])
    found.get_by_text("All 16 nodes shown").wait_for()


def test_the_question_is_turned_round_and_cut_to_the_ways_to_a_node(page):
    output, found = page.output(cell("look-explorer")), graph(page, "look-explorer")
    page.python("explorer.selected = ('evidence', 'ev-7f3a91c2')")
    output.get_by_role("button", name="only the ways to evidence ev-7f3a91c2").press("Enter")
    found.get_by_text("All 4 nodes shown").wait_for()
    output.get_by_role("button", name="all nodes again").press("Enter")
    found.get_by_text("All 28 nodes shown").wait_for()
    output.get_by_role("button", name="what rests on it").press("Enter")
    found.get_by_text("Impact of decision dec-2026-0417").wait_for()
    output.get_by_role("button", name="what it rests on").press("Enter")
    found.get_by_text("Lineage of decision dec-2026-0417").wait_for()


def test_a_withdrawal_is_supposed_by_the_keyboard_and_taken_back(page):
    output, found = page.output(cell("look-explorer")), graph(page, "look-explorer")
    page.python("explorer.selected = ('evidence', 'ev-3bc87d19')")
    output.get_by_role("button", name="suppose evidence ev-3bc87d19 is withdrawn").first.press("Enter")
    found.get_by_text("SUPPOSED: evidence ev-3bc87d19 withdrawn").wait_for()
    until(page, "explorer.diff.nodes.filter('worse')['id'].to_list() == ['ev-3bc87d19']")
    assert found.get_by_text("worse: a flag it had not before").is_visible()
    output.get_by_label("withdrawn at").fill("soon")
    output.get_by_label("withdrawn at").press("Enter")
    output.get_by_text("withdrawn_at='soon' is not an ISO 8601 time").wait_for()
    output.get_by_role("button", name="no longer suppose").press("Enter")
    until(page, "explorer.withdrawn == () and explorer.diff is None")
    found.get_by_text("Lineage of decision dec-2026-0417").wait_for()


def test_two_moments_are_compared(page):
    output, found = page.output(cell("look-explorer")), graph(page, "look-explorer")
    page.python("explorer.selected = None")
    output.get_by_label("compare with").select_option("another moment, before")
    output.get_by_label("before: as of").fill("2026-04-26T00:00:00Z")
    output.get_by_label("before: as of").press("Enter")
    found.get_by_text("What changed in the lineage of decision dec-2026-0417").wait_for()
    output.get_by_text(
        "Compared: as_of 2026-04-26T00:00:00Z against all times. 4 nodes added; 4 edges added."
    ).wait_for()
    output.get_by_label("compare with").select_option("nothing")
    until(page, "explorer.diff is None")
    found.get_by_text("Lineage of decision dec-2026-0417").wait_for()


@pytest.mark.parametrize("name", ["HTML", "PNG", "CSV", "Parquet"])
def test_what_is_seen_is_saved(page, name, tmp_path):
    output = page.output(cell("look-explorer"))
    with page.page.expect_download() as saved:
        output.get_by_role("button", name=name, exact=True).first.click()
    path = tmp_path / saved.value.suggested_filename
    saved.value.save_as(path)
    if name == "HTML":
        assert "Lineage of decision dec-2026-0417" in path.read_text(encoding="utf-8")
    elif name == "PNG":
        assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    else:
        frame = pl.read_csv(path) if name == "CSV" else pl.read_parquet(path)
        assert frame.height == page.value("explorer.frame.height")


def test_an_event_is_clicked_and_read_back(page):
    output = page.output(cell("sessions-explorer"))
    found = output.locator(".lk-session")
    found.locator(".lk-row").first.wait_for()
    page.python("sessions.selected = 51")
    found.get_by_role("heading", name="#51 user/message").wait_for()
    assert found.get_by_text("It replaced 14 events").is_visible()
    page.python("sessions.selected = 3")
    found.locator(".lk-row[data-place='5']").click()
    until(page, "sessions.selected == 5")
    assert page.value("[sessions.event.replaced_by, sessions.event.target.surface]") == [51, "shadowed"]
    found.get_by_role("slider").first.press("Home")
    until(page, "sessions.surface_at == 0")
    page.python("sessions.surface_at = None")
    until(page, "sessions.surface_at == 569")


HOSTILE = """
import polars as pl
from lineage_kit import RelationStore

texts = ["<script>window.hit = 1</script>", "<img src=x onerror='window.hit = 1'>", "{{ 7 * 7 }}${window.hit = 1}",
         "<a href='javascript:window.hit = 1'>here</a>", "\\u2028\\u202ewindow.hit = 1", "<b>" + "x" * 1_000_000]
explorer._store = RelationStore.open(
    pl.DataFrame({
        "source_type": "decision", "source_id": "d", "target_type": texts, "target_id": texts,
        "relation_kind": "depends_on", "edge_class": texts,
    }),
    items=pl.DataFrame({"type": texts, "id": texts, "label": texts}),
)
explorer.max_depth = 5
explorer.anchor = ("decision", "d")
"""


def test_hostile_text_stays_text_in_the_widget(page):
    found = graph(page, "look-explorer")
    page.python(HOSTILE)
    found.get_by_text("All 7 nodes shown").wait_for()
    for number in range(1, 7):
        page.python(f"explorer.selected = explorer._nodes[{number}]")
        found.locator(".lk-pane h3").wait_for()
        page.python(f"explorer._controls.search.value = texts[{number - 1}][:40]")
    page.wait()
    assert page.page.evaluate("window.hit") is None
    assert found.locator("script, img, a, b:has(b)").count() == 0
    assert page.output(cell("look-explorer")).locator("script, img, a").count() == 0
