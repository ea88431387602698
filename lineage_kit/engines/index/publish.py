"""Where an index is built: in a hidden folder beside its place, moved there whole when it is finished."""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lineage_kit.engines.index.manifest import is_index
from lineage_kit.errors import InvalidRequest


@contextmanager
def placed(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder` that takes its place when the block ends without an error.

    1. Refuse a place that holds anything but an index or an empty folder.  2. Clear what killed builds left.
    3. Run the block.  4. Move an old index aside, the new one into place, and remove the old one.

    Raises:
        InvalidRequest: the place is taken by something else, or cannot be written.
    """
    refuse_taken(folder)
    mark = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
    building, old = (folder.parent / f".{folder.name}.{what}-{mark}" for what in ("building", "old"))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _clear_leftovers(folder)
        building.mkdir()
    except OSError as error:
        raise InvalidRequest(f"the folder {folder} cannot be written: {error.strerror or error}") from error
    try:
        yield building
        sync(building)
        refuse_taken(folder)
        if folder.exists() and any(folder.iterdir()):
            folder.rename(old)
            try:
                building.rename(folder)
            except BaseException:
                old.rename(folder)
                raise
            shutil.rmtree(old, ignore_errors=True)
        else:
            building.rename(folder)
        sync(folder.parent)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def refuse_taken(folder: Path) -> None:
    """Raise if building here would remove something that is no index."""
    if not folder.exists() and not folder.is_symlink():
        return
    if not folder.is_dir() or folder.is_symlink() or (any(folder.iterdir()) and not is_index(folder)):
        raise InvalidRequest(
            f"{folder} is there already and is no index, so nothing is built over it. Hint: give a new folder"
        )


def sync(folder: Path) -> None:
    """Have the names in a folder on disk."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # not every system opens folders
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _clear_leftovers(folder: Path) -> None:
    """Remove what builds of this index left whose process is gone; put back an old index that one moved aside."""
    pattern = re.compile(re.escape(f".{folder.name}.") + r"(building|old)-(\d+)-[0-9a-f]{8}")
    for path in folder.parent.iterdir():
        if (match := pattern.fullmatch(path.name)) and not _alive(int(match[2])):
            if match[1] == "old" and not folder.exists() and is_index(path):
                path.rename(folder)
            else:
                shutil.rmtree(path, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def sync_file(path: Path) -> None:
    """Have the content of a file on disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
