"""Work in processes of its own, so that loads start cold, memory is one thing's alone, and peers do not disturb."""

from __future__ import annotations

import multiprocessing
import resource
import statistics
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any

# What takes less is run several times on end: the first of them finds the caches full of something else's data.
SHORT = 0.1
ON_END = 5


@dataclass(frozen=True)
class Call:
    """What a call in another process gave, and took."""

    value: Any
    seconds: float
    peak: int


class Apart:
    """An object in a fresh process; its module is imported there before anything is timed."""

    def __init__(self, make: Callable[[], Any]) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, make), daemon=True)
        self._process.start()
        theirs.close()
        self._received()

    def call(self, method: str, *arguments: Any) -> Call:
        """The answer of one call, its seconds, and the peak memory of the process so far."""
        self._connection.send((method, arguments, 1))
        value, seconds, peak = self._received()
        return Call(value, seconds[0], peak)

    def seconds(self, method: str, *arguments: Any) -> float:
        """How long a call takes, whose answer stays there; short ones run on end, and the median counts."""
        self._connection.send((method, arguments, ON_END))
        _, seconds, _ = self._received()
        return float(statistics.median(seconds))

    def close(self) -> None:
        """End the process."""
        self._connection.close()
        self._process.join(30)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def __enter__(self) -> Apart:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _received(self) -> Any:
        try:
            fine, told = self._connection.recv()
        except EOFError:
            raise SystemExit("a process that measures ended early; was there enough memory?") from None
        if not fine:
            raise RuntimeError(told)
        return told


def peak_memory() -> int:
    """The most memory this process ever had resident, in bytes; pages of mapped files count while they are mapped.

    On Linux from /proc, because there getrusage tells a child of its parent's peak too.
    """
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def _serve(connection: Connection, make: Callable[[], Any]) -> None:
    thing = make()
    connection.send((True, None))
    while True:
        try:
            method, arguments, most = connection.recv()
        except EOFError:
            return
        try:
            connection.send((True, _run(getattr(thing, method), arguments, most)))
        except Exception:
            connection.send((False, traceback.format_exc()))


def _run(method: Callable[..., Any], arguments: tuple[Any, ...], most: int) -> tuple[Any, list[float], int]:
    seconds: list[float] = []
    while not seconds or (len(seconds) < most and seconds[0] < SHORT):
        began = time.perf_counter()
        value = method(*arguments)
        seconds.append(time.perf_counter() - began)
    return (value if most == 1 else None), seconds, peak_memory()
