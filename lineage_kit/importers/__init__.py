"""Other tools' logs as canonical tables and live sources: a folder a format, all on the steps of `pipeline/`.

`read_<format>` of every format in the registry can be had from here; formats are loaded when one is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def _readers() -> dict[str, str]:
    """Of every format: the name of its `read_*` function, and the module that has it."""
    from lineage_kit.importers.registry import FORMATS

    return {f"read_{name.replace('-', '_')}": importer.__module__ for name, importer in FORMATS.items()}


def __getattr__(name: str) -> Any:
    module = _readers().get(name) if name.startswith("read_") else None
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_readers()})
