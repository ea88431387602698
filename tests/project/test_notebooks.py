"""The notebooks: what they show is what a fresh kernel shows, wherever and on whatever machine it runs.

Two judges that know nothing of each other: nbval, and a run with nbclient compared here, output by output.
"""

import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from support.shared import ROOT

FOLDER = ROOT / "notebooks"
NAMES = sorted(path.name for path in FOLDER.glob("*.ipynb"))

# A live widget has a random name, and is not kept; what is shown in its place is.
WIDGET = "application/vnd.jupyter.widget-view+json"

# A locale that is not installed does no harm. The POLARS_FMT settings are those a person may have at home.
SETTINGS = {
    "here": {},
    "Tokyo": {
        "TZ": "Asia/Tokyo",
        "LC_ALL": "C",
        "POLARS_MAX_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "COLUMNS": "40",
        "POLARS_FMT_MAX_ROWS": "3",
        "POLARS_FMT_MAX_COLS": "2",
        "POLARS_FMT_STR_LEN": "5",
    },
    "New York": {
        "TZ": "America/New_York",
        "LC_ALL": "de_DE.UTF-8",
        "POLARS_MAX_THREADS": "2",
        "OMP_NUM_THREADS": "2",
        "COLUMNS": "200",
    },
}
SEEN_BY_THE_KERNEL = """
import json, os, shutil, polars
print(json.dumps([dict(os.environ), os.getcwd(), shutil.get_terminal_size().columns, polars.thread_pool_size()]))
"""


def committed(name):
    return nbformat.read(FOLDER / name, as_version=4)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def environment(folder, settings):
    """The environment of a kernel: this one, without what a person's IPython or pytest would add, and the settings."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "IPYTHON"))}
    return {**inherited, "IPYTHONDIR": str(folder / "ipython"), **settings}


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """Runs a notebook in a fresh kernel in an empty folder, once for each of the settings."""

    @functools.cache
    def run(name, where):
        home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("folder")
        notebook = committed(name)
        for cell in code_cells(notebook):
            cell.outputs, cell.execution_count = [], None
        notebook.cells.append(nbformat.v4.new_code_cell(SEEN_BY_THE_KERNEL))
        where_to = {"metadata": {"path": str(folder)}}
        client = NotebookClient(notebook, kernel_name="python3", resources=where_to, timeout=120)
        client.execute(env=environment(home, SETTINGS[where]))
        variables, cwd, columns, threads = json.loads(notebook.cells.pop().outputs[0].text)
        assert Path(cwd) == folder
        # pl.Config keeps its settings in POLARS_FMT variables, so by now these are the notebook's.
        assert {item for item in SETTINGS[where].items() if "_FMT_" not in item[0]} <= variables.items()
        assert columns == int(SETTINGS[where].get("COLUMNS", columns))
        assert threads == int(SETTINGS[where].get("POLARS_MAX_THREADS", threads))
        return notebook

    return run


def shown(cell):
    """What a cell shows: streams as one text each, every format of a value, errors."""
    outputs = []
    for output in cell.outputs:
        if output.output_type == "stream":
            if outputs and outputs[-1][0] == output.name:
                outputs[-1] = (output.name, outputs[-1][1] + output.text)
            else:
                outputs.append((output.name, output.text))
        elif output.output_type == "error":
            outputs.append(("error", f"{output.ename}: {output.evalue}"))
        else:
            formats = [(kind, content) for kind, content in sorted(output.data.items()) if kind != WIDGET]
            outputs += [(f"{output.output_type} {kind}", content) for kind, content in formats]
    return outputs


def differences(one, other):
    """The ids of the cells that do not show the same, with what the two notebooks show there."""
    assert [cell.id for cell in one.cells] == [cell.id for cell in other.cells]
    pairs = [(left.id, shown(left), shown(right)) for left, right in zip(*map(code_cells, (one, other)), strict=True)]
    return {cell: (left, right) for cell, left, right in pairs if left != right}


def nbval(notebook, folder):
    """nbval's verdict on a notebook: the process, and how many cells passed and failed."""
    nbformat.write(notebook, folder / "notebook.ipynb")
    (folder / "pytest.ini").write_text("[pytest]\n")  # none of this project's settings
    options = ["--nbval", "--nbval-cell-timeout=120", "-p", "no:cacheprovider", "--color=no", "-c", "pytest.ini"]
    command = [sys.executable, "-m", "pytest", *options, "notebook.ipynb"]
    run = subprocess.run(command, cwd=folder, env=environment(folder, {}), capture_output=True, text=True)
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error)", run.stdout)}
    return run, counts


# ---- the outputs are true


@pytest.mark.parametrize("name", NAMES)
def test_nbval_finds_the_outputs_true(name, tmp_path):
    run, counts = nbval(committed(name), tmp_path)
    assert run.returncode == 0, run.stdout
    assert counts == {"passed": len(code_cells(committed(name)))}


