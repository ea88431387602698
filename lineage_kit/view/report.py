"""A page to hand to a colleague: what was asked, of which data, what was found, what does not stand, what was cut."""

from __future__ import annotations

import hashlib
import os
import platform
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal, Protocol

import polars as pl

from lineage_kit.door.sources import File
from lineage_kit.errors import InvalidRequest, LineageKitError
from lineage_kit.output.places import refuse_no_file
from lineage_kit.output.whole_file import write_whole
from lineage_kit.progress import bar
from lineage_kit.relations.trace import ImpactTrace, Origin, Trace
from lineage_kit.view import generic
from lineage_kit.view.reasons import reasons_of
from lineage_kit.view.summary import reached_by
from lineage_kit.view.templates import rendered
from lineage_kit.view.terminal import drawn
from lineage_kit.view.text import FLAGS, moment, named, visible
from lineage_kit.wording import counted

Format = Literal["html", "md"]
Namer = Callable[[str, str], str]
DRAWN = 500
"""Nodes drawn in a report's tree; more are counted."""


class HasOrigin(Protocol):
    """An answer that may know its store."""

    @property
    def origin(self) -> Origin | None:
        """The store."""


@dataclass
class Section:
    """A heading with sentences, a list, a table and preformatted text, as far as there are any."""

    title: str
    sentences: Sequence[str] = ()
    points: Sequence[str] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    block: str = ""


def report_of(trace: Trace, path: str | os.PathLike[str] | None, format: Format | None) -> str:
    """The report as a text, written to `path` too if one is given; see `LineageTrace.report`."""
    return page_of(lambda: _sections(trace), path, format)


def short_report_of(result: HasOrigin, path: str | os.PathLike[str] | None, format: Format | None) -> str:
    """The page of a result that its own summary and tree tell whole."""

    def told() -> Iterable[Section]:
        words = generic.summary(result)
        yield Section(words.title)
        yield Section("In short", words.facts, [notice.text for notice in words.notices])
        yield Section("In full", block=drawn(generic.tree(result, DRAWN)))
        yield from data_of(result)
        yield versions()

    return page_of(told, path, format)


def page_of(told: Callable[[], Iterable[Section]], path: str | os.PathLike[str] | None, format: Format | None) -> str:
    """Sections as a page, written to `path` too if one is given; they are made when it can be written.

    Raises:
        InvalidRequest: another format, or a place that cannot be written to.
    """
    chosen = format or format_of(path)
    if chosen not in ("html", "md"):
        raise InvalidRequest(f"format must be html or md, got {chosen!r}")
    called = f"the report cannot be written to {path}"
    if path is not None:
        refuse_no_file(Path(path), called)
    sections = list(told())
    text = rendered("report.html", sections=sections) if chosen == "html" else _markdown(sections)
    if path is not None:
        write_whole(Path(path), text.encode(), called)
    return text


def format_of(path: str | os.PathLike[str] | None) -> Format:
    """The sort of page that a path asks for by its suffix.

    Raises:
        InvalidRequest: a suffix of neither sort.
    """
    if path is None:
        return "html"
    suffix = Path(path).suffix.lower()
    if suffix in (".html", ".htm"):
        return "html"
    if suffix in (".md", ".markdown"):
        return "md"
    raise InvalidRequest(f"{str(path)!r}: a report is .html or .md. Hint: use one of these, or say format='html'")


def _sections(trace: Trace) -> Iterable[Section]:
    told = generic.summary(trace)
    labels = {(type, id): label for type, id, label in trace.nodes.select("type", "id", "label").iter_rows()}
    labels[trace.anchor] = trace.anchor_label

    def name(type: str, id: str) -> str:
        return named(type, id, labels.get((type, id)))

    question = f"What does {name(*trace.anchor)} rest on, and does that still stand?"
    if isinstance(trace, ImpactTrace):
        question = f"What rests on {name(*trace.anchor)}, and what of that falls with it?"
    yield Section(told.title, [question])
    notices = [notice.text for notice in told.notices]
    yield Section("In short", told.facts, notices or ["Nothing in it is invalidated, superseded or cut."])
    yield Section("What was asked", rows=_asked(trace), columns=("setting", "value"))
    if trace.anchor_known:
        yield from _fallen(trace, name)
        yield Section(f"The {trace.called.lower()}", block=drawn(generic.tree(trace, DRAWN)))
        if trace.truncated:
            stops = [name(*node) for node in trace.frontier.select("type", "id").iter_rows()]
            yield Section("What was cut", ["There is more beyond these nodes; trace on from them:"], stops)
    yield from data_of(trace)
    yield versions()


