"""The plan of the house: which doors each room has, how many modules, and where the test of each module is."""

import ast
import re

import pytest

from support.shared import ROOT

PACKAGE = ROOT / "lineage_kit"
TESTS = ROOT / "tests"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")
MOST = 16
"""Modules that a room may have: with more, nobody finds one by its name."""


def rooms(folder):
    return sorted(path for path in (PACKAGE / folder).iterdir() if path.is_dir() and (path / "__init__.py").is_file())


@pytest.mark.parametrize("room", [PACKAGE, *sorted(path.parent for path in PACKAGE.rglob("__init__.py"))])
def test_a_room_has_few_modules(room):
    assert len([path for path in room.glob("*.py") if path.name != "__init__.py"]) <= MOST


def test_each_format_has_the_same_doors():
    formats = [room for room in rooms("importers") if not room.name.endswith("pipeline")]
    assert len(formats) >= 9
    for room in formats:
        assert "importer.py" in {path.name for path in room.iterdir()}, room.name


def test_each_engine_has_the_same_doors():
    engines = rooms("engines")
    assert len(engines) >= 3
    for room in engines:
        assert "engine.py" in {path.name for path in room.iterdir()}, room.name


# ---- what stands in one place only


def calls(path, name):
    """The lines on which a function is called, with what it is called with."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        (node.lineno, ast.unparse(node))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]


RESULTS = re.compile(r"\b(LineageTraces?|Reachability|Reachabilities|SessionEventTrace|SessionLineageTrace|Imported)\b")


def test_only_the_results_room_asks_which_result_it_is():
    """Elsewhere a question is put to any result, and answered by the module of that result."""
    found = [
        f"{path.relative_to(ROOT)}:{line} {text}"
        for room in ("view", "cli")
        for path in (PACKAGE / room).rglob("*.py")
        if "results" not in path.parts
        for line, text in calls(path, "isinstance")
        if RESULTS.search(text)
    ]
    assert found == []


def test_no_session_source_is_asked_what_it_can_do_once_a_corpus_has_it():
    """One module makes every source complete; nothing else looks whether a method is there."""
    found = {
        str(path.relative_to(PACKAGE))
        for path in (PACKAGE / "sessions").rglob("*.py")
        for name in ("hasattr", "getattr")
        for _, text in calls(path, name)
        if re.search(r"live|persisted|source", text)
    }
    assert found <= {"sessions/bulk_source.py"}


# ---- the test of each module

THROUGH = {
    "output/places.py": "whole/test_places.py",
    "cli/demo.py": "cli/test_main.py",
    "cli/options.py": "cli/test_option_groups.py",
    "datasets.py": "project/test_data.py",
    "duckdb_connection.py": "door/test_sources.py",
    "engines/columns.py": "whole/test_conformance_relations.py",
    "engines/csr/answer.py": "engines/csr/test_engine.py",
    "engines/csr/from_frame.py": "engines/csr/test_engine.py",
    "engines/csr/graph.py": "engines/csr/test_engine.py",
    "engines/csr/reader.py": "engines/csr/test_engine.py",
    "engines/frames/answer.py": "whole/test_conformance_relations.py",
    "engines/frames/backends.py": "whole/test_conformance_relations.py",
    "engines/index/builder.py": "engines/index/test_build.py",
    "engines/index/columns.py": "engines/index/test_engine.py",
    "engines/index/sort.py": "engines/index/test_engine.py",
    "engines/protocol.py": "whole/test_conformance_relations.py",
    "folding.py": "relations/test_store.py",
    "importers/adr/importer.py": "importers/test_relation_samples.py",
    "importers/adr/linking.py": "importers/adr/test_places.py",
    "importers/adr/markdown.py": "importers/test_relation_fuzz.py",
    "importers/adr/record.py": "importers/test_relation_samples.py",
    "importers/codex/records.py": "importers/codex/test_rows.py",
    "importers/dbt/artifacts.py": "importers/test_relation_fuzz.py",
    "importers/dbt/importer.py": "importers/dbt/test_history.py",
    "importers/dbt/manifest.py": "importers/dbt/test_history.py",
    "importers/graphiti/importer.py": "importers/test_relation_samples.py",
    "importers/graphiti/records.py": "importers/test_relation_samples.py",
    "importers/openlineage/content.py": "importers/openlineage/test_importer.py",
    "importers/openlineage/events.py": "importers/openlineage/test_importer.py",
    "importers/openlineage/lives.py": "importers/openlineage/test_importer.py",
    "importers/openlineage/naming.py": "importers/openlineage/test_importer.py",
    "importers/openlineage/runs.py": "importers/openlineage/test_importer.py",
    "importers/openlineage/saying.py": "importers/test_relation_samples.py",
    "importers/openlineage/writing.py": "importers/openlineage/test_importer.py",
    "importers/pipeline/collecting.py": "importers/test_run.py",
    "importers/prov/names.py": "importers/prov/test_importer.py",
    "importers/prov/statements.py": "importers/prov/test_importer.py",
    "importers/relation_pipeline/context.py": "importers/test_relation_samples.py",
    "importers/relation_pipeline/findings.py": "importers/test_relation_fuzz.py",
    "importers/relation_pipeline/result.py": "importers/relation_pipeline/test_run.py",
    "importers/relation_pipeline/sources.py": "importers/relation_pipeline/test_run.py",
    "importers/relation_pipeline/times.py": "importers/relation_pipeline/test_run.py",
    "importers/smeldr/columns.py": "importers/smeldr/test_database.py",
    "importers/smeldr/export.py": "importers/test_relation_samples.py",
    "importers/smeldr/go_times.py": "importers/test_relation_samples.py",
    "importers/smeldr/importer.py": "importers/smeldr/test_database.py",
    "importers/smeldr/rows.py": "importers/smeldr/test_database.py",
    "importers/smeldr/source.py": "importers/smeldr/test_database.py",
    "door/databases.py": "importers/smeldr/test_database.py",
    "importers/pipeline/context.py": "importers/test_run.py",
    "importers/pipeline/session_ids.py": "importers/claude_code/test_sessions.py",
    "importers/pipeline/session_plan.py": "importers/pipeline/test_batches.py",
    "pictured.py": "view/test_generic.py",
    "relations/cycles.py": "relations/test_check.py",
    "relations/node_edges.py": "relations/test_store.py",
    "relations/questions.py": "relations/test_store.py",
    "relations/reach.py": "whole/test_conformance_relations.py",
    "relations/request.py": "whole/test_hostile.py",
    "relations/search.py": "relations/test_store.py",
    "relations/walk/batching.py": "engines/index/test_engine.py",
    "relations/walk/frames.py": "whole/test_conformance_relations.py",
    "sql/sessions.py": "sql/test_views.py",
    "door/changed.py": "relations/test_what_if.py",
    "engines/csr/instant.py": "whole/test_verbs.py",
    "engines/csr/override.py": "relations/test_what_if.py",
    "engines/csr/strangers.py": "relations/test_what_if.py",
    "engines/labels.py": "relations/test_what_if.py",
    "engines/layered/answer.py": "relations/test_what_if.py",
    "engines/layered/layer.py": "relations/test_what_if.py",
    "engines/layered/reader.py": "relations/test_what_if.py",
    "relations/audit/baseline.py": "relations/audit/test_audit.py",
    "relations/audit/verdicts.py": "relations/audit/test_audit.py",
    "relations/changed_backing.py": "relations/test_what_if.py",
    "relations/opened.py": "relations/test_store.py",
    "relations/walk/routes.py": "whole/test_verbs.py",
    "view/audit_report.py": "relations/audit/test_audit.py",
    "view/graph/compared.py": "relations/test_diff.py",
    "view/results/audit.py": "relations/audit/test_audit.py",
    "view/results/diff.py": "cli/test_diff.py",
    "view/results/path.py": "cli/test_questions.py",
    "door/faults.py": "whole/test_hostile_sources.py",
    "door/in_memory.py": "whole/test_hostile_sources.py",
    "door/parquet_files.py": "whole/test_hostile_sources.py",
    "door/reading.py": "whole/test_hostile_sources.py",
    "door/table_sources.py": "relations/test_backing.py",
    "view/drawable.py": "view/graph/test_page.py",
    "view/graph/assets.py": "view/graph/test_page.py",
    "view/graph/vis_library.py": "view/graph/test_page.py",
    "view/results/frame.py": "view/test_export.py",
    "view/results/imported.py": "importers/test_result.py",
    "view/results/lineage.py": "view/test_display.py",
    "view/results/lineages.py": "view/test_display.py",
    "view/results/reachability.py": "view/test_display.py",
    "view/tables.py": "cli/test_answer.py",
    "view/terminal.py": "view/test_display.py",
    "view/widgets/asking_controls.py": "view/widgets/test_asking_explorer.py",
    "view/widgets/explorer_controls.py": "view/widgets/test_lineage_explorer.py",
    "view/widgets/explorer_questions.py": "view/widgets/test_asking_explorer.py",
    "view/widgets/filters.py": "view/widgets/test_lineage_explorer.py",
    "view/widgets/graph_widget.py": "view/widgets/test_lab.py",
    "view/widgets/timeline_messages.py": "view/widgets/test_session_explorer.py",
    "view/widgets/timeline_text.py": "view/widgets/test_timeline_data.py",
    "view/widgets/timeline_widget.py": "view/widgets/test_timeline_page.py",
}
"""Modules without a test of their name, and the tests that try them most."""


def own_test(path):
    """Where the test of a module is by its name."""
    inside = path.relative_to(PACKAGE)
    return TESTS / inside.parent / f"test_{inside.stem}.py"


def test_each_module_has_a_test_of_its_name_or_says_where_it_is_tested():
    without = {str(path.relative_to(PACKAGE)) for path in MODULES if not own_test(path).is_file()}
    assert without - set(THROUGH) == set(), "modules without a test of their name"
    assert set(THROUGH) - without == set(), "modules that have a test of their name, or are gone"
    assert [test for test in THROUGH.values() if not (TESTS / test).exists()] == []
