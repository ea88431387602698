"""What a person reads of a Codex record, whether it tells of a failure, and which messages a person wrote."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

TITLE = 200
"""Characters of a title."""
TAGS = (
    "INSTRUCTIONS",
    "apps_instructions",
    "collaboration_mode",
    "environment_context",
    "model_switch",
    "permissions instructions",
    "personality_spec",
    "plugins_instructions",
    "realtime_conversation",
    "skill",
    "skills_instructions",
    "subagent_notification",
    "turn_aborted",
    "user_action",
    "user_instructions",
    "user_shell_command",
)
"""The tags in which Codex wraps what it tells the model under the role `user`. Other tags are a person's own."""
GUIDE = "# AGENTS.md instructions for "
REQUEST = "## My request for Codex:"
"""What a person wrote follows this where an editor put its context in front."""
REPEATED = {"user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content"}
"""Events that say again what a response item says."""
SPAWNED = ("agent_id", "new_thread_id", "thread_id")
"""What the output of a spawning call calls the thread that it started."""
_exit_code = re.compile(r"Exit code: (-?\d+)\nWall time: ")


class Outcome(msgspec.Struct, gc=False):
    """How a command ended."""

    exit_code: int


class Ran(msgspec.Struct, gc=False):
    """The output of a command as JSON in a text, as older versions wrote it."""

    output: str
    metadata: Outcome


_ran = msgspec.json.Decoder(Ran).decode


def blocks_text(content: Any) -> str | None:
    """The texts of content blocks, one after the other.

    Example:
        >>> blocks_text([{"type": "input_text", "text": "look"}, {"type": "input_image", "image_url": "data:"}])
        'look'
    """
    if content.__class__ is str:
        return content or None
    if content.__class__ is not list:
        return None
    if len(content) == 1 and content[0].__class__ is dict:
        text = content[0].get("text")
        return text if text.__class__ is str and text else None
    found = [block["text"] for block in content if isinstance(block, dict) and isinstance(block.get("text"), str)]
    return "\n".join(text for text in found if text) or None


def call_text(name: str | None, item: Any) -> str | None:
    """The name of a tool and what it was given."""
    given = item.arguments if item.arguments is not None else item.input
    if given.__class__ is str and given and name:
        return f"{name} {given}"
    if given is None and isinstance(item.action, dict):
        action = item.action
        given = next((action[key] for key in ("command", "query", "url", "pattern") if action.get(key)), None)
        if isinstance(given, list):
            given = " ".join(part for part in given if isinstance(part, str))
    if given is not None and given.__class__ is not str:
        try:
            given = json.dumps(given, ensure_ascii=False)
        except RecursionError:
            given = None
    return " ".join(part for part in (name, given) if part) or None


def result(output: Any) -> tuple[str | None, bool | None]:
    """The text of an output, and whether it says that the call failed.

    Failure is what the harness itself wrote down: `success`, or the exit code in its own frame around the text.

    Example:
        >>> result('{"output": "no such file", "metadata": {"exit_code": 2}}')
        ('no such file', True)
        >>> result({"content": "ok", "success": True}), result("done")
        (('ok', False), ('done', None))
    """
    failed: bool | None = None
    if isinstance(output, dict):
        success = output.get("success")
        failed = not success if isinstance(success, bool) else None
        output = output.get("content", output.get("output"))
    if output.__class__ is not str:
        return blocks_text(output), failed
    first = output[:1]
    if first == "{" and output.startswith('{"') and '"exit_code"' in output:
        try:
            ran = _ran(output)
        except (msgspec.DecodeError, RecursionError):
            pass
        else:
            return ran.output or None, ran.metadata.exit_code != 0
    elif first == "E" and failed is None and (code := _exit_code.match(output)):
        failed = code[1].strip("-0") != ""
    return output or None, failed


def threads_in(text: str | None) -> list[str]:
    """The threads that the output of a spawning call says it started.

    Example:
        >>> threads_in('{"agent_id": "t2"}'), threads_in("no")
        (['t2'], [])
    """
    try:
        said = msgspec.json.decode(text or "")
    except (msgspec.DecodeError, RecursionError):
        return []
    named = [said.get(name) for name in SPAWNED] if isinstance(said, dict) else []
    return [name for name in named if isinstance(name, str)]


def reasoning_text(item: Any) -> str | None:
    """The summary of a reasoning, then the reasoning itself where it is not encrypted."""
    summary = blocks_text(item.summary)
    if item.content is None:
        return summary
    return "\n".join(part for part in (summary, blocks_text(item.content)) if part) or None


def event_text(kind: str | None, item: Any) -> str | None:
    """The text of a record that is off the surface, unless a response item repeats it."""
    if kind in REPEATED:
        return None
    return blocks_text(item.message if item.message is not None else item.content)


def injected(text: str) -> bool:
    """Whether a text under the role `user` comes from the harness: wholly one of its tags, or a guide file.

    Example:
        >>> injected("<environment_context>cwd</environment_context>"), injected("<div>why is this red?</div>")
        (True, False)
    """
    if text.startswith(GUIDE):
        return True
    return text[:1] == "<" and any(text.startswith(f"<{tag}>") and text.endswith(f"</{tag}>") for tag in TAGS)


def spoken(content: Any) -> str | None:
    """What a person wrote of a message with the role `user`: "" for a picture alone, None if it is not a person's.

    Example:
        >>> spoken([{"text": "<user_instructions>be brief</user_instructions>"}, {"text": "fix the tests"}])
        'fix the tests'
    """
    blocks = content if isinstance(content, list) else [{"text": content}]
    own: list[str] = []
    pictures = False
    for block in blocks:
        if not isinstance(block, dict):
            continue
        text = block.get("text")
        if not isinstance(text, str):
            pictures = pictures or block.get("type") == "input_image"
        elif (text := text.strip()) and not injected(text):
            own.append(text)
    if own:
        return "\n".join(own)
    return "" if pictures else None


def title_of(said: str) -> str | None:
    """A title of what a person wrote: on one line, and not too long."""
    if REQUEST in said:
        said = said.split(REQUEST, 1)[1].strip() or said
    return " ".join(said[: 20 * TITLE].split())[:TITLE] or None
