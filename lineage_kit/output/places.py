"""What stands at a place that is to be written to: which places a file or a folder may go to, in words."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from lineage_kit.errors import InvalidRequest

KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISREG, "a file"),
)


def standing(path: Path) -> os.stat_result | None:
    """What the system says of the very thing that is there, a link itself and not what it points to; None for nothing.

    Raises:
        OSError: the place cannot even be looked at.
    """
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None
    except ValueError as error:  # a NUL in the name, or half of a pair of surrogates
        raise OSError(0, str(error)) from error


def kind_of(path: Path, status: os.stat_result) -> str:
    """What stands there, in words."""
    if stat.S_ISLNK(status.st_mode):
        return f"a link to {path.readlink()}"
    return next((words for holds, words in KINDS if holds(status.st_mode)), "something else than a file")


def reason_of(error: OSError, path: Path) -> str:
    """Why something could not be written, and which file it was where that is another one."""
    reason = error.strerror or str(error) or type(error).__name__
    other = isinstance(error.filename, str) and Path(error.filename) not in (path, path.parent)
    return f"{reason} ({error.filename})" if other else reason


def refuse_no_file(path: Path, called: str) -> None:
    """Raise if a file written here would replace anything but a regular file.

    A link is not followed: whoever means what it points to can name that.

    Args:
        path: the place of the file.
        called: how a message about it begins.

    Raises:
        InvalidRequest: a link, device, named pipe, socket or folder stands there, or the folder it is to be in is
            not there.
    """
    try:
        parent = path.parent.stat()
        if not stat.S_ISDIR(parent.st_mode):
            raise InvalidRequest(f"{called}: {path.parent} is {kind_of(path.parent, parent)}, not a folder")
        status = standing(path)
    except FileNotFoundError as error:
        raise InvalidRequest(f"{called}: there is no folder {path.parent}. Hint: make it first") from error
    except (OSError, ValueError) as error:
        reason = reason_of(error, path) if isinstance(error, OSError) else str(error)
        raise InvalidRequest(f"{called}: {reason}") from error
    if status is None or stat.S_ISREG(status.st_mode):
        return
    hint = "name a regular file, or a new one"
    if stat.S_ISLNK(status.st_mode):
        hint = "name that instead"
    elif stat.S_ISDIR(status.st_mode):
        hint = "name a file in it"
    raise InvalidRequest(f"{called}: it is {kind_of(path, status)}, and nothing is written over that. Hint: {hint}")


def free_beside(folder: Path) -> Path:
    """A name like this one that nothing has yet."""
    number = 2
    while standing(folder.with_name(f"{folder.name}-{number}")) is not None:
        number += 1
    return folder.with_name(f"{folder.name}-{number}")
