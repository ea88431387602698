"""Progress bars: shown to people who wait, after two seconds, and never written into a pipe or a file."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

DELAY = 2.0
"""Seconds that work takes before a bar shows."""
REFRESHED = 0.5
"""Seconds between two looks at a step that cannot say how far it is."""


def visible() -> bool:
    """Whether somebody sees what is written to stderr: on a terminal, or under the cell of a notebook.

    The stream of a notebook's kernel says that it is no terminal, and is known by where its class comes from. A
    notebook that is run without anybody watching (nbclient, papermill) has the same kernel and cannot be told apart:
    bars of what takes longer than `DELAY` are in its output.
    """
    stream = sys.stderr
    try:
        return stream is not None and (stream.isatty() or type(stream).__module__.partition(".")[0] == "ipykernel")
    except (AttributeError, ValueError):  # not quite a stream, or one that is closed
        return False


def bar(
    items: Iterable[Any] | None = None,
    *,
    doing: str,
    total: int | None = None,
    unit: str = "it",
    scaled: bool = False,
    shown: bool = True,
) -> Any:
    """A bar over items, or one to be advanced by `update`; with `shown=False`, or where none is seen, one that is not.

    Args:
        items: what to go through, if the bar is to be iterated over.
        doing: what is being done, in a word or two.
        total: how many there are, where `items` do not say it.
        unit: what one of them is called.
        scaled: write large numbers with k, M and G.
        shown: False for no bar at all.

    Example:
        >>> list(bar([1, 2], doing="counting"))
        [1, 2]
    """
    if not (shown and visible()):
        return Unseen(items)
    from tqdm import tqdm  # only here: importing the package stays light

    return tqdm(items, desc=doing, total=total, unit=unit, unit_scale=scaled, delay=DELAY, leave=False)


@contextmanager
def waiting(doing: str) -> Iterator[None]:
    """A word, and the seconds gone by, about one long step that cannot say how far it is."""
    if not visible():
        yield
        return
    done = threading.Event()
    teller = threading.Thread(target=_tell, args=(doing, done), daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()


def _tell(doing: str, done: threading.Event) -> None:
    if done.wait(DELAY):
        return
    from tqdm import tqdm  # only here: importing the package stays light

    with tqdm(desc=doing, bar_format="{desc}: {elapsed}", leave=False) as told:
        told.start_t -= DELAY
        while not done.wait(REFRESHED):
            told.refresh()


class Unseen:
    """A bar that is not shown."""

    def __init__(self, items: Iterable[Any] | None) -> None:
        self._items = items

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items or ())

    def __enter__(self) -> Unseen:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, more: int = 1) -> None:
        """So much further."""

    def set_description(self, doing: str, refresh: bool = True) -> None:
        """Another step."""

    def close(self) -> None:
        """Done."""