@pytest.mark.parametrize("where", SETTINGS)
@pytest.mark.parametrize("name", NAMES)
def test_a_fresh_kernel_shows_the_same_in_any_folder_and_with_any_settings(name, where, fresh):
    assert differences(committed(name), fresh(name, where)) == {}


@pytest.mark.parametrize(
    ("name", "cell", "kind", "old", "new"),
    [
        ("01_trace_a_decision.ipynb", "moments-count", "text/html", "<td>19</td>", "<td>20</td>"),
        ("02_replacement_chains.ipynb", "exact-all", "text/plain", " 1346 ", " 1347 "),
        ("02_replacement_chains.ipynb", "flag-gone", "stream", "26 replacements", "27 replacements"),
        ("03_what_replaced_what.ipynb", "most-covers", "text/html", "<td>177</td>", "<td>178</td>"),
        ("04_explore.ipynb", "cut-whole", "text/plain", "False", "True"),
        ("05_your_own_agent.ipynb", "said", "text/html", "<td>11</td>", "<td>12</td>"),
    ],
)
def test_an_output_edited_by_hand_is_found_out(name, cell, kind, old, new, fresh, tmp_path):
    edited = committed(name)
    [there] = [one for one in edited.cells if one.id == cell]
    output = there.outputs[0]
    holder, key = (output, "text") if kind == "stream" else (output.data, kind)
    assert holder[key].count(old) == 1
    holder[key] = holder[key].replace(old, new)

    assert list(differences(edited, fresh(name, "here"))) == [cell]
    run, counts = nbval(edited, tmp_path)
    assert run.returncode == 1
    assert counts == {"failed": 1, "passed": len(code_cells(edited)) - 1}
    assert new.removeprefix("<td>").removesuffix("</td>") in run.stdout


@pytest.mark.parametrize("name", NAMES)
def test_made_again_it_is_the_same_file(name, tmp_path):
    copy = tmp_path / name
    (tmp_path / "home").mkdir()
    copy.write_bytes((FOLDER / name).read_bytes())
    dirty = nbformat.read(copy, as_version=4)
    for cell in code_cells(dirty):
        cell.outputs, cell.execution_count, cell.metadata["execution"] = [], None, {"iopub.execute_input": "now"}
    dirty.metadata["language_info"] = {"name": "python", "version": "3.99"}
    nbformat.write(dirty, copy)
    command = [sys.executable, str(FOLDER / "execute.py"), str(copy)]
    run = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path / "home", {}), capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, f"{name}\n", "")
    assert copy.read_bytes() == (FOLDER / name).read_bytes()


# ---- the files are fit to read and to keep


def test_there_are_notebooks():
    assert NAMES == [
        "01_trace_a_decision.ipynb",
        "02_replacement_chains.ipynb",
        "03_what_replaced_what.ipynb",
        "04_explore.ipynb",
        "05_your_own_agent.ipynb",
        "06_is_it_still_true.ipynb",
        "07_relations_you_already_have.ipynb",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_it_says_first_what_it_shows(name):
    title, *more = committed(name).cells[0].source.split("\n\n")
    assert committed(name).cells[0].cell_type == "markdown"
    assert re.fullmatch(r"# [A-Z][^\n]+", title)
    assert re.search(r"This notebook [a-z].*\.$", more[0])


@pytest.mark.parametrize("name", NAMES)
def test_it_is_short_and_every_code_cell_shows_something(name):
    cells = committed(name).cells
    assert 12 <= len(cells) <= 18
    assert [cell.id for cell in code_cells(committed(name)) if not shown(cell)] == []


@pytest.mark.parametrize("name", NAMES)
def test_it_ran_once_from_top_to_bottom_without_an_error(name):
    cells = code_cells(committed(name))
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        assert {what for what, _ in shown(cell)}.isdisjoint({"error", "stderr"})
        assert {output.get("execution_count", cell.execution_count) for output in cell.outputs} == {
            cell.execution_count
        }


@pytest.mark.parametrize("name", NAMES)
def test_it_holds_nothing_of_the_machine_it_ran_on(name):
    notebook = committed(name)
    nbformat.validate(notebook)
    assert notebook.metadata == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    assert [cell.id for cell in notebook.cells if cell.metadata] == []
    assert [cell.id for cell in code_cells(notebook) for output in cell.outputs if output.get("metadata")] == []
    assert [cell.id for cell in notebook.cells if not re.fullmatch(r"[a-z]+(-[a-z]+)?", cell.id)] == []
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert re.findall(r"[^<]/(?:home|Users|tmp|private|var|usr|opt|mnt|srv|root|work)/|[A-Z]:\\\\", text) == []
    assert str(FOLDER.parent) not in text
    assert "0x" not in text
