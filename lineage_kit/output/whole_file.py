"""Files written whole or not at all: beside their place first, then moved there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path beside this one to write to; when the block ends well, the file is moved into place, else removed.

    Example:
        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp()) / "answer.txt"
        >>> with whole_file(place) as unfinished:
        ...     _ = unfinished.write_text("done")
        >>> place.read_text(), len(list(place.parent.iterdir()))
        ('done', 1)
    """
    handle, name = tempfile.mkstemp(dir=path.parent or Path(), prefix=f".{path.name}.")
    os.close(handle)
    unfinished = Path(name)
    try:
        yield unfinished
        mask = os.umask(0)
        os.umask(mask)
        unfinished.chmod(0o666 & ~mask)  # a temporary file is private; a page to hand on is not
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    with whole_file(path) as unfinished:
        unfinished.write_bytes(content)
