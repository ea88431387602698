"""What other tools wrote as canonical tables: a folder a format.

Transcripts stand on the steps of `pipeline/`; formats of relations on those of `relation_pipeline/` beside it.

`read_<format>` of every format in the registry can be had from here; formats are loaded when one is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def _readers() -> dict[str, str]:
    """Of every format: the name of its `read_*` function, and the module that has it."""
    from lineage_kit.importers.registry import FORMATS, RELATION_FORMATS

    every = {**FORMATS, **RELATION_FORMATS}
    return {f"read_{name.replace('-', '_')}": importer.__module__ for name, importer in every.items()}


def __getattr__(name: str) -> Any:
    module = _readers().get(name) if name.startswith("read_") else None
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_readers()})
