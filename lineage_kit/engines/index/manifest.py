"""The files of an index: a manifest that describes them, and the checks before any of them is trusted.

An index is a folder. Numbers lie in `.npy` files, one array a file, mapped when the index is opened: what must be
checked then is their size and header, which takes milliseconds. `verify` reads every byte.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from lineage_kit.door.sources import File
from lineage_kit.door.table_spec import TableSpec
from lineage_kit.engines.csr.graph import WORD, Array
from lineage_kit.errors import IndexUnusable
from lineage_kit.output.folder_manifest import (
    INDEX,
    MANIFEST,
    Stored,
    manifest_in,
    rendered,
    sha256_of,
    write_manifest,
)
from lineage_kit.progress import bar

VERSION = 5
EDGES_FILE, ITEMS_FILE = "edges.parquet", "items.parquet"
"""Files of an index: a copy of frames that were in memory, and the items."""
RECORDS = {
    "edges": {"target": "u", "row": "u", "kind": "u", "edge_class": "u", "quality": "u"},
    "into": {"source": "u", "edge": "u"},
    "ends": dict.fromkeys(
        ("out_start", "out_walked", "out_superseding", "in_start", "in_superseding", "in_walked"), "u"
    ),
}
"""The arrays of records, with the kinds of numbers that they hold."""
OPTIONAL = {"confidence": "f", "created_at": "i", "valid_at": "i", "invalid_at": "i", "expired_at": "i"}
"""Fields of an edge that are left out where they would hold nothing."""


@dataclass(frozen=True)
class Given:
    """One source of an index: the paths it was built from (none for a frame in memory), and the files behind them."""

    paths: tuple[str | None, ...]
    files: tuple[File, ...]

    def json(self) -> dict[str, Any]:
        """As the manifest has it."""
        files = [{**asdict(replace(file, inode=0)), "path": str(file.path)} for file in self.files]
        return {"paths": list(self.paths), "files": files}

    @classmethod
    def of(cls, told: Any) -> Given:
        """From what a manifest says."""
        files = tuple(File(**{**file, "path": Path(file["path"])}) for file in told["files"])
        return cls(tuple(told["paths"]), files)


@dataclass(frozen=True)
class Manifest:
    """What an index says of itself.

    Attributes:
        package: the version of the package that built it.
        name: a short name of its relations.
        spec: how they were read.
        sources: the relations it was built from.
        items: the items, if it has any.
        nodes, edges, rejected: how many there are.
        kinds, classes, types: the texts behind the codes in its arrays, each sorted.
        kind_counts: edges by kind, in the order of `kinds`.
        files: its own files, by name.
    """

    package: str
    name: str
    spec: TableSpec
    sources: Given
    items: Given | None
    nodes: int
    edges: int
    rejected: int
    kinds: list[str]
    kind_counts: list[int]
    classes: list[str]
    types: list[str]
    files: Mapping[str, Stored] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Write the manifest, as the last of the files."""
        told = {"format": INDEX, "version": VERSION, **{name: getattr(self, name) for name in FIELDS}}
        told["spec"] = self.spec.json()
        told["sources"] = self.sources.json()
        told["items"] = None if self.items is None else self.items.json()
        told["files"] = {name: asdict(stored) for name, stored in self.files.items()}
        write_manifest(folder, told)


FIELDS = tuple(Manifest.__dataclass_fields__)


