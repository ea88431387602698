"""What is not finished yet has a hidden name beside its place, and is held while its process lives.

A file or folder is held by a lock of the system, which ends with the process, however that ends: so what a killed
process left is known by that nobody holds it, and is cleared by the next one that writes to the same place. Nobody
has to ask whether a process of some number still runs, which another one may have by then, or which may run on
another machine. Where the system has no such locks, everything counts as held, and is left alone.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl: Any = None  # type: ignore[no-redef]

SHOWN = 40
"""Letters of the name of a place that its hidden names show."""
TRIES = 100


def hidden_beside(place: Path, sort: str = "new") -> Path:
    """A hidden name beside a place that nobody can foresee."""
    return place.with_name(f".{place.name[:SHOWN]}.lineage-kit-{sort}-{secrets.token_hex(8)}")


@contextmanager
def new_folder(place: Path, mode: int | None = None) -> Iterator[Path]:
    """A new, empty, hidden folder beside a place, held, and removed in the end if it still has this name.

    Raises:
        OSError: none can be made there.
    """
    for _ in range(TRIES):
        folder = hidden_beside(place)
        folder.mkdir(0o777 if mode is None else 0o700)
        handle = _opened(folder)
        if handle is None or _hold(handle, folder, where_none_can=True):
            break
        os.close(handle)  # another process took it for a leftover
    try:
        if mode is not None:
            folder.chmod(mode)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if handle is not None:
            os.close(handle)


@contextmanager
def new_file(place: Path) -> Iterator[tuple[Path, int]]:
    """A new, empty, hidden file beside a place: its name and its handle; held, and removed if it still has this name.

    Raises:
        OSError: none can be made there.
    """
    for _ in range(TRIES):
        path = hidden_beside(place)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        handle = os.open(path, flags, 0o666)
        if _hold(handle, path, where_none_can=True):
            break
        os.close(handle)
    closed = False
    try:
        yield path, handle
        os.close(handle)
        closed = True
    finally:
        with suppress(OSError):
            path.unlink()
        if not closed:
            os.close(handle)


def leftovers(place: Path) -> Iterator[Path]:
    """What processes that are gone left beside a place; each is held while it is looked at."""
    pattern = re.compile(re.escape(f".{place.name[:SHOWN]}.lineage-kit-") + r"(new|old)-[0-9a-f]{16}")
    try:
        names = [name for name in os.listdir(place.parent) if pattern.fullmatch(name)]  # noqa: PTH208 (names are enough)
    except OSError:  # a folder to write into and not to read, or none yet
        return
    for name in names:
        path = place.with_name(name)
        handle = _opened(path)
        if handle is None:
            continue
        try:
            if _hold(handle, path, where_none_can=False):
                yield path
        finally:
            os.close(handle)


def remove(path: Path) -> None:
    """Remove a leftover: a regular file or a folder, and nothing else."""
    with suppress(OSError):
        mode = os.lstat(path).st_mode
        if stat.S_ISDIR(mode):
            shutil.rmtree(path, ignore_errors=True)
        elif stat.S_ISREG(mode):
            path.unlink()


def sync(folder: Path) -> None:
    """Have the names in a folder on disk."""
    handle = _opened(folder)
    if handle is None:  # not every system opens folders
        return
    try:
        with suppress(OSError):  # nor does every file system sync them
            os.fsync(handle)
    finally:
        os.close(handle)


def _opened(path: Path) -> int | None:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        return os.open(path, flags)
    except OSError:
        return None


def _hold(handle: int, path: Path, *, where_none_can: bool) -> bool:
    """Hold what was opened: not if another process does, or it has this name no more; where nobody can, as told."""
    if fcntl is None:
        return where_none_can
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return where_none_can
    try:
        ours, there = os.fstat(handle), os.lstat(path)
    except OSError:
        return False
    return (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino)
