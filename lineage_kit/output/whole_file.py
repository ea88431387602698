"""Files written whole or not at all, over nothing but regular files: beside their place first, then moved there."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from lineage_kit.errors import InvalidRequest
from lineage_kit.output.exchange import exchange, move_to_free
from lineage_kit.output.places import reason_of, refuse_no_file, standing
from lineage_kit.output.unfinished import TRIES, leftovers, new_file, remove


@contextmanager
def whole_file(path: Path, called: str | None = None) -> Iterator[BinaryIO]:
    """A new file to write to; when the block ends well, it is moved to this path, else removed.

    Args:
        path: a new name, or a regular file that is replaced.
        called: how a message about it begins; by default "<path> cannot be written".

    Raises:
        InvalidRequest: something else stands there, or the file cannot be written.

    Example:
        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp()) / "answer.txt"
        >>> with whole_file(place) as unfinished:
        ...     _ = unfinished.write(b"done")
        >>> place.read_text(), len(list(place.parent.iterdir()))
        ('done', 1)
    """
    called = f"{path} cannot be written" if called is None else called
    refuse_no_file(path, called)
    try:
        for left in leftovers(path):
            remove(left)
        with new_file(path) as (unfinished, handle):
            with os.fdopen(handle, "wb", closefd=False) as file:
                yield file
            os.fsync(handle)
            _move(unfinished, path, called)
    except OSError as error:
        raise InvalidRequest(f"{called}: {reason_of(error, path)}") from error


def write_whole(path: Path, content: bytes, called: str | None = None) -> None:
    """Write a file whole or not at all; see `whole_file`."""
    with whole_file(path, called) as unfinished:
        unfinished.write(content)


def _move(unfinished: Path, path: Path, called: str) -> None:
    """Have a finished file at its place; what came there since it was looked at is put back."""
    for _ in range(TRIES):
        refuse_no_file(path, called)
        try:
            if standing(path) is None:
                if not move_to_free(unfinished, path):
                    unfinished.replace(path)
            elif not exchange(unfinished, path):
                unfinished.replace(path)
            elif not stat.S_ISREG(os.lstat(unfinished).st_mode):
                exchange(unfinished, path)
                continue
        except (FileExistsError, FileNotFoundError):  # another file came or went in between
            continue
        return
    raise InvalidRequest(f"{called}: what stands there keeps changing")
