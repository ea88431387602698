"""What holds for the project as a whole: its shape, its lock file, what it ships and what it says."""

import ast
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile

import pytest

from support.shared import ROOT

PACKAGE = ROOT / "lineage_kit"
MODULES = sorted(PACKAGE.rglob("*.py"))

# ---- the shape of the package

# Which rooms each room may import, itself aside. A room is a folder or file right under lineage_kit.
GROUND = {
    "door",
    "duckdb_connection",
    "errors",
    "folding",
    "json_values",
    "output",
    "pictured",
    "progress",
    "schema",
    "schema_forms",
    "wording",
}
MIDDLE = GROUND | {"engines"}
UPPER = MIDDLE | {"relations", "sessions", "importers"}
MAY_IMPORT = {
    "errors": set(),
    "wording": set(),
    "json_values": set(),
    "duckdb_connection": set(),
    "datasets": set(),
    "folding": set(),
    "pictured": set(),
    "progress": set(),
    "schema_forms": set(),
    "schema": {"schema_forms"},
    "output": {"errors", "wording"},
    "door": {"duckdb_connection", "errors", "schema", "schema_forms", "wording"},
    "engines": GROUND,
    "relations": MIDDLE,
    "sessions": MIDDLE,
    "importers": MIDDLE | {"relations", "sessions"},
    "view": UPPER,
    "sql": UPPER,
    "cli": UPPER | {"datasets", "sql", "view", "lineage_kit"},
}

# The one exception: these methods of results are thin, and import `view` when they are called.
THIN = {"_repr_mimebundle_", "graph", "to_html", "show", "report"}


def room_of(module):
    """`lineage_kit.relations.walk` is in the room `relations`; the package itself is `lineage_kit`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_module(name):
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def imports(path):
    """Every import of our own modules in a file: (line, module, names of the functions around it)."""
    module = module_of(path)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found = []

    def names(node):
        if isinstance(node, ast.Import):
            return [alias.name for alias in node.names]
        base = node.module or ""
        if node.level:
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*above, *([base] if base else [])])
        # `from lineage_kit import view` imports a room, `from lineage_kit import connect` the package.
        inside = [f"{base}.{alias.name}" for alias in node.names]
        return [name if is_module(name) else base for name in inside]

    def visit(node, around):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            around = (*around, node.name)
        if isinstance(node, ast.Import | ast.ImportFrom):
            ours = [name for name in names(node) if name.split(".")[0] == "lineage_kit"]
            found.extend((node.lineno, name, around) for name in ours)
        for child in ast.iter_child_nodes(node):
            visit(child, around)

    visit(ast.parse(path.read_text(encoding="utf-8")), ())
    return found


def wrong_imports(path):
    room = room_of(module_of(path))
    if room == "lineage_kit":
        return []
    wrong = []
    for line, module, around in imports(path):
        target = room_of(module)
        is_thin = target == "view" and not THIN.isdisjoint(around)
        if target != room and target not in MAY_IMPORT[room] and not is_thin:
            wrong.append(f"{path.relative_to(ROOT)}:{line} imports {module}")
    return wrong


def test_every_module_is_in_a_room():
    rooms = {room_of(module_of(path)) for path in MODULES}
    assert rooms - {"lineage_kit"} <= set(MAY_IMPORT)


def test_imports_run_downwards():
    assert [line for path in MODULES for line in wrong_imports(path)] == []


@pytest.mark.parametrize(
    ("room", "text", "is_wrong"),
    [
        ("relations/trace.py", "from lineage_kit.door.tables import canonical", False),
        ("relations/trace.py", "from ..door.tables import canonical\nfrom .walk import walk", False),
        ("relations/trace.py", "import lineage_kit.view", True),
        ("relations/trace.py", "from .. import view", True),
        ("relations/trace.py", "from lineage_kit import RelationStore", True),
        ("relations/trace.py", "from lineage_kit.sessions import corpus", True),
        ("relations/trace.py", "class A:\n def graph(self):\n  from lineage_kit.view import graph", False),
        ("relations/trace.py", "class A:\n def graph(self):\n  from lineage_kit import sql", True),
        ("relations/trace.py", "class A:\n def other(self):\n  from lineage_kit.view import graph", True),
        ("schema.py", "from .relations import store", True),
        ("cli.py", "from lineage_kit import RelationStore, view", False),
        ("__init__.py", "from lineage_kit.view import graph", False),
    ],
)
def test_the_check_of_imports_sees(room, text, is_wrong, tmp_path, monkeypatch):
    for name in ("door", "relations", "sessions", "view"):
        (tmp_path / "lineage_kit" / name).mkdir(parents=True)
    for name in ("sql.py", "schema.py"):
        (tmp_path / "lineage_kit" / name).touch()
    path = tmp_path / "lineage_kit" / room
    path.write_text(text)
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    assert bool(wrong_imports(path)) == is_wrong


def test_files_are_short():
    lines = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: count for name, count in lines.items() if count >= 500} == {}


def test_every_file_has_a_name_that_says_something():
    assert [path for path in MODULES if path.stem in {"utils", "util", "helpers", "misc", "common"}] == []


def test_import_leaves_widgets_and_command_line_alone(tmp_path):
    heavy = ["ipywidgets", "anywidget", "pyvis", "typer", "rich", "tqdm", "pandas"]
    code = f"import sys, lineage_kit; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "[]\n", "")


# ---- what is installed, and what is shipped


def locked_names():
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    return {line.split("==")[0] for line in lines if "==" in line}


def test_lock_holds_pins_and_hashes_only():
    pin = re.compile(r"[a-z0-9-]+==[0-9][0-9a-z.]*( ; [A-Za-z0-9_.<>=!' ()]+)? \\")
    digest = re.compile(r" {4}--hash=sha256:[0-9a-f]{64}( \\)?")
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not (pin.fullmatch(line) or digest.fullmatch(line))] == []


def test_lock_covers_what_the_project_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = [
        *project["project"]["dependencies"],
        *project["dependency-groups"]["dev"],
        *project["build-system"]["requires"],
    ]
    assert {re.match(r"[a-z0-9-]+", name)[0] for name in asked} - locked_names() == set()


def built(target, folder):
    """What a built wheel or source archive holds."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    [archive] = folder.iterdir()
    if target == "wheel":
        return set(zipfile.ZipFile(archive).namelist())
    with tarfile.open(archive) as tar:
        return {name.partition("/")[2] for name in tar.getnames()}