def is_index(folder: Path) -> bool:
    """Whether a folder has the manifest of an index, of whatever version."""
    told = manifest_in(folder)
    return told is not None and told["format"] == INDEX


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an index, its files checked by size.

    Raises:
        IndexUnusable: foreign, newer, or damaged.
    """
    try:
        content = (folder / MANIFEST).read_bytes()
        told = json.loads(content)
    except OSError as error:
        raise unusable(folder, f"it has no readable {MANIFEST} ({error.strerror or error})") from error
    except ValueError as error:
        raise unusable(folder, f"its {MANIFEST} is damaged: {error}") from error
    if not isinstance(told, dict) or told.get("format") != INDEX:
        raise unusable(folder, f"its {MANIFEST} is not that of a lineage index, but of something else")
    if told.get("version") != VERSION:
        package = told.get("package")
        older = isinstance(version := told.get("version"), int) and version < VERSION
        reason = f"it has {'the older ' * older}format version {version!r} (written by lineage_kit {package}); "
        other = "" if older else "or upgrade the package"
        raise unusable(folder, f"{reason}this version of the package reads {VERSION}", other)
    try:
        manifest = Manifest(
            **{name: told[name] for name in FIELDS}
            | {
                "spec": TableSpec.from_json(told["spec"]),
                "sources": Given.of(told["sources"]),
                "items": None if told["items"] is None else Given.of(told["items"]),
                "files": {name: Stored(**stored) for name, stored in told["files"].items()},
            }
        )
        for name in ("nodes", "edges", "rejected", "kinds", "kind_counts", "classes", "types"):
            wanted = int if name in ("nodes", "edges", "rejected") else list
            if not isinstance(told[name], wanted):
                raise TypeError(f"{name} is {told[name]!r}")
    except (KeyError, TypeError, AttributeError) as error:
        raise unusable(folder, f"its {MANIFEST} is damaged: {error!r}") from error
    if content != rendered(told):
        raise unusable(folder, f"its {MANIFEST} is damaged: it is not as it was written")
    for name, stored in manifest.files.items():
        try:
            size = (folder / name).stat().st_size
        except OSError as error:
            raise unusable(folder, f"its file {name} is missing", manifest=manifest) from error
        if size != stored.size:
            reason = f"its file {name} has {size:,} bytes instead of {stored.size:,}"
            raise unusable(folder, reason, manifest=manifest)
    return manifest


def mapped_arrays(folder: Path, manifest: Manifest) -> dict[str, Array]:
    """Every array of an index by name, mapped; their headers are checked.

    Raises:
        IndexUnusable: an array that is missing, or not what it should be.
    """
    lengths = {"edges": manifest.edges, "into": manifest.edges, "ends": manifest.nodes + 1}
    lengths |= {"id_start": manifest.nodes + 1, "type_start": len(manifest.types) + 1}
    others = ["id_text", "levels"]  # of any length
    if "label_text.npy" in manifest.files:
        lengths |= {"label_start": manifest.nodes + 1, "label_there": -(-manifest.nodes // 64) * 8}
        others.append("label_text")
    arrays: dict[str, Array] = {}
    for name, length in [*lengths.items(), *((name, None) for name in others)]:
        if f"{name}.npy" not in manifest.files:
            raise unusable(folder, f"its manifest names no file {name}.npy", manifest=manifest)
        try:
            array = mapped(folder / f"{name}.npy")
        except (OSError, ValueError, SyntaxError, TokenError) as error:
            raise unusable(folder, f"its file {name}.npy is damaged: {error}", manifest=manifest) from error
        if array.ndim != 1 or array.size != (array.size if length is None else length) or not _holds(name, array):
            reason = f"its file {name}.npy holds {array.dtype} in shape {array.shape}, not what the manifest says"
            raise unusable(folder, reason, manifest=manifest)
        arrays[name] = array
    return arrays


def _holds(name: str, array: Array) -> bool:
    """Whether an array holds numbers, or records, of the kinds that it should."""
    if name not in RECORDS:
        return array.dtype.kind == ("f" if name == "levels" else "u")
    held = {field: array.dtype[field].kind for field in array.dtype.names or ()}
    optional = {field: kind for field, kind in OPTIONAL.items() if name == "edges" and field in held}
    return held == RECORDS[name] | optional and array.dtype.itemsize % WORD == 0


def mapped(path: Path) -> Array:
    """One array, mapped (an empty one cannot be, and is read)."""
    try:
        array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, SyntaxError, TokenError):  # a damaged header is read as Python, and breaks as such
        array = np.load(path, allow_pickle=False)
        if array.size:
            raise
    return array.view(np.ndarray)


def expect_scattered_reads(arrays: Iterable[Array]) -> None:
    """Tell the system that neighbours of what is read will not be wanted: it need not read and map them too."""
    _advise(arrays, "MADV_RANDOM")


def release(arrays: Iterable[Array]) -> None:
    """Give mapped pages back; they stay in the system's cache and come back when they are touched again."""
    _advise(arrays, "MADV_DONTNEED")


