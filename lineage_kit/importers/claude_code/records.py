"""What is read of a Claude Code record: the fields that matter, the text a person would read, what the model saw.

Only the fields named here are decoded, the rest of a record is skipped over. Every field takes any JSON value, since
real files hold all of them; what is of a type that its field cannot have counts as absent.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw, Struct

Other = str | int | float | bool | list[Any] | None
"""Any JSON value but an object."""
TYPES = frozenset({
    "assistant", "user", "system", "attachment", "summary", "file-history-snapshot", "queue-operation", "progress",
    "permission-mode", "last-prompt", "saved_hook_context", "custom-title", "ai-title", "mode", "agent-name", "started",
    "result",
})  # fmt: skip
"""The record types that are known."""
VISIBLE = frozenset({
    "text", "file", "directory", "image", "memory", "nested_memory", "relevant_memories", "current_session_memory",
    "edited_text_file", "edited_image_file", "compact_file_reference", "pdf_reference", "already_read_file",
    "plan_file_reference", "selected_lines_in_ide", "opened_file_in_ide", "mcp_resource", "diagnostics", "todo",
    "todo_reminder", "task_reminder", "task_status", "skill_listing", "skill_discovery", "dynamic_skill",
    "invoked_skills", "deferred_tools_delta", "mcp_instructions_delta", "agent_listing_delta", "agent_mention",
    "output_style", "plan_mode", "plan_mode_reentry", "plan_mode_exit", "critical_system_reminder", "date_change",
})  # fmt: skip
"""Attachments that the model was shown: text, files, images, memory."""
HIDDEN = frozenset({"async_hook_response", "queued_command", "command_permissions", "structured_output"})
"""Attachments that it was not shown, beside those of hooks, queues and progress."""
TITLE = 200
"""Characters of a prompt that serve as the title of a session."""


class Usage(Struct, gc=False):
    """What an answer cost."""

    input_tokens: Any = None
    cache_creation_input_tokens: Any = None
    cache_read_input_tokens: Any = None
    output_tokens: Any = None


class Block(Struct, gc=False):
    """A block of a message's content."""

    type: Any = None
    text: Any = None
    thinking: Any = None
    id: Any = None
    name: Any = None
    input: Raw = Raw()
    tool_use_id: Any = None
    content: list[Block | Other] | Block | str | int | float | bool | None = None
    is_error: Any = None


class Message(Struct, gc=False):
    """A message."""

    id: Any = None
    model: Any = None
    content: list[Block | Other] | Block | str | int | float | bool | None = None
    usage: Usage | Other = None


class BareBlock(Struct, gc=False):
    """A block without what only its text is made of."""

    type: Any = None
    id: Any = None
    name: Any = None
    tool_use_id: Any = None
    is_error: Any = None


class BareMessage(Struct, gc=False):
    """A message without what only its text is made of."""

    id: Any = None
    model: Any = None
    content: list[BareBlock | Other] | BareBlock | str | int | float | bool | None = None
    usage: Usage | Other = None


class ToolUseResult(Struct, gc=False):
    """What the machinery says of a tool's run."""

    agentId: Any = None


class Kept(Struct, gc=False):
    """The fields that every record is read for."""

    type: Any = None
    subtype: Any = None
    uuid: Any = None
    parentUuid: Any = None
    sessionId: Any = None
    timestamp: Any = None
    isSidechain: Any = None
    isMeta: Any = None
    isCompactSummary: Any = None
    isApiErrorMessage: Any = None
    requestId: Any = None
    agentId: Any = None
    cwd: Any = None
    version: Any = None
    forkedFrom: Any = None
    toolUseResult: ToolUseResult | Other = None
    logicalParentUuid: Any = None
    compactMetadata: Any = None
    leafUuid: Any = None
    messageId: Any = None
    parentToolUseID: Any = None
    attachment: Any = None
    customTitle: Any = None
    aiTitle: Any = None
    summary: Any = None


class Record(Kept, gc=False):
    """A record with its texts."""

    message: Message | Other = None
    content: Any = None
    lastPrompt: Any = None


