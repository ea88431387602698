"""Where the drawing library is: vis-network, in the copy that pyvis carries."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path

from lineage_kit.errors import LineageKitError

SCRIPT = "vis-network.min.js"


@cache
def vis_script() -> str:
    """The minified library as text: a script that fills `exports` where there is one.

    Raises:
        LineageKitError: pyvis is not installed, or its copy is not where it used to be.

    Example:
        >>> "vis-network" in vis_script()[:100]
        True
    """
    library = _library()
    copies = sorted(library.iterdir(), key=_version) if library is not None and library.is_dir() else []
    for folder in reversed(copies):
        script = folder / SCRIPT
        if script.is_file():
            text = script.read_text(encoding="utf-8")
            # The only address in it that a browser would ask for, with its developer tools open.
            return re.sub(r"\n?//# sourceMappingURL=\S*\s*$", "\n", text)
    raise LineageKitError(
        f"pyvis carries no {SCRIPT}, which draws the pictures.\n"
        "Hint: reinstall it (pip install --force-reinstall 'pyvis>=0.3.2')"
    )


def _library() -> Traversable | None:
    # Not `importlib.resources.files("pyvis")`: that imports pyvis, and with it IPython and NetworkX.
    spec = find_spec("pyvis")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "lib"


def _version(folder: Traversable) -> tuple[int, ...]:
    found = re.fullmatch(r"vis-(\d+)\.(\d+)\.(\d+)", folder.name)
    return tuple(map(int, found.groups())) if found else ()
