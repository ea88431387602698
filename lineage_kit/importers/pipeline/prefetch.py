"""A generator that runs ahead of its reader in a thread: reading and unpacking while the last part is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from queue import Full, Queue
from threading import Event, Thread
from typing import Generic, TypeVar

Item = TypeVar("Item")
QUEUED = 4
"""Items that may wait."""
PATIENCE = 0.1
"""Seconds after which a thread that waits looks whether it is still wanted."""


class Prefetch(Generic[Item]):
    """The items of a generator, made in a thread of its own; `close` ends it early.

    Example:
        >>> from contextlib import closing
        >>> with closing(Prefetch(lambda: iter("abc"))) as items:
        ...     list(items)
        ['a', 'b', 'c']
    """

    def __init__(self, make: Callable[[], Iterator[Item]]) -> None:
        self._make = make
        self._waiting: Queue[tuple[Item | None, BaseException | None]] = Queue(QUEUED)
        self._over = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        error: BaseException | None = None
        try:
            for item in self._make():
                if not self._give(item, None):
                    return
        except BaseException as raised:  # given to the reader, who raises it
            error = raised
        self._give(None, error or StopIteration())

    def _give(self, item: Item | None, error: BaseException | None) -> bool:
        while not self._over.is_set():
            try:
                self._waiting.put((item, error), timeout=PATIENCE)
            except Full:
                continue
            return True
        return False

    def __iter__(self) -> Iterator[Item]:
        while True:
            item, error = self._waiting.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            assert item is not None
            yield item

    def close(self) -> None:
        """Let the thread end."""
        self._over.set()
        self._thread.join()
