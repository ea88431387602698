"""Reading one Claude Code file: its rows are staged for its records, and it is indexed how they hang together."""

from __future__ import annotations

from typing import Any

import msgspec

from lineage_kit.importers.claude_code.file_index import (
    APPEND,
    BOUNDARY,
    OFF,
    PROMPT,
    ROWS,
    SIDE,
    SUMMARY,
    USAGE,
    FileIndex,
    Times,
)
from lineage_kit.importers.claude_code.records import (
    TYPES,
    BareBlock,
    BareMessage,
    BareRecord,
    Block,
    Message,
    Record,
    ToolUseResult,
    Usage,
    attached_text,
    is_visible,
    plain_text,
    text_of,
)
from lineage_kit.importers.pipeline.context import Import
from lineage_kit.importers.pipeline.files import LogFile
from lineage_kit.importers.pipeline.json_lines import Found, Unparsed
from lineage_kit.importers.pipeline.staging import unparsed

EXAMPLE = 80
"""Characters of an example in the report."""
DECODE = {True: msgspec.json.Decoder(Record).decode, False: msgspec.json.Decoder(BareRecord).decode}
LINKING = {False: ("summary", "last-prompt", "file-history-snapshot"), True: ("progress",)}
"""The records whose links to uuids, and to calls, are known to be links."""
LINKED = frozenset(LINKING[False] + LINKING[True])
RANKS = {"custom-title": 0, "ai-title": 1, "summary": 2}
"""The records that give titles, the best first."""


def index_file(file: LogFile, work: Import, times: Times) -> FileIndex:
    """Read a file: a staged row for every record, and the index.

    This loop runs once a record of whatever an import reads; it is written for speed, names of its own included.
    """
    keep, staged = work.keep_text, work.staged
    add = staged.add
    index = FileIndex(file, len(staged))
    rows, sids = index.rows, {"": 0}
    append = rows.append
    message_class: Any = Message if keep else BareMessage
    at, last_sid, sid_code, placed = -1, "", 0, False
    record: Any
    content: Any
    shown: str | None
    raw_type: str | None
    for record, raw, line, offset, ended in work.records(file, DECODE[keep]):
        at += 1
        if len(rows) >= ROWS:
            index.take(times)
        if record.__class__ is Unparsed:
            add(unparsed(Found(record, raw, line, offset, ended)), 100)
            append((line, "", "", "", 0, 0, 0, None))
            continue
        # ids
        parent = record.parentUuid
        if record.logicalParentUuid is not None and (parent is None or record.type == "system"):
            logical = record.logicalParentUuid
            if logical.__class__ is str and logical:
                parent = logical  # of the boundary of a compaction, whose parentUuid is null
        if parent.__class__ is not str:
            parent = ""
        uuid = record.uuid
        if uuid.__class__ is not str or not uuid:
            uuid = None
        sid = record.sessionId
        if sid != last_sid:
            last_sid = sid if sid.__class__ is str else ""
            sid_code = sids.setdefault(last_sid, len(sids))
        time = record.timestamp
        if time.__class__ is not str:
            time = None
        flag = SIDE if record.isSidechain is True else 0
        # what it says
        kind, message = record.type, record.message
        text = model = tool_name = tool_id = is_error = tokens_in = tokens_out = None
        answer: Any = ""
        asked = 0
        if message.__class__ is message_class and (kind == "assistant" or kind == "user"):
            raw_type, what, content = kind, APPEND, message.content
            if keep:
                text = text_of(content)
            if kind == "assistant":
                shown = "assistant/message"
                if content.__class__ is list:
                    tool_name, tool_id = _calls(content, at, index)
                answer, model, usage = message.id, message.model, message.usage
                if answer.__class__ is not str:
                    answer = ""
                if model.__class__ is not str:
                    model = None
                if usage.__class__ is Usage:
                    tokens_in, tokens_out = _tokens(usage)
                    if answer and (tokens_in is not None or tokens_out is not None):
                        flag |= USAGE
                        request = record.requestId
                        asked = hash((answer, request if request.__class__ is str else None))
                if record.isApiErrorMessage is True:
                    is_error = True
            else:
                found = _results(content, at, index) if content.__class__ is list else None
                if found is None:
                    shown = "user/message"
                    if record.isMeta is not True:
                        what = PROMPT
                else:
                    shown = "tool/result"
                    tool_id, is_error = found
                    run = record.toolUseResult
                    if run.__class__ is ToolUseResult and run.agentId.__class__ is str and run.agentId:
                        index.spawns.append((at, run.agentId))
            if record.isCompactSummary is True:
                what = SUMMARY
                if shown == "tool/result":
                    shown = "user/message"  # a tool/result never replaces anything
        else:
            shown, raw_type, what, text = _other(record, at, line, index, work)
        append((line, uuid or "", parent, answer, asked, sid_code, flag | what, time))
        # what is said of the file as a whole, or by few records
        if record.agentId is not None:
            _agent(record.agentId, flag, index)
        if not placed:
            placed = _placed(record, index)
        if record.forkedFrom is not None and isinstance(record.forkedFrom, dict):
            _copied(record.forkedFrom, uuid, at, index)
        # One tuple, since one that is put together of parts takes longer.
        payload, size = (raw, 2 * len(raw) + 300) if keep else (None, 400)
        add(
            (
                shown, line, offset, raw_type, time, payload, text, is_error,
                uuid, model, tool_name, tool_id, tokens_in, tokens_out,
            ),
            size,
        )  # fmt: skip
    index.sids = list(sids)
    index.close(times)
    return index


