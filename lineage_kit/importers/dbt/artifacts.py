"""Artifacts without what is not read of them, which is nearly all: code, columns, macros, documentation."""

from __future__ import annotations

from typing import Any

import msgspec

from lineage_kit.importers.dbt.manifest import SECTIONS

UNSET: Any = msgspec.UNSET
READ = (
    "unique_id",
    "resource_type",
    "name",
    "package_name",
    "depends_on",
    "description",
    "version",
    "latest_version",
    "deprecation_date",
    "relation_name",
    "original_file_path",
)
"""What is read of a node."""
Node = msgspec.defstruct("Node", [(name, Any, UNSET) for name in READ], omit_defaults=True)
Result = msgspec.defstruct("Result", [(name, Any, UNSET) for name in ("unique_id", "status")], omit_defaults=True)
Artifact = msgspec.defstruct(
    "Artifact",
    [
        ("metadata", Any, UNSET),
        *((section, dict[str, Node] | msgspec.UnsetType, UNSET) for section in SECTIONS),  # type: ignore[valid-type]
        ("disabled", dict[str, Any] | msgspec.UnsetType, UNSET),
        ("parent_map", Any, UNSET),
        ("results", list[Result] | msgspec.UnsetType, UNSET),  # type: ignore[valid-type]
    ],
    omit_defaults=True,
)
ARTIFACT, ANY = msgspec.json.Decoder(Artifact), msgspec.json.Decoder()


def decode_artifact(data: bytes) -> Any:
    """An artifact as dictionaries of what is read; as a whole where something in it is of the wrong shape.

    Example:
        >>> decode_artifact(b'{"metadata": {}, "nodes": {"m": {"name": "m", "raw_code": "select"}}, "docs": {}}')
        {'metadata': {}, 'nodes': {'m': {'name': 'm'}}}
        >>> decode_artifact(b'{"metadata": {}, "nodes": {"m": 3}}')
        {'metadata': {}, 'nodes': {'m': 3}}
    """
    if not data.isascii():
        data.decode()
    try:
        held = ARTIFACT.decode(data)
    except msgspec.ValidationError:
        return ANY.decode(data)
    return msgspec.to_builtins(held)