def _advise(arrays: Iterable[Array], advice: str) -> None:
    """Tell the system something about mapped arrays, where it listens."""
    for array in arrays:
        if isinstance(array.base, np.memmap):
            mapping = array.base._mmap  # type: ignore[attr-defined]
            if mapping is not None and hasattr(mapping, "madvise"):
                mapping.madvise(getattr(mmap, advice))


def resident_of_files() -> int:
    """Bytes of mapped files that count as this process's memory; 0 where the system does not tell."""
    try:
        with Path("/proc/self/statm").open("rb") as pages:
            return int(pages.read().split()[2]) * mmap.PAGESIZE
    except (OSError, ValueError, IndexError):
        return 0


def verify_files(folder: Path) -> Manifest:
    """Read every byte of an index and compare it with the manifest.

    Raises:
        IndexUnusable: the first file that differs.
    """
    manifest = read_manifest(folder)
    mapped_arrays(folder, manifest)
    for name, stored in bar(manifest.files.items(), doing="verifying", unit="file"):
        if sha256_of(folder / name) != stored.sha256:
            raise unusable(folder, f"its file {name} has changed since it was built", manifest=manifest)
    return manifest


def check_index(folder: Path, *, every_byte: bool) -> Manifest:
    """The manifest of an index whose files are checked: sizes and headers, or every byte.

    Raises:
        IndexUnusable: something is wrong with it.
    """
    if every_byte:
        return verify_files(folder)
    manifest = read_manifest(folder)
    mapped_arrays(folder, manifest)
    return manifest


def unusable(folder: Path, reason: str, other: str = "", *, manifest: Manifest | None = None) -> IndexUnusable:
    """The error that says why an index cannot be used, and what to run."""
    command = rebuild_command(folder, manifest)
    hint = f"build it again from Python, with store.build_index({str(folder)!r})"
    if command is not None:
        hint = f"build it again: {command}"
    return IndexUnusable(f"the index {folder} cannot be used: {reason}.\nHint: {hint}{', ' * bool(other)}{other}")


def rebuild_command(folder: Path, manifest: Manifest | None) -> str | None:
    """The command that builds an index again; None where only Python can: from frames in memory, or not strict."""
    import shlex

    if manifest is None:
        return f"lineage-kit index build FILE --out {shlex.quote(str(folder))}"
    given = [path for path in manifest.sources.paths if path is not None]
    listed = [] if manifest.items is None else [path for path in manifest.items.paths if path is not None]
    from_frames = len(given) < len(manifest.sources.paths) or (manifest.items is not None and len(listed) != 1)
    if from_frames or not manifest.spec.strict:
        return None
    words = ["lineage-kit", "index", "build", *given, "--out", str(folder)]
    words += [word for path in listed for word in ("--items", path)]
    for option, pairs in (("--column", manifest.spec.columns), ("--kind", manifest.spec.kinds)):
        words += [word for old, new in pairs.items() for word in (option, f"{old}={new}")]
    words += [
        word for name, value in manifest.spec.constants.items() for word in (f"--{name.replace('_', '-')}", value)
    ]
    if manifest.spec.ended != TableSpec().ended:
        words += ["--ended", manifest.spec.ended]
    return " ".join(shlex.quote(word) for word in words)