def _placed(record: Any, index: FileIndex) -> bool:
    """Note where the session ran, and under which version; whether both are known now."""
    if index.cwd is None and record.cwd.__class__ is str:
        index.cwd = record.cwd
    if index.version is None and record.version.__class__ is str:
        index.version = record.version
    return index.cwd is not None and index.version is not None


def _calls(content: list[Any], at: int, index: FileIndex) -> tuple[str | None, str | None]:
    """Note the calls of a message; gives the name and the id of the first."""
    name = first = None
    records, ids = index.uses
    for block in content:
        if (block.__class__ is Block or block.__class__ is BareBlock) and block.type == "tool_use":
            call = block.id
            if call.__class__ is str and call:
                records.append(at)
                ids.append(call)
                first = first or call
            if name is None and block.name.__class__ is str:
                name = block.name
    return name, first


def _results(content: list[Any], at: int, index: FileIndex) -> tuple[str | None, bool | None] | None:
    """Note the results of a message; gives the id of the first, and whether any failed. None: there are none."""
    first = failed = None
    found = False
    records, ids = index.results
    for block in content:
        if (block.__class__ is Block or block.__class__ is BareBlock) and block.type == "tool_result":
            found = True
            call = block.tool_use_id
            if call.__class__ is not str:
                call = ""
            records.append(at)
            ids.append(call)
            first = first or call or None
            if block.is_error is True:
                failed = True
            elif block.is_error is False and failed is None:
                failed = False
    return (first, failed) if found else None


def _tokens(usage: Usage) -> tuple[int | None, int | None]:
    """What went in, and what came out. What was written to the cache, or read from it, went in as well."""
    total, written, read = usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens
    if total.__class__ is not int:
        total = None
    if written.__class__ is int:
        total = written if total is None else total + written
    if read.__class__ is int:
        total = read if total is None else total + read
    return total, usage.output_tokens if usage.output_tokens.__class__ is int else None


def _agent(agent: Any, flag: int, index: FileIndex) -> None:
    if agent.__class__ is str and agent:
        index.agents[agent] = index.agents.get(agent, 0) + 1
        if flag & SIDE:
            index.sidechain_agents += 1


def _other(
    record: Any, at: int, line: int, index: FileIndex, work: Import
) -> tuple[str | None, str | None, int, str | None]:
    """Of a record that is no message: its type, its own name, what it is to the surface, its text."""
    kind, keep, name = record.type, work.keep_text, index.file.name
    if kind.__class__ is not str:
        work.findings.add("unknown_type", name, line, "no type" if kind is None else repr(kind)[:EXAMPLE])
        return None, None, OFF, None
    raw_type = f"{kind}:{record.subtype}" if record.subtype.__class__ is str else kind
    text = _text(record) if keep else None
    if kind == "attachment":
        seen = is_visible(record.attachment)
        if seen:
            return "user/message", raw_type, APPEND, text
        if seen is None:
            kind_of = record.attachment.get("type") if isinstance(record.attachment, dict) else None
            work.findings.add("unknown_attachment", name, line, str(kind_of)[:EXAMPLE])
        return kind, raw_type, OFF, text
    if kind in ("user", "assistant"):
        work.findings.add("no_message", name, line, record.uuid if record.uuid.__class__ is str else None)
        return kind, raw_type, OFF, text
    if kind not in TYPES:
        work.findings.add("unknown_type", name, line, kind[:EXAMPLE])
        if kind in ("user/message", "assistant/message", "tool/result"):  # messages only may be of these types
            return None, raw_type, OFF, text
    if kind in LINKED:
        for tool, target in ((False, record.leafUuid), (False, record.messageId), (True, record.parentToolUseID)):
            if target.__class__ is str and target and kind in LINKING[tool]:
                index.refs.append((at, tool, target))
    if keep and kind in RANKS:
        _title(record, kind, index)
    if kind == "system" and record.subtype == "compact_boundary":
        if isinstance(record.compactMetadata, dict):
            index.preserved[at] = record.compactMetadata
        return kind, raw_type, BOUNDARY, text
    return kind, raw_type, OFF, text


def _text(record: Any) -> str | None:
    if record.type == "attachment":
        return attached_text(record.attachment)
    for given in (record.content, record.summary, record.customTitle, record.aiTitle, record.lastPrompt):
        if given is not None and (text := plain_text(given)):
            return text
    return None


def _title(record: Any, kind: str, index: FileIndex) -> None:
    title = {"custom-title": record.customTitle, "ai-title": record.aiTitle, "summary": record.summary}.get(kind)
    if isinstance(title, str) and title.strip():
        leaf = record.leafUuid
        if kind != "summary":
            index.titles.append((RANKS[kind], None, title))
        elif leaf.__class__ is str:
            index.titles.append((RANKS[kind], leaf, title))


def _copied(source: dict[str, Any], uuid: str | None, at: int, index: FileIndex) -> None:
    """A record that says where it was copied from; under another uuid it is a link to that."""
    session, original = source.get("sessionId"), source.get("messageUuid")
    if isinstance(session, str) and session:
        index.copied[at] = session
    if isinstance(original, str) and original and original != uuid:
        index.refs.append((at, False, original))
