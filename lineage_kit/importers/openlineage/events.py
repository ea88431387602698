"""Events as they are written: what is the same in most of them is read once (rules O1, O3 and O5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from lineage_kit.importers.openlineage.content import Content, Name, Reader

NOTHING = msgspec.Raw(b"")
ABSENT = (b"", b"null")


class Parent(msgspec.Struct):
    """The run that a run belongs to: its job is the same from one time to the next, its run is not."""

    job: msgspec.Raw = NOTHING


class Facets(msgspec.Struct):
    """Those facets of a run that are read."""

    parent: Parent | None = None


class Run(msgspec.Struct, rename="camel"):
    """A run as it is written."""

    run_id: str | None = None
    facets: Facets | None = None


class Line(msgspec.Struct, rename="camel"):
    """An event as it should be: what is the same from run to run is still text."""

    event_type: str | None = None
    event_time: str | None = None
    run: Run | None = None
    job: msgspec.Raw = NOTHING
    inputs: msgspec.Raw = NOTHING
    outputs: msgspec.Raw = NOTHING
    dataset: msgspec.Raw = NOTHING
    events: msgspec.Raw = NOTHING


LINE, ANY = msgspec.json.Decoder(Line), msgspec.json.Decoder()
KEPT = 64_000_000
"""Bytes of texts that are remembered with what was made of them."""


def decode_line(raw: bytes) -> Any:
    """An event, or, where something in it is of the wrong shape, the value as Python has it.

    Raises:
        Exception: no JSON, or texts that UTF-8 cannot hold, even in parts that stay text here.
    """
    if not raw.isascii():
        raw.decode()
    if b"\\u" in raw:
        ANY.decode(raw)
    try:
        return LINE.decode(raw)
    except msgspec.ValidationError:
        return ANY.decode(raw)


def line_of(held: dict[str, Any]) -> Line:
    """An event that has been decoded; what is of the wrong shape in run, type and time goes as it does in a line.

    Example:
        >>> line_of({"eventType": 3, "run": {"runId": ["x"]}, "job": {"name": "j"}}).run
        Run(run_id='', facets=None)
    """
    run = held.get("run")
    told = {name: held.get(name) for name in ("job", "inputs", "outputs", "dataset")}
    type, time = held.get("eventType"), held.get("eventTime")
    return Line(
        type if isinstance(type, str) else None,
        time if time is None or isinstance(time, str) else str(time)[:100],
        None if run is None else _run_of(run),
        *(NOTHING if one is None else msgspec.Raw(msgspec.json.encode(one)) for one in told.values()),
    )


def _run_of(run: Any) -> Run:
    """A run, whatever its shape: one without an id that is a text has none."""
    held = run if isinstance(run, dict) else {}
    facets = held.get("facets")
    parent = facets.get("parent") if isinstance(facets, dict) else None
    name = held.get("runId")
    job = None
    if parent is not None:
        told = parent.get("job") if isinstance(parent, dict) else 0
        job = Parent(msgspec.Raw(msgspec.json.encode(told)))
    return Run(name if isinstance(name, str) else "", None if job is None else Facets(job))


class Event(NamedTuple):
    """An event: of a run if it has a run id, of a dataset if it has no job, else of a job.

    `run` is None for those two, and "" for a run without an id.
    """

    run: str | None
    job: Name | None
    type: str | None
    time: Any
    content: Content


class Events:
    """Makes events of lines; parts that were seen before are not read again."""

    def __init__(self) -> None:
        self._contents: dict[tuple[bytes, ...], tuple[Content, Name | None]] = {}
        self._bytes = 0
        self._kept: dict[Content, Content] = {}

    def of(self, line: Line) -> Event | None:
        """The event; None for what has neither job, run nor dataset.

        Raises:
            msgspec.DecodeError: a part that is no JSON after all.
        """
        job, run = bytes(line.job), line.run
        if run is None and job in ABSENT:
            if bytes(line.dataset) in ABSENT:
                return None
            content = Reader().dataset(ANY.decode(line.dataset))
            return Event(None, None, line.event_type, line.event_time, self._kept.setdefault(content, content))
        parent = None if run is None or run.facets is None else run.facets.parent
        above = b"" if parent is None else bytes(parent.job) or b"0"  # a parent without a job is a fault
        parts = (job, bytes(line.inputs), bytes(line.outputs), above)
        known = self._contents.get(parts)
        if known is None:
            known = self._read(parts)
        run_id = None if run is None else run.run_id or ""
        return Event(run_id, known[1], line.event_type, line.event_time, known[0])

    def _read(self, parts: tuple[bytes, ...]) -> tuple[Content, Name | None]:
        """The content of parts that are new; if very many are, those before are forgotten, not their contents."""
        job, inputs, outputs, above = (None if part in ABSENT else ANY.decode(part) for part in parts)
        reader = Reader()
        name = None if job is None else reader.name(job, "job")
        content = reader.content(inputs, outputs, job, None if above is None else {"job": above})
        self._bytes += sum(map(len, parts))
        if self._bytes > KEPT:
            self._contents.clear()
            self._bytes = 0
        self._contents[parts] = made = self._kept.setdefault(content, content), name
        return made


def events_in(value: Any) -> Iterator[Any]:
    """The events of a JSON value: itself, those of a list, or those of a page."""
    if isinstance(value, dict) and isinstance(value.get("events"), list):
        value = value["events"]
    if isinstance(value, list):
        yield from value
    else:
        yield value
