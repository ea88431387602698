"""Times of things run in turn, so that a drift of the machine falls on all of them alike."""

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

# Something that has taken this long in all has been measured well enough after a few rounds.
LONG = 15.0
FEW = 3


def in_turn(things: Mapping[str, Callable[[], Any]], runs: int) -> dict[str, float]:
    """The median seconds of each, over this many rounds in which each runs once."""
    return timed_in_turn({name: _timed(thing) for name, thing in things.items()}, runs)


def timed_in_turn(things: Mapping[str, Callable[[], float]], runs: int) -> dict[str, float]:
    """The same for things that say themselves how long they took; long ones take part in a few rounds only."""
    seconds: dict[str, list[float]] = {name: [] for name in things}
    for _ in range(runs):
        for name, thing in things.items():
            if len(seconds[name]) < FEW or sum(seconds[name]) < LONG:
                seconds[name].append(thing())
    return {name: statistics.median(times) for name, times in seconds.items()}


def _timed(thing: Callable[[], Any]) -> Callable[[], float]:
    def run() -> float:
        began = time.perf_counter()
        thing()
        return time.perf_counter() - began

    return run
