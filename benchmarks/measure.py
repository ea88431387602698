"""Times of things run in turn, so that a drift of the machine falls on all of them alike."""

import statistics
import time
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table

console = Console(highlight=False)


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


def report(title: str, seconds: dict[str, float], base: str | None) -> None:
    """A table of medians, and their ratios to one of them."""
    table = Table(title=title, title_justify="left")
    table.add_column("what")
    table.add_column("median", justify="right")
    if base:
        table.add_column("ratio", justify="right")
    for name, median in seconds.items():
        table.add_row(name, shown(median), *([f"{median / seconds[base]:.3f}"] if base else []))
    console.print(table)
