"""What a display asks of any result: every result answers by its file alone, and says so where it has no answer."""

import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

import pytest

import lineage_kit
from lineage_kit import InvalidRequest, RelationStore
from lineage_kit.view import bundle, generic, results
from lineage_kit.view.summary import Notice, Summary
from support.small import two_steps

FUNCTIONS = ("summary", "tree", "graph_data", "to_json", "csv_frame")
MODULES = [import_module(f"{results.__name__}.{module.name}") for module in iter_modules(results.__path__)]


def asked(name, result):
    return getattr(generic, name)(result, *([5] if name == "graph_data" else []))


@dataclass
class Impact:
    """A result that nobody has told the displays of."""

    said: str


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_no_result_is_one_clear_error(name):
    with pytest.raises(InvalidRequest, match=r"^Impact has no "):
        asked(name, Impact("x"))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_each_file_answers_under_the_names_of_the_functions(module):
    own = [name for name in FUNCTIONS if hasattr(module, name)]
    assert {"summary", "tree", "csv_frame"} <= set(own)
    for name in own:
        assert getattr(module, name) in getattr(generic, name).registry.values()


def test_a_result_without_a_picture_says_so():
    with pytest.raises(InvalidRequest, match="Reachability has no graph"):
        generic.graph_data(RelationStore.open(two_steps()).reachability("decision", "d1"), 5)


def test_a_new_result_is_shown_when_its_functions_are_registered():
    class Audit(Impact):
        pass

    @generic.summary.register(Audit)
    def _summary(audit):
        return Summary(f"<{audit.said}>", [Notice("stale", "It is stale.")], sentences_only=True)

    assert bundle(Audit("a")) == {
        "text/plain": "<a>\n! It is stale.",
        "text/html": "<div><p><strong>&lt;a&gt;</strong></p><ul><li><strong>It is stale.</strong></li></ul></div>",
    }


def test_results_are_loaded_when_the_first_is_shown():
    code = """
import sys, lineage_kit
from lineage_kit.view import generic
assert not [name for name in sys.modules if name.startswith("lineage_kit.view.results")]
import polars as pl
generic.summary(pl.DataFrame())
assert "lineage_kit.view.results.lineage" in sys.modules
assert not {"jinja2", "ipywidgets", "anywidget", "pyvis"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_the_frames_of_a_result_go_by_their_names():
    trace = lineage_kit.trace_lineage(two_steps(), "decision", "d1")
    assert generic.csv_frame(trace).equals(trace.nodes)
    for name in ("nodes", "edges", "frontier"):
        assert generic.csv_frame(trace, name).equals(getattr(trace, name))
    with pytest.raises(InvalidRequest, match="no frame 'stats'; there are nodes, edges, frontier"):
        generic.csv_frame(trace, "stats")
    many = RelationStore.open(two_steps()).trace_lineage_many([("decision", "d1")])
    assert generic.csv_frame(many).equals(many.summary)
    read = lineage_kit.read_codex(lineage_kit.data_folder() / "transcripts" / "codex")
    assert generic.csv_frame(read).equals(read.report)