def test_wheel_holds_the_package_and_its_data(tmp_path):
    names = built("wheel", tmp_path)
    folders = (PACKAGE / "view" / "static", PACKAGE / "view" / "templates")
    scripts = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".js", ".css", ".html")]
    package = {str(path.relative_to(ROOT)) for path in [*MODULES, *scripts, PACKAGE / "py.typed"]}
    assert scripts
    folders = [ROOT / "data" / "transcripts", ROOT / "data" / "relations"]
    shipped = [
        *(ROOT / "data").glob("*.parquet"),
        *(path for folder in folders for path in folder.rglob("*") if path.is_file()),
    ]
    data = {f"lineage_kit/_data/{path.relative_to(ROOT / 'data').as_posix()}" for path in shipped}
    assert package | data <= names
    assert {name.split("/")[0] for name in names} == {"lineage_kit", "lineage_kit-0.1.0.dist-info"}
    assert {name for name in names if name.startswith("lineage_kit/_data/")} == data
    assert "lineage_kit-0.1.0.dist-info/licenses/LICENSE" in names


def test_source_archive_can_be_set_up_and_tested(tmp_path):
    names = built("sdist", tmp_path)
    needed = {"pyproject.toml", "LICENSE", "Makefile", "requirements.lock", "data/facts/rfc.csv"}
    assert needed | {"tests/project/test_project.py"} <= names
    assert [name for name in names if name.startswith((".venv", ".git/", "dist"))] == []


# ---- what the project says


def committed_files():
    """The files git knows or would take in; without git, all that is here but the environment and caches."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        run = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        names = []
    else:
        names = [name for name in os.fsdecode(run.stdout).split("\0") if name]
    if not names:
        skipped = {".git", ".venv", "dist", "build", "__pycache__"}
        inside = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
        names = [path for path in inside if not any(part in skipped or part.endswith("_cache") for part in path.parts)]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


# Joined from parts, so that this file does not hold them itself.
MACHINE_PATHS = ["/".join(["", name, ""]) for name in ("work", "root")]
MACHINE_PATHS += ["/".join(["", "opt", name]) for name in ("pypi", "wheels")]
REGISTRY_HOSTS = [".".join(["files", "pythonhosted"]), ".".join(["pypi", "org"])]


@pytest.mark.parametrize("text", MACHINE_PATHS + REGISTRY_HOSTS)
def test_no_file_names_a_machine_path_or_registry_host(text):
    files = committed_files()
    assert ROOT / "pyproject.toml" in files
    assert [str(path.relative_to(ROOT)) for path in files if text.encode() in path.read_bytes()] == []
