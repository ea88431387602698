"""A format is one folder and one line of the registry: everything that names the formats derives from that line."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import lineage_kit
from lineage_kit import importers
from lineage_kit.cli.importing import import_logs
from lineage_kit.importers.registry import FORMATS, RELATION_FORMATS

ROOM = Path(importers.__file__).parent
DOORS = {"importer", "reader", "records"}
"""Modules that every format of transcripts has."""
EVERY = {**FORMATS, **RELATION_FORMATS}
NAMES = {"importer", "reader", "records", "file_index", "duplicates", "surface"}
"""Modules that formats have in common; what else a format has is its own."""


def modules(folder):
    return {path.stem for path in folder.glob("*.py")} - {"__init__"}


def test_every_folder_of_a_format_is_registered():
    folders = {path.parent.name for path in ROOM.glob("*/importer.py")}
    assert {name.replace("-", "_") for name in EVERY} == folders


@pytest.mark.parametrize("name", EVERY)
def test_every_format_has_the_same_doors(name):
    folder = ROOM / name.replace("-", "_")
    assert modules(folder) >= (DOORS if name in FORMATS else {"importer"})
    module = import_module(EVERY[name].__module__)
    assert module.__name__ == f"lineage_kit.importers.{folder.name}.importer"
    reader = f"read_{folder.name}"
    assert getattr(importers, reader) is getattr(module, reader)
    assert reader in dir(importers)


@pytest.mark.parametrize("reader", [name for name in lineage_kit.__all__ if name.startswith("read_")])
def test_what_the_package_reads_is_registered(reader):
    assert getattr(lineage_kit, reader) is getattr(importers, reader)


@pytest.mark.parametrize("name", EVERY)
def test_a_format_stands_on_the_pipeline_alone(name):
    """But for its importer, which gives the class to the steps, nothing of a format knows what is above it."""
    folder = ROOM / name.replace("-", "_")
    for path in folder.glob("*.py"):
        above = {f"lineage_kit.importers.{one}" for one in ("run", "result", "live")}
        above |= {f"lineage_kit.importers.relation_pipeline.{one}" for one in ("run", "result")}
        ours = {line.split()[1] for line in path.read_text().splitlines() if line.startswith("from lineage_kit.")}
        assert path.stem in ("importer", "source", "__init__") or not above & ours, path
        others = {f"lineage_kit.importers.{other.replace('-', '_')}" for other in EVERY if other != name}
        assert not {one for one in ours if any(one.startswith(f"{other}.") for other in others)}, path


def test_the_choices_of_the_command_line_are_the_registered_formats():
    origin = get_args(get_type_hints(import_logs, include_extras=True)["origin"])[0]
    assert [choice.value for choice in origin] == list(EVERY)


@pytest.mark.parametrize("name", FORMATS)
def test_a_live_source_takes_every_format(name, tmp_path):
    assert lineage_kit.JsonlSessions(tmp_path, name).list_sessions().is_empty()


def test_what_is_no_reader_is_no_attribute():
    with pytest.raises(AttributeError, match="read_diary"):
        _ = importers.read_diary
    with pytest.raises(AttributeError, match="other"):
        _ = importers.other


def test_no_format_is_loaded_before_it_is_asked_for():
    code = "import sys, lineage_kit; print([name for name in sys.modules if name.startswith('lineage_kit.importers')])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert told.stdout == "[]\n"
