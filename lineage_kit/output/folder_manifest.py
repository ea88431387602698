"""The manifest of a folder that this package wrote: what sort of folder it is, and size and SHA-256 of each file.

It is JSON, and ends with a checksum of itself. By it a folder is known as ours, so that it may be replaced; by it
`check` finds a byte that has changed since.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from lineage_kit.errors import LineageKitError, SchemaError

T = TypeVar("T")
MANIFEST = "manifest.json"
INDEX, IMPORT, SESSIONS = "lineage-kit index", "lineage-kit import", "lineage-kit sessions"
AUDIT, RELATIONS_IMPORT = "lineage-kit audit", "lineage-kit relations"
SORTS = {
    INDEX: "an index of relations",
    IMPORT: "an import of transcripts",
    RELATIONS_IMPORT: "an import of relations",
    SESSIONS: "the sessions of a corpus",
    AUDIT: "an audit",
}
"""The sorts of folders, and what messages call them."""
VERSION = 1
"""Of the manifests of imports, sessions and audits; an index has its own."""
SELF = "manifest_sha256"


@dataclass(frozen=True)
class Stored:
    """One file of a folder, as it was written."""

    size: int
    sha256: str


class Damaged(NamedTuple):
    """A file that is not as it was written, and what is different."""

    path: Path
    what: str


def stored_files(folder: Path) -> dict[str, Stored]:
    """Every file in a folder, which is on disk then."""
    paths = sorted(path for path in folder.iterdir() if path.name != MANIFEST)
    with ThreadPoolExecutor(4) as pool:
        return dict(zip((path.name for path in paths), pool.map(_stored, paths), strict=True))


def _stored(path: Path) -> Stored:
    with path.open("rb+") as file:  # some systems sync only what could be written
        os.fsync(file.fileno())
    return Stored(path.stat().st_size, sha256_of(path))


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, told: Mapping[str, Any]) -> None:
    """Write the manifest of a folder, as the last of its files."""
    with (folder / MANIFEST).open("xb") as file:
        file.write(rendered(told))
        file.flush()
        os.fsync(file.fileno())


def write_tables_manifest(folder: Path, sort: str) -> None:
    """Write the manifest of a folder of tables, which says no more than what every manifest does."""
    files = {name: asdict(stored) for name, stored in stored_files(folder).items()}
    told = {"format": sort, "version": VERSION, "package": version("lineage-kit"), "files": files}
    write_manifest(folder, told)


def rendered(told: Mapping[str, Any]) -> bytes:
    """What stands in the file, ending with the checksum of what goes before it."""
    told = {name: value for name, value in told.items() if name != SELF}
    own = hashlib.sha256(json.dumps(told).encode()).hexdigest()
    return json.dumps({**told, SELF: own}, indent=1).encode()


def manifest_in(folder: Path) -> dict[str, Any] | None:
    """What the manifest of a folder says, of whatever version; None if it has none of ours that can be read."""
    try:
        told = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or told.get("format") not in SORTS or not isinstance(told.get("files"), dict):
        return None
    return told


def strangers(folder: Path, told: Mapping[str, Any]) -> list[str]:
    """What is in a folder and was not put there by us: what its manifest does not name, and what is no plain file."""
    ours = {MANIFEST, *told["files"]}
    with os.scandir(folder) as entries:
        return sorted(one.name for one in entries if one.name not in ours or not one.is_file(follow_symlinks=False))


def damaged(folder: Path) -> Iterator[Damaged]:
    """The files of a folder of ours that are not as they were written, the manifest first; every byte is read.

    A folder without a manifest of ours has none.
    """
    path = folder / MANIFEST
    try:
        content = path.read_bytes()
    except (OSError, ValueError):  # no folder can be called so
        return
    told = manifest_in(folder)
    if told is None:
        # Whose manifest it was shows in two places, of which a damage of a few bytes leaves one.
        if b'"lineage-kit ' in content or b"manifest_sha256" in content:
            yield Damaged(path, "it cannot be read, so nothing is known of the other files")
        return
    if content != rendered(told):
        yield Damaged(path, "it is not as it was written")
        return
    for name, stored in told["files"].items():
        if what := _difference(folder / name, Stored(**stored)):
            yield Damaged(folder / name, what)


def explained(folders: Iterable[Path], read: Callable[[], T]) -> T:
    """What a reading gives; where it fails, and files of ours in these folders are damaged, an error that names them.

    Raises:
        SchemaError: the damaged files.
        Exception: what the reading raises, if none is.
    """
    try:
        return read()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # panics of Polars are no Exception
        for folder in folders:
            found = list(damaged(folder))
            told = isinstance(error, LineageKitError) and all(path.name in str(error) for path, _ in found)
            if found and not told:
                raise SchemaError.of(
                    str(folder), [f"damaged file {path.name}: {what}" for path, what in found]
                ) from error
        raise


def _difference(path: Path, stored: Stored) -> str | None:
    try:
        size = path.stat().st_size
        if size != stored.size:
            return f"it has {size:,} bytes instead of {stored.size:,}"
        return None if sha256_of(path) == stored.sha256 else "its content is not what was written (SHA-256)"
    except OSError as error:
        return f"it cannot be read: {error.strerror or error}"
