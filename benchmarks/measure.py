"""Times of things run in turn, so that a drift of the machine falls on all of them alike."""

import statistics
import time
from collections.abc import Callable
from typing import Any


def in_turn(things: dict[str, Callable[[], Any]], runs: int) -> dict[str, float]:
    """The median seconds of each, over this many rounds in which each runs once."""
    seconds: dict[str, list[float]] = {name: [] for name in things}
    for _ in range(runs):
        for name, thing in things.items():
            began = time.perf_counter()
            thing()
            seconds[name].append(time.perf_counter() - began)
    return {name: statistics.median(times) for name, times in seconds.items()}


def shown(seconds: float) -> str:
    """Seconds as people read them."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"