class BareRecord(Kept, gc=False):
    """A record without its texts."""

    message: BareMessage | Other = None


class Content(Struct, gc=False):
    """What a record says, whoever wrote it where: the same again is the same event."""

    type: Any = None
    subtype: Any = None
    message: Raw = Raw()
    attachment: Raw = Raw()
    content: Raw = Raw()
    data: Raw = Raw()
    summary: Raw = Raw()


decode_content = msgspec.json.Decoder(Content).decode


def canonical_content(record: Content) -> bytes:
    """A record's type and message as bytes that are equal for equal ones; of one without a message, all it says."""
    parts: list[Any] = [record.type]
    message = bytes(record.message)
    if message not in (b"", b"null"):
        parts.append(_sorted(message))
    else:
        held = (record.attachment, record.content, record.data, record.summary)
        parts += [record.subtype, *(_sorted(bytes(part)) for part in held)]
    return repr(parts).encode()


def _sorted(raw: bytes) -> bytes:
    """JSON with its keys in order."""
    try:
        return msgspec.json.encode(msgspec.json.decode(raw), order="sorted") if raw else raw
    except (ValueError, RecursionError):
        return raw


def text_of(content: Any) -> str | None:
    r"""What a person would read of a message's content; a line a block.

    Example:
        >>> text_of([Block(type="text", text="look"), Block(type="tool_use", name="Bash", input=Raw(b'{"a": 1}'))])
        'look\nBash {"a": 1}'
    """
    if content.__class__ is str:
        return content
    if content.__class__ is Block:
        content = [content]
    elif content.__class__ is not list:
        return None
    if len(content) == 1 and content[0].__class__ is Block:  # most are
        return _text_of(content[0]) or ""
    texts = [one if one.__class__ is str else _text_of(one) for one in content]
    return "\n".join([text for text in texts if text is not None])


def _text_of(block: Any) -> str | None:
    """What a person would read of a block; None for nothing, which is no line either."""
    if block.__class__ is not Block:
        return None
    text: str | None = block.text
    if text.__class__ is str:
        return text
    text = block.thinking
    if text.__class__ is str:
        return text
    text = block.name
    if text.__class__ is str:
        given = block.input
        return f"{text} {str(given, 'utf-8')}" if given else text
    if block.type == "image" or block.type == "document":
        return f"[{block.type}]"
    inner = block.content
    return (inner if inner.__class__ is str else text_of(inner)) or None


TEXTS = ("content", "text", "snippet", "file", "prompt", "subject", "addedLines", "filename", "path")
"""Where an attachment has its text, or the name of what it shows; the first one counts."""


def attached_text(value: Any, depth: int = 0) -> str | None:
    """What a person would read of an attachment.

    Example:
        >>> attached_text({"type": "file", "filename": "a.py", "content": {"file": {"content": "x = 1"}}})
        'x = 1'
    """
    if isinstance(value, str):
        return value
    if depth > 8:
        return None
    if isinstance(value, list):
        texts = [attached_text(inner, depth + 1) for inner in value]
        return "\n".join(text for text in texts if text) or None
    if isinstance(value, dict):
        for name in TEXTS:
            if name in value and (text := attached_text(value[name], depth + 1)):
                return text
    return None


def is_visible(attachment: Any) -> bool | None:
    """Whether the model was shown an attachment; None for one of an unknown kind.

    Example:
        >>> [is_visible({"type": kind}) for kind in ("nested_memory", "hook_success", "hologram")]
        [True, False, None]
    """
    kind = attachment.get("type") if isinstance(attachment, dict) else None
    if not isinstance(kind, str):
        return None
    if kind in VISIBLE:
        return True
    if kind in HIDDEN or kind.startswith(("hook", "queue")) or "progress" in kind:
        return False
    return None


def plain_text(content: Any) -> str | None:
    """The text of a record that is no message, as decoded without a model of it."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [block.get("text") if isinstance(block, dict) else block for block in content]
        return "\n".join(text for text in texts if isinstance(text, str)) or None
    return None
