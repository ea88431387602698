"""Folders written whole or not at all: built in a hidden folder beside their place, then exchanged at one moment.

Whoever opens the place finds one generation of files, the old one or the new one, and never some of both. Nothing is
replaced but what this package made, which it knows by the manifest.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from lineage_kit.errors import InvalidRequest, LineageKitError
from lineage_kit.output.exchange import exchange
from lineage_kit.output.folder_manifest import MANIFEST, SORTS, manifest_in, strangers
from lineage_kit.output.places import free_beside, kind_of, reason_of, standing
from lineage_kit.output.unfinished import TRIES, hidden_beside, leftovers, new_folder, remove, sync

T = TypeVar("T")


@contextmanager
def new_generation(folder: Path, sort: str) -> Iterator[Path]:
    """A new, empty folder to fill, with a manifest at last; it takes the place of `folder` when the block ends well.

    1. Refuse a place that holds anything but a folder of this sort, or nothing.  2. Clear what killed writers left.
    3. Run the block.  4. Exchange the two at one moment, and remove the old one.

    Raises:
        InvalidRequest: the place is taken by something else, or cannot be written.
    """
    place = Path(os.path.abspath(folder))
    try:
        before = _looked_at(folder, place, sort)
        place.parent.mkdir(parents=True, exist_ok=True)
        for left in leftovers(place):
            _clear(left, place, sort)
        with new_folder(place, None if before is None else stat.S_IMODE(before.st_mode)) as building:
            if before is not None and before.st_uid != os.lstat(building).st_uid:
                with suppress(OSError):
                    os.chown(building, before.st_uid, before.st_gid)
            yield building
            sync(building)
            _publish(building, folder, place, sort)
            sync(place.parent)
    except OSError as error:
        hint = ""
        if isinstance(error, PermissionError):
            hint = ". Hint: it is first made beside its place; name a folder inside one that you may write to"
        raise InvalidRequest(f"{folder} cannot be written: {reason_of(error, place)}{hint}") from error


def _publish(building: Path, folder: Path, place: Path, sort: str) -> None:
    """Have the new generation at its place. Another writer may do the same meanwhile: then the last one stays."""
    for _ in range(TRIES):
        _looked_at(folder, place, sort)
        try:
            if _is_free(place):
                if os.name == "nt":
                    with suppress(FileNotFoundError):
                        place.rmdir()
                building.rename(place)  # which replaces an empty folder, and nothing else
                return
            if not exchange(building, place):
                if not _moved_aside(building, place, sort):
                    continue
            elif not _is_ours(building, sort):  # something was put there at the last moment
                exchange(building, place)
                continue
            return
        except (FileNotFoundError, FileExistsError, NotADirectoryError):
            continue
        except OSError as error:
            if error.errno not in _TAKEN:
                raise
    raise InvalidRequest(f"{folder} cannot be written: what stands there keeps changing")


_TAKEN = {errno.ENOTEMPTY, errno.EEXIST}
"""A folder is not empty, as Linux, macOS and others say it."""


def _moved_aside(building: Path, place: Path, sort: str) -> bool:
    """Where nothing can be exchanged: the old generation away, the new one there; False if another writer was first."""
    old = hidden_beside(place, "old")
    place.rename(old)
    try:
        if not _is_ours(old, sort):
            return False
        building.rename(place)
    except OSError as error:
        if error.errno not in _TAKEN:
            raise
        return False
    finally:
        if standing(place) is None:
            old.rename(place)
        elif _is_ours(old, sort):
            shutil.rmtree(old, ignore_errors=True)
    return True


def _clear(left: Path, place: Path, sort: str) -> None:
    """Remove what a killed writer left; put back an old generation that one had moved aside."""
    if ".lineage-kit-old-" not in left.name:
        told = manifest_in(left)
        if told is None or not strangers(left, told):  # else a writer was killed while it put something back
            remove(left)
    elif standing(place) is None and manifest_in(left) is not None:
        left.rename(place)
    elif _is_ours(left, sort):
        remove(left)


def _is_free(place: Path) -> bool:
    """Whether nothing is there, or an empty folder."""
    return standing(place) is None or _is_empty(place)


def _is_empty(folder: Path) -> bool:
    return next(folder.iterdir(), None) is None


def _is_ours(folder: Path, sort: str) -> bool:
    """Whether all of this may go: an empty folder, or one of this sort with nothing else in it."""
    status = standing(folder)
    if status is None or not stat.S_ISDIR(status.st_mode):
        return False
    told = manifest_in(folder)
    if told is None:
        return _is_empty(folder)
    return told["format"] == sort and not strangers(folder, told)


def _looked_at(folder: Path, place: Path, sort: str) -> os.stat_result | None:
    """What stands at the place, which is nothing, an empty folder, or one of this sort.

    Raises:
        InvalidRequest: it is something else.
    """

    def look() -> tuple[os.stat_result | None, str | None]:
        status = standing(place)
        return status, None if status is None else _objection(place, status, sort)

    status, objection = steady(look, lambda: _identity(place))
    if objection is not None:
        raise InvalidRequest(f"{folder} {objection}")
    return status


def refuse_no_folder(folder: Path, sort: str) -> None:
    """Raise if a folder of this sort cannot be written here, before anything is computed.

    Raises:
        InvalidRequest: something stands there that must not be replaced.
    """
    try:
        _looked_at(folder, Path(os.path.abspath(folder)), sort)
    except OSError as error:
        raise InvalidRequest(f"{folder} cannot be written: {reason_of(error, folder)}") from error


def _objection(place: Path, status: os.stat_result, sort: str) -> str | None:
    """Why nothing can be written over what is there; None if it can."""
    if stat.S_ISLNK(status.st_mode):
        return f"is {kind_of(place, status)}. Hint: name that instead"
    other = f"Hint: name a new folder, e.g. {free_beside(place)}"
    if not stat.S_ISDIR(status.st_mode):
        return f"is {kind_of(place, status)}, and nothing is written over that. {other}"
    inside = f"Hint: name a new folder in it, e.g. {place / 'lineage'}"
    if os.path.ismount(place):
        return f"is where a file system begins, which cannot be exchanged as a whole. {inside}"
    with suppress(OSError):
        if place.samefile(os.curdir):
            return f"is the folder that you are in, which would be exchanged under you. {inside}"
    if _is_empty(place):
        return None
    told = manifest_in(place)
    if told is None:
        return f"is there already and holds files that this package did not make, or not as one whole. {other}"
    if told["format"] != sort:
        return f"holds {SORTS[told['format']]}, not {SORTS[sort]}. {other}"
    if names := strangers(place, told):
        return f"holds {names[0]!r}, which this package did not put there and would be gone. {other}"
    return None


# ---- reading one generation


def steady(read: Callable[[], T], state: Callable[[], object]) -> T:
    """What a reading gives that nobody wrote into: read again when the state is another one afterwards.

    Whatever a reading raises while the files change under it is read again too.

    Raises:
        LineageKitError: they kept changing, however often it was read.
        Exception: what the reading raises while nothing changes.
    """
    for _ in range(TRIES):
        before = state()
        try:
            found = read()
        except Exception:
            if state() == before:
                raise
            continue
        if state() == before:
            return found
    raise LineageKitError(
        "the files keep changing while they are read. Hint: ask again when they are written less often"
    )


def _identity(place: Path) -> object:
    with suppress(OSError, ValueError):
        status = os.lstat(place)
        return status.st_dev, status.st_ino, status.st_mtime_ns
    return None


def state_of(folder: Path, *names: str) -> tuple[object, ...]:
    """What tells one generation of a folder from the next: its manifest and these files, as the system knows them."""
    return tuple(_identity(folder / name) for name in (MANIFEST, *names))