def _asked(trace: Trace) -> list[tuple[str, str]]:
    return [
        ("anchor", named(*trace.anchor)),
        ("anchor known", "yes" if trace.anchor_known else "NO: no relation mentions it"),
        ("max_depth", str(trace.max_depth)),
        ("supersede_limit", str(trace.supersede_limit)),
        ("as_of", moment(trace.as_of) if trace.as_of else "not set: all relations, any invalidation counts"),
        ("known_at", moment(trace.known_at) if trace.known_at else "not set: whenever it came to be known"),
        ("truncated", f"by {' and '.join(trace.truncated_by)}" if trace.truncated else "no"),
    ]


def _fallen(trace: Trace, name: Namer) -> Iterable[Section]:
    """For each flag the nodes that have it, each with the way to it."""
    via = {(row["type"], row["id"]): (row["via_type"], row["via_id"]) for row in trace.nodes.iter_rows(named=True)}
    reasons = reasons_of(trace)
    why = {
        "invalidated": "The edge that reached these nodes was invalidated.",
        "superseded": "Another item has replaced these; their replacements are in the lineage at the same depth.",
        "outdated_support": "Every route to these runs through the premises of a revision that has been replaced.",
    }
    newer: dict[tuple[str, str], list[str]] = {}
    replacing = pl.concat([trace.edges.filter(pl.col("role") == "replacement"), trace.superseding], how="diagonal")
    for row in replacing.iter_rows(named=True):
        newer.setdefault((row["target_type"], row["target_id"]), []).append(name(row["source_type"], row["source_id"]))
    for flag, words in FLAGS.items():
        rows: list[tuple[str, ...]] = []
        for row in trace.nodes.filter(flag).iter_rows(named=True):
            node = (row["type"], row["id"])
            way = [node]
            while way[-1] in via:
                way.append(via[way[-1]])
            told = (name(*node), reached_by(row), " → ".join(named(*step) for step in reversed(way)))
            by = "; ".join(sorted(set(newer.get(node, ["(beyond the cut)"]))))
            because = "; ".join(reasons.get(node, ()))
            rows.append((*told, by, because) if flag == "superseded" else (*told, because))
        columns = ["node", "reached by", "way from the anchor"] + ["replaced by"] * (flag == "superseded")
        columns.append("when, by whom and why")
        if rows:
            yield Section(words.word.capitalize(), [why[flag]], columns=columns, rows=rows)


def versions() -> Section:
    """What the page was made with."""
    packages = ("lineage-kit", "polars", "duckdb")
    told = [(package, version(package)) for package in packages]
    return Section("Versions", columns=("package", "version"), rows=[*told, ("python", platform.python_version())])


def data_of(trace: HasOrigin) -> Iterable[Section]:
    """The files behind an answer, with their checksums."""
    origin = trace.origin
    if origin is None:
        yield Section("The data", ["The store this answer came from is not at hand any more."])
        return
    edges = counted(origin.edge_count, "edge")
    in_memory = [f"{name[0].upper()}{name[1:]}, in memory" for name in origin.frames]
    if len(in_memory) == 1 and not origin.files:
        yield Section("The data", [f"{in_memory[0]}: {edges}."])
        return
    rows = [
        (visible(str(file.path), 200), f"{file.rows:,}", f"{file.size:,}", _sha256(file))
        for file in (*origin.files, *origin.item_files)
    ]
    told = [f"{edges} in all.", *(f"{name}." for name in in_memory)]
    yield Section("The data", told, columns=("file", "rows", "bytes", "SHA-256"), rows=rows)


def _sha256(file: File) -> str:
    if not file.unchanged():
        raise LineageKitError.source_changed(str(file.path))
    digest = hashlib.sha256()
    with (
        file.path.open("rb") as content,
        bar(total=file.size, unit="B", scaled=True, doing=file.path.name) as progress,
    ):
        while chunk := content.read(1 << 20):
            digest.update(chunk)
            progress.update(len(chunk))
    return digest.hexdigest()


def _markdown(sections: list[Section]) -> str:
    parts = []
    for place, section in enumerate(sections):
        parts.append(f"{'#' if place == 0 else '##'} {_inline(section.title)}")
        parts += [_inline(sentence) for sentence in section.sentences]
        if section.points:
            parts.append("\n".join(f"- {_inline(point)}" for point in section.points))
        if section.rows:
            lines = [section.columns, ["---"] * len(section.columns), *section.rows]
            parts.append("\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines))
        if section.block:
            longest = max((len(run) for run in re.findall("`+", section.block)), default=0)
            fence = "`" * max(3, longest + 1)
            parts.append(f"{fence}text\n{section.block}\n{fence}")
    return "\n\n".join(parts) + "\n"


def _inline(text: str) -> str:
    """Text that Markdown shows as it is."""
    escaped = re.sub(r"([\\`*{}\[\]<>#!|~&$])", r"\\\1", text)
    return re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", escaped)  # within a word an underscore is only itself


def _cell(text: str) -> str:
    return text if text == "---" else _inline(text)
