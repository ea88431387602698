"""Widgets in real JupyterLab, driven in headless Chromium."""

import os

import nbformat
import pytest

from support.browser import need_browser, running
from support.lab import FOREIGN, LabPage, alone, serving

CLICKS = '''\
import anywidget
import traitlets
from ipywidgets import IntSlider, VBox


class Clicks(anywidget.AnyWidget):
    _esm = """
    export default {
        render({ model, el }) {
            const button = document.createElement("button");
            const say = () => { button.textContent = `${model.get("count")} clicks`; };
            button.onclick = () => { model.set("count", model.get("count") + 1); model.save_changes(); };
            model.on("change:count", say);
            say();
            el.append(button);
        },
    };
    """
    count = traitlets.Int(0).tag(sync=True)'''
SHOWN = "clicks, slider = Clicks(), IntSlider(3, max=10)\nVBox([clicks, slider])"


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory):
    """A JupyterLab, the folder it shows and a browser; one at a time, though tests run side by side."""
    need_browser()
    base = tmp_path_factory.getbasetemp()
    folder, home = tmp_path_factory.mktemp("folder"), tmp_path_factory.mktemp("home")
    with (
        alone(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base),
        serving(folder, home) as lab,
        running() as browser,
    ):
        yield lab, folder, browser


@pytest.fixture
def opened(jupyter):
    """Opens a notebook made of these cells, in a folder and a page of its own."""
    lab, folder, browser = jupyter

    def opened(path, *cells):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        notebook.metadata.kernelspec = {"display_name": "Python 3", "language": "python", "name": "python3"}
        (folder / path).parent.mkdir()
        nbformat.write(notebook, folder / path)
        return LabPage.opened(browser, lab, path)

    return opened


# ---- the widgets


def test_widgets_are_drawn_clicked_and_read_back(opened, jupyter):
    with opened("widgets/some.ipynb", CLICKS, SHOWN) as page:
        page.run_all()
        output = page.output(1)
        for count in range(2):
            output.get_by_role("button", name=f"{count} clicks", exact=True).click()
        output.get_by_text("2 clicks", exact=True).wait_for()
        output.get_by_role("slider").press("ArrowRight")
        output.get_by_text("4", exact=True).wait_for()
        assert page.value("[clicks.count, slider.value]") == [2, 4]

        page.python("clicks.count = 40")
        output.get_by_text("40 clicks", exact=True).wait_for()
        page.save()
        assert page.troubles() == []
    folder = jupyter[1] / "widgets"
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files - {".ipynb_checkpoints/some-checkpoint.ipynb"} == {"some.ipynb"}
    [_, shown] = nbformat.read(folder / "some.ipynb", as_version=4).cells
    assert [output.output_type for output in shown.outputs] == ["execute_result"]


# ---- the harness sees what it should see

TROUBLES = """
from IPython.display import Javascript, display

display(Javascript('''
    console.error("an error");
    setTimeout(() => { throw new Error("nobody caught this"); });
    fetch("https://example.com/data").catch(() => element.append("not fetched"));
    new WebSocket("wss://example.org/live").onclose = () => element.append("not connected");
'''))
"""


def test_errors_and_other_hosts_are_seen(opened):
    with opened("troubles/some.ipynb", TROUBLES, "1 / 0") as page:
        with pytest.raises(AssertionError, match="ZeroDivisionError"):
            page.run_all()
        with pytest.raises(AssertionError, match="NameError"):
            page.python("nowhere")
        assert page.python("print('said'); 6 * 7") == "said\n42"
        page.output(0).get_by_text("not fetched").wait_for()
        page.output(0).get_by_text("not connected").wait_for()
        assert sorted(page.foreign) == ["https://example.com/data", "wss://example.org/live"]
        assert {"an error", "nobody caught this"} <= set(page.errors)


@pytest.mark.parametrize(
    ("url", "is_foreign"),
    [
        ("http://localhost:8888/lab", False),
        ("http://127.0.0.1/lab", False),
        ("ws://127.0.0.1:8888/api", False),
        ("https://localhost", False),
        ("data:text/plain,http://example.com/", False),
        ("blob:http://127.0.0.1:8888/a", False),
        ("https://example.com/localhost:8888/", True),
        ("http://localhost.example.com/", True),
        ("http://127.0.0.1.example.com/", True),
        ("HTTPS://EXAMPLE.COM/", True),
        ("wss://example.com", True),
    ],
)
def test_which_addresses_are_foreign(url, is_foreign):
    assert bool(FOREIGN.search(url)) == is_foreign


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_without_a_browser_tests_skip_and_in_ci_they_fail(ci, outcome, monkeypatch):
    monkeypatch.setenv("LINEAGE_KIT_CHROMIUM", "/nowhere/chromium")
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="LINEAGE_KIT_CHROMIUM names /nowhere/chromium, which is not there"):
        need_browser()
