"""Moving what is finished into place at one moment: exchanged with what is there, or onto a name that nothing has.

Linux does both in one call, so that there is no moment at which the place is empty, and nothing can come in between
looking at a place and moving there. Elsewhere the callers fall back to plain renames.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

NOREPLACE, EXCHANGE = 1, 2
"""Flags of renameat2."""
HERE = -100
"""Paths are those of the process (AT_FDCWD)."""
NOT_HERE = {errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP}
"""What a kernel or a file system that cannot do it says."""


def exchange(one: Path, other: Path) -> bool:
    """Let two files or folders change places at one moment; False where the system cannot.

    Raises:
        OSError: one of them is not there, or they cannot be moved.
    """
    return _renamed(one, other, EXCHANGE)


def move_to_free(path: Path, place: Path) -> bool:
    """Move a file to a name that nothing has; False where the system cannot without replacing.

    Raises:
        FileExistsError: the name is taken.
        OSError: it cannot be moved.
    """
    return _renamed(path, place, NOREPLACE)


def _renamed(path: Path, place: Path, flag: int) -> bool:
    call = _renameat2()
    if call is None:
        return False
    if call(HERE, os.fsencode(path), HERE, os.fsencode(place), flag) == 0:
        return True
    code = ctypes.get_errno()
    if code in NOT_HERE:
        return False
    raise OSError(code, os.strerror(code), os.fspath(place))


def _renameat2() -> Callable[..., int] | None:
    """The call of the C library, where there is one."""
    if sys.platform != "linux":
        return None
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):  # an old or another C library
        return None
    call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    return call
