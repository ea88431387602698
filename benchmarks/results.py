"""What a run found: printed as it goes, and kept in a Markdown file section by section."""

import os
import platform
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.table import Table

console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)

FILE = Path(__file__).with_name("results.md")
LIBRARIES = ("lineage-kit", "polars", "duckdb", "numpy", "msgspec", "igraph", "rustworkx", "networkx")
# The order of the sections in the file, by how their titles begin.
ORDER = (
    "The walk",
    "Many anchors",
    "After the trace",
    "Audit",
    "A small table",
    "Growth",
    "Pictures",
    "Sessions",
    "Imports",
    "Relation imports",
)
INTRODUCTION = """\
# How fast the walk is

Written by `make bench`: lineage_kit's walk of relations against other tools on the same synthetic graphs
(`benchmarks/graphs.py`), its fold of session logs against plain Python, and its imports of transcripts against loops
that only parse them. A run replaces the sections it measures and leaves the others.

All times are medians of rounds in which everything runs in turn; peers have a process of their own each, and only
those that visit the same nodes are timed. What takes less than a tenth of a second runs five times on end in each
round, and the median of the five is the round's; what takes many seconds takes part in three rounds. The modules in
`benchmarks/peers/` say how each peer was set up, and what else was tried with it. Peak memory counts pages of mapped
files as long as they are mapped.
"""


class Section:
    """A part of the results under a heading of its own."""

    def __init__(self, title: str) -> None:
        self.title = title
        today = datetime.now(UTC).date().isoformat()
        self._parts = [f"## {title}", f"{today}. {machine()}. {versions()}."]
        console.print(f"\n[bold]{title}[/]")

    def note(self, text: str) -> None:
        """A paragraph."""
        console.print(text, markup=False)
        self._parts.append(text)

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """A table; all columns but the first hold figures."""
        shape = Table(title=title, title_justify="left")
        for place, column in enumerate(columns):
            shape.add_column(column, justify="right" if place else "left")
        for row in rows:
            shape.add_row(*row)
        console.print(shape)
        lines = [_line(columns), "|---" + "|---:" * (len(columns) - 1) + "|", *map(_line, rows)]
        self._parts.extend([f"**{title}**", "\n".join(lines)])

    def medians(self, title: str, seconds: dict[str, float], base: str | None) -> None:
        """A table of medians, and their ratios to one of them."""
        rows = [
            (name, shown(median), *([f"{median / seconds[base]:.3f}"] if base else []))
            for name, median in seconds.items()
        ]
        self.table(title, ("what", "median", *(["ratio"] if base else [])), rows)

    def text(self) -> str:
        """The section in Markdown."""
        return "\n\n".join(self._parts) + "\n"


def keep(section: Section, file: Path) -> None:
    """Put a section into the file, in the place of the one with the same title."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    sections = {part.partition("\n")[0]: part.strip() + "\n" for part in re.split(r"^## ", text, flags=re.M)[1:]}
    sections[section.title] = section.text().removeprefix("## ")
    ordered = [f"## {sections[title]}" for title in sorted(sections, key=_place)]
    file.write_text("\n".join([INTRODUCTION, *ordered]), encoding="utf-8")


def shown(seconds: float) -> str:
    """Seconds as people read them."""
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-2 else f"{seconds * 1e3:.2f} ms"


def size(count: float) -> str:
    """Bytes as people read them."""
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def machine() -> str:
    """What it ran on, without the machine's name."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    try:
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        system = f"{platform.system()} {platform.release()}"
    return f"{_processor()}, {os.cpu_count()} cores, {memory:.0f} GB of memory, {system}"


def versions() -> str:
    """Of Python and of everything that is compared."""
    named = [f"{name.replace('-', '_')} {version(name)}" for name in LIBRARIES]
    return ", ".join([f"Python {platform.python_version()}", *named])


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _place(title: str) -> tuple[int, int, str]:
    known = [place for place, start in enumerate(ORDER) if title.startswith(start)]
    digits = re.sub(r"\D", "", title)
    return (known[0] if known else len(ORDER)), int(digits or 0), title


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
