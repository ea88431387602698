"""Reading one Claude Code file: its records become drafts, and notes are taken of how they hang together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from lineage_kit.importers.claude_notes import APPEND, BOUNDARY, OFF, PROMPT, SIDE, SUMMARY, USAGE, Notes, Times
from lineage_kit.importers.claude_records import (
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
from lineage_kit.importers.drafts import unparsed
from lineage_kit.importers.files import LogFile
from lineage_kit.importers.reading import Import
from lineage_kit.importers.records import Found, Unparsed

PIECE = 20_000
"""Times parsed at once."""
EXAMPLE = 80
"""Characters of an example in the report."""
DECODE = {True: msgspec.json.Decoder(Record).decode, False: msgspec.json.Decoder(BareRecord).decode}
LINKING = {False: ("summary", "last-prompt", "file-history-snapshot"), True: ("progress",)}
"""The records whose links to uuids, and to calls, are known to be links."""
RANKS = {"custom-title": 0, "ai-title": 1, "summary": 2}
"""The records that give titles, the best first."""


def read_notes(file: LogFile, work: Import, times: Times) -> Notes:
    """Read a file: a draft for every record, and the notes.

    This loop runs once a record of whatever an import reads; it is written for speed, names of its own included.
    """
    keep, drafts = work.keep_text, work.drafts
    add = drafts.add
    notes = Notes(file, len(drafts))
    names, sids = notes.names, {"": 0}
    add_uuid, add_parent, add_message = notes.uuid.append, notes.parent.append, notes.message.append
    add_request, add_line, add_flag, add_sid = (
        notes.request.append,
        notes.line.append,
        notes.flags.append,
        notes.sid.append,
    )
    waiting = times.texts
    message_class = Message if keep else BareMessage
    at, last_uuid, last_key, last_sid, sid_code = -1, "", 0, "", 0
    record: Any
    content: Any
    shown: str | None
    raw_type: str | None
    for record, raw, line, offset, ended in work.records(file, DECODE[keep]):
        at += 1
        add_line(line)
        if len(waiting) >= PIECE:
            times.parse()
            waiting = times.texts
        if record.__class__ is Unparsed:
            add(unparsed(Found(record, raw, line, offset, ended)), 100)
            for column in (add_uuid, add_parent, add_message, add_request, add_sid, add_flag):
                column(0)
            waiting.append(None)
            continue
        # ids
        parent = record.parentUuid
        if record.logicalParentUuid is not None and (parent is None or record.type == "system"):
            logical = record.logicalParentUuid
            if logical.__class__ is str and logical:
                parent = logical  # of the boundary of a compaction, whose parentUuid is null
        if parent.__class__ is not str:
            add_parent(0)
        elif parent == last_uuid:
            add_parent(last_key)
        else:
            key = hash(parent)
            add_parent(key)
            names[key] = parent
        uuid = record.uuid
        if uuid.__class__ is str and uuid:
            last_uuid, last_key = uuid, hash(uuid)
            add_uuid(last_key)
        else:
            uuid = None
            add_uuid(0)
        sid = record.sessionId
        if sid != last_sid:
            last_sid = sid if sid.__class__ is str else ""
            sid_code = sids.setdefault(last_sid, len(sids))
        add_sid(sid_code)
        time = record.timestamp
        if time.__class__ is not str:
            time = None
        waiting.append(time)
        flag = SIDE if record.isSidechain is True else 0
        # what it says
        kind, message = record.type, record.message
        text = model = tool_name = tool_id = is_error = tokens_in = tokens_out = None
        message_key = request_key = 0
        if message.__class__ is message_class and (kind == "assistant" or kind == "user"):
            raw_type, what, content = kind, APPEND, message.content
            if keep:
                text = text_of(content)
            if kind == "assistant":
                shown = "assistant/message"
                if content.__class__ is list:
                    tool_name, tool_id = _calls(content, at, notes)
                answer = message.id
                if answer.__class__ is str and answer:
                    message_key = hash(answer)
                if message.model.__class__ is str:
                    model = message.model
                if message.usage.__class__ is Usage:
                    tokens_in, tokens_out = _tokens(message.usage)
                    if message_key and (tokens_in is not None or tokens_out is not None):
                        flag |= USAGE
                        request = record.requestId
                        request_key = hash((answer, request if request.__class__ is str else None))
                if record.isApiErrorMessage is True:
                    is_error = True
            else:
                found = _results(content, at, notes) if content.__class__ is list else None
                if found is None:
                    shown = "user/message"
                    if record.isMeta is not True:
                        what = PROMPT
                else:
                    shown = "tool/result"
                    tool_id, is_error = found
                    run = record.toolUseResult
                    if run.__class__ is ToolUseResult and run.agentId.__class__ is str and run.agentId:
                        notes.spawns.append((at, run.agentId))
            if record.isCompactSummary is True:
                what = SUMMARY
                if shown == "tool/result":
                    shown = "user/message"  # a tool/result never replaces anything
        else:
            shown, raw_type, what, text = _other(record, at, line, notes, work)
        add_message(message_key)
        add_request(request_key)
        add_flag(flag | what)
        # what is said of the file as a whole, or by few records
        if record.agentId is not None:
            _agent(record.agentId, flag, notes)
        if notes.cwd is None and record.cwd.__class__ is str:
            notes.cwd = record.cwd
        if notes.version is None and record.version.__class__ is str:
            notes.version = record.version
        if record.forkedFrom is not None and isinstance(record.forkedFrom, dict):
            _copied(record.forkedFrom, uuid, at, notes)
        told = (uuid, model, tool_name, tool_id, tokens_in, tokens_out)
        size = 2 * len(raw) + 300 if keep else 400
        add((shown, line, offset, raw_type, time, raw if keep else None, text, is_error, *told), size)
    notes.count = at + 1
    notes.sids = list(sids)
    notes.close()
    return notes


def _calls(content: Iterable[Any], at: int, notes: Notes) -> tuple[str | None, str | None]:
    """Note the calls of a message; gives the name and the id of the first."""
    name = first = None
    for block in content:
        if (block.__class__ is Block or block.__class__ is BareBlock) and block.type == "tool_use":
            call = block.id
            if call.__class__ is str and call:
                key = hash(call)
                notes.use_at.append(at)
                notes.use_id.append(key)
                notes.tools[key] = call
                first = first or call
            if name is None and block.name.__class__ is str:
                name = block.name
    return name, first


def _results(content: Iterable[Any], at: int, notes: Notes) -> tuple[str | None, bool | None] | None:
    """Note the results of a message; gives the id of the first, and whether any failed. None: there are none."""
    first = failed = None
    found = False
    for block in content:
        if (block.__class__ is Block or block.__class__ is BareBlock) and block.type == "tool_result":
            found = True
            call = block.tool_use_id
            notes.result_at.append(at)
            if call.__class__ is str and call:
                key = hash(call)
                notes.result_id.append(key)
                notes.tools[key] = call
                first = first or call
            else:
                notes.result_id.append(0)
            if block.is_error is True:
                failed = True
            elif block.is_error is False and failed is None:
                failed = False
    return (first, failed) if found else None


def _tokens(usage: Usage) -> tuple[int | None, int | None]:
    """What went in, and what came out. What was written to the cache, or read from it, went in as well."""
    total = usage.input_tokens
    if total.__class__ is not int:
        total = None
    for cached in (usage.cache_creation_input_tokens, usage.cache_read_input_tokens):
        if cached.__class__ is int:
            total = cached if total is None else total + cached
    return total, usage.output_tokens if usage.output_tokens.__class__ is int else None


def _agent(agent: Any, flag: int, notes: Notes) -> None:
    if agent.__class__ is str and agent:
        notes.agents[agent] = notes.agents.get(agent, 0) + 1
        if flag & SIDE:
            notes.sidechain_agents += 1


def _other(
    record: Any, at: int, line: int, notes: Notes, work: Import
) -> tuple[str | None, str | None, int, str | None]:
    """Of a record that is no message: its type, its own name, what it is to the surface, its text."""
    kind, keep, name = record.type, work.keep_text, notes.file.name
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
            told = record.attachment.get("type") if isinstance(record.attachment, dict) else None
            work.findings.add("unknown_attachment", name, line, str(told)[:EXAMPLE])
        return kind, raw_type, OFF, text
    if kind in ("user", "assistant"):
        work.findings.add("no_message", name, line, record.uuid if record.uuid.__class__ is str else None)
        return kind, raw_type, OFF, text
    if kind not in TYPES:
        work.findings.add("unknown_type", name, line, kind[:EXAMPLE])
        if kind in ("user/message", "assistant/message", "tool/result"):  # messages only may be of these types
            return None, raw_type, OFF, text
    for tool, target in ((False, record.leafUuid), (False, record.messageId), (True, record.parentToolUseID)):
        if target.__class__ is str and target and kind in LINKING[tool]:
            notes.refs.append((at, tool, target))
    if keep:
        _title(record, kind, notes)
    if kind == "system" and record.subtype == "compact_boundary":
        if isinstance(record.compactMetadata, dict):
            notes.preserved[at] = record.compactMetadata
        return kind, raw_type, BOUNDARY, text
    return kind, raw_type, OFF, text


def _text(record: Any) -> str | None:
    if record.type == "attachment":
        return attached_text(record.attachment)
    told = (record.content, record.summary, record.customTitle, record.aiTitle, record.lastPrompt)
    return next((read for one in told if (read := plain_text(one))), None)


def _title(record: Any, kind: str, notes: Notes) -> None:
    told = {"custom-title": record.customTitle, "ai-title": record.aiTitle, "summary": record.summary}.get(kind)
    if isinstance(told, str) and told.strip():
        leaf = record.leafUuid
        if kind != "summary":
            notes.titles.append((RANKS[kind], None, told))
        elif leaf.__class__ is str:
            notes.titles.append((RANKS[kind], leaf, told))


def _copied(source: dict[str, Any], uuid: str | None, at: int, notes: Notes) -> None:
    """A record that says where it was copied from; under another uuid it is a link to that."""
    session, original = source.get("sessionId"), source.get("messageUuid")
    if isinstance(session, str) and session:
        notes.copied[at] = session
    if isinstance(original, str) and original and original != uuid:
        notes.refs.append((at, False, original))
