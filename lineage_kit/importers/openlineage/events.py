"""Events as they are written: what is the same in most of them is read once (rules O1, O3 and O5)."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec

from lineage_kit.importers.openlineage.content import Content, Name, Reader

NOTHING = msgspec.Raw(b"")
ABSENT = (b"", b"null")


class Loose(msgspec.Struct, rename="camel"):
    """An event whose parts are still text, so that nothing in them can be of the wrong shape."""

    event_type: msgspec.Raw = NOTHING
    event_time: msgspec.Raw = NOTHING
    run: msgspec.Raw = NOTHING
    job: msgspec.Raw = NOTHING
    inputs: msgspec.Raw = NOTHING
    outputs: msgspec.Raw = NOTHING
    dataset: msgspec.Raw = NOTHING
    events: msgspec.Raw = NOTHING


class Facets(msgspec.Struct):
    """Those facets of a run that are read."""

    parent: msgspec.Raw = NOTHING


class Run(msgspec.Struct, rename="camel"):
    """A run as it is written."""

    run_id: msgspec.Raw = NOTHING
    facets: Facets | None = None


class Parent(msgspec.Struct):
    """The run that a run belongs to: its job is the same from one time to the next, its run is not."""

    job: msgspec.Raw = NOTHING


class Event(NamedTuple):
    """An event: of a run if it has a run id, of a dataset if it has no job, else of a job.

    `run` is None for those two, and "" for a run without an id.
    """

    run: str | None
    job: Name | None
    type: str | None
    time: Any
    content: Content


LINE = msgspec.json.Decoder(Loose)
RUN = msgspec.json.Decoder(Run)
PARENT = msgspec.json.Decoder(Parent)
EVENTS = msgspec.json.Decoder(list[msgspec.Raw])
ANY = msgspec.json.Decoder()


class Events:
    """Makes events of the text of them; parts that were seen before are not read again."""

    def __init__(self) -> None:
        self._contents: dict[bytes, tuple[Content, Name | None]] = {}
        self._kept: dict[Content, Content] = {}

    def of(self, loose: Loose) -> Event | None:
        """The event; None for what has neither job, run nor dataset.

        Raises:
            Exception: a part that is no JSON after all.
        """
        has_run, has_job = (bytes(part) not in ABSENT for part in (loose.run, loose.job))
        has_dataset = bytes(loose.dataset) not in ABSENT
        if not (has_run or has_job or has_dataset):
            return None
        type, time = self._value(loose.event_type), self._value(loose.event_time)
        told = type if isinstance(type, str) else None
        if has_dataset and not (has_run or has_job):
            return Event(None, None, told, time, self._dataset(loose))
        run_id, parent = self._run(loose.run) if has_run else (None, NOTHING)
        content, job = self._content(loose, parent)
        return Event(run_id, job, told, time, content)

    @staticmethod
    def _value(raw: msgspec.Raw) -> Any:
        return None if bytes(raw) in ABSENT else ANY.decode(raw)

    @staticmethod
    def _run(raw: msgspec.Raw) -> tuple[str, msgspec.Raw]:
        """The id of a run, and its parent facet; "" where no id can be read."""
        try:
            run = RUN.decode(raw)
            facets = run.facets
            parent = NOTHING if facets is None else facets.parent
            name = None if bytes(run.run_id) in ABSENT else ANY.decode(run.run_id)
        except msgspec.ValidationError:
            held = ANY.decode(raw)
            name, parent = (held.get("runId") if isinstance(held, dict) else None), NOTHING
        return (name if isinstance(name, str) else ""), parent

    def _content(self, loose: Loose, parent: msgspec.Raw) -> tuple[Content, Name | None]:
        above = NOTHING
        if bytes(parent) not in ABSENT:
            try:
                above = PARENT.decode(parent).job
            except msgspec.ValidationError:
                above = msgspec.Raw(b"0")
        parts = [bytes(part) for part in (loose.job, loose.inputs, loose.outputs, above)]
        digest = blake2b(b"\0".join(parts), digest_size=16).digest()
        if (known := self._contents.get(digest)) is not None:
            return known
        job, inputs, outputs, upper = (self._value(msgspec.Raw(part)) for part in parts)
        reader = Reader()
        name = reader.name(job, "job") if parts[0] not in ABSENT else None
        content = reader.content(inputs, outputs, job, None if upper is None else {"job": upper})
        made = self._kept.setdefault(content, content), name
        self._contents[digest] = made
        return made

    def _dataset(self, loose: Loose) -> Content:
        content = Reader().dataset(self._value(loose.dataset))
        return self._kept.setdefault(content, content)


def events_in(value: Any) -> Iterator[Any]:
    """The events of a JSON value: itself, those of a list, or those of a page."""
    if isinstance(value, dict) and isinstance(value.get("events"), list):
        value = value["events"]
    if isinstance(value, list):
        yield from value
    else:
        yield value
