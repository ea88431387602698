"""Reading one Codex rollout: a row is staged for each record, and the file index says what it is to the surface."""

from __future__ import annotations

from lineage_kit.importers.codex.file_index import OFF, ROLLBACK, Header, Rollout, later
from lineage_kit.importers.codex.records import decoded
from lineage_kit.importers.codex.rows import RowMaker
from lineage_kit.importers.pipeline.context import Import
from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.pipeline.json_lines import Found, Unparsed
from lineage_kit.importers.pipeline.staging import unparsed
from lineage_kit.importers.pipeline.timestamps import moment


def read_rollout(work: Import, file: LogFile) -> Rollout:
    """Read a file: a staged row for every record but its header, and the index.

    This loop runs once a record of whatever an import reads; it is written for speed, names of its own included.
    """
    rollout, keep = Rollout(file, len(work.staged)), work.keep_text
    rows = RowMaker(rollout, work.findings, keep)
    add, kinds, lines, digests = work.staged.add, rollout.kinds, rollout.lines, rollout.digests
    alone = len(work.files) == 1  # no other file can hold the same records, so nobody will ask for digests
    common = rows.common()
    said, size, latest = None, 150, ""
    raw_type: str | None
    for value, raw, number, offset, ended in work.records(file, decoded):
        if value.__class__ is Unparsed:
            add(unparsed(Found(value, raw, number, offset, ended)), 100)
            kinds.append(OFF)
            lines.append(number)
            if not alone:
                digests.append(hash(("unparsed", value.size)))
            rollout.unparsed += 1
            continue
        stamp, ordinal, own, item, payload, line = value
        way = common.get(item.__class__)
        if way is not None:
            make, name, raw_type = way
            kind, type, text, is_error, record_id, model, tool, call, spent, gained = make(item, name, number)
        else:
            if rollout.header is None and rows.is_header(own, payload, line, number):
                rollout.header = Header(payload or raw, number, stamp if own else None)
                continue
            raw_type, row = rows.uncommon(own, item, payload, line, number)
            kind, type, text, is_error, record_id, model, tool, call, spent, gained = row
            payload = payload or raw
        if keep:
            said = payload if kind != ROLLBACK else b"{}"
            size = 150 + len(said) + (len(text) if text else 0)
        add(
            (
                type, number, offset, raw_type, stamp, said, text, is_error,
                record_id, model, tool, call, spent, gained,
            ),
            size,
        )  # fmt: skip
        kinds.append(kind)
        lines.append(number)
        if not alone:
            digests.append(hash((own, payload)))
        if stamp is not None and stamp > latest:
            latest = stamp if len(stamp) == 24 and stamp[-1] == "Z" else later(latest, stamp)
        if ordinal is not None and ordinal.__class__ is int and -(2**62) < ordinal < 2**62:
            rollout.numbered.append(len(kinds) - 1)
            rollout.ordinals.append(ordinal)
    rollout.until = latest if latest and moment(latest) is not None else None
    rows.close()
    return rollout
