"""A Claude Code session: prompts, answers in one record a block, tool results told twice, and compactions."""

from collections.abc import Callable
from typing import Any

from benchmarks.transcripts.wording import Wording

Record = dict[str, Any]
MODEL = "claude-opus-4-5-20251101"
# Records between two compactions, as many as fill a window of 200,000 tokens.
WINDOW = 1_000
LARGE = 0.002  # of all tool results: images, and whole files beside their edits


class ClaudeCodeLog:
    """The records of one session, a turn at a time; counts what an import must find in them.

    As in real files, one API message is a record for each of its blocks, and calls made side by side are chained one
    to the next, while each result hangs on its call. Three records in five are the assistant's. A compaction in three
    keeps its last two messages and writes them again; a turn in thirty is a prompt that was edited.
    """

    kind = "claude_code"

    def __init__(self, seed: int = 7) -> None:
        self.words = Wording(seed)
        self.session = self.words.uuid()
        self.path = f"{self.session}.jsonl"
        self.events = self.replacements = 0
        self._cwd = f"/home/dev/{self.words.word()}"
        self._leaf: str | None = None
        self._since = 0
        self._last: list[Record] = []
        self._made: list[Record] = []
        self._prompts = 0
        self._results: tuple[tuple[Callable[[], tuple[str, Record, Any, Any]], float], ...] = (
            (self._bash, 0.32),
            (self._read, 0.22),
            (self._edit, 0.16),
            (self._grep, 0.10),
            (self._write, 0.05),
            (self._todos, 0.09),
            (self._task, 0.02),
            (self._plain, 0.04),
        )

    def turn(self) -> list[Record]:
        """The records of the next turn, and of a compaction after it if the window is full."""
        self._made = []
        if not self._prompts:
            self._bare("permission-mode", permissionMode="acceptEdits")
            self._attachment({"type": "hook_success", "hookName": "SessionStart:startup", "content": "", "exitCode": 0})
        words = self.words
        before, full = self._leaf, self._since >= WINDOW
        if full:
            self._compact()
        if words.happens(0.5):
            message = words.uuid()
            snapshot = {"messageId": message, "trackedFileBackups": {}, "timestamp": words.time(5)}
            self._bare("file-history-snapshot", messageId=message, snapshot=snapshot, isSnapshotUpdate=False)
        if words.happens(0.3):
            for operation, content in (("enqueue", {"content": words.prose(60)}), ("dequeue", {})):
                self._bare("queue-operation", operation=operation, timestamp=words.time(20), **content)
        self._prompt()
        if self._prompts > 2 and not full and words.happens(1 / 30):
            # The prompt is edited after a first answer: a sibling takes the place of both.
            self._answer("text", "end_turn", self._usage())
            self._leaf = before
            self._prompt()
            self.replacements += 1
        if words.happens(0.5):
            names = [words.word() for _ in range(3)]
            self._attachment({"type": "deferred_tools_delta", "addedNames": names, "removedNames": []})
        if words.happens(0.15):
            self._attachment(
                {
                    "type": "file",
                    "filename": words.path(),
                    "content": {
                        "type": "text",
                        "file": {
                            "filePath": words.path(),
                            "content": words.code(words.length(900, 20_000)),
                            "numLines": 40,
                        },
                    },
                }
            )
        for _ in range(words.length(4, 40)):
            self._step()
        self._last = [*self._last[-1:], self._answer("text", "end_turn", self._usage())]
        self._system("turn_duration", durationMs=words.draw(300_000), messageCount=words.draw(200))
        if words.happens(0.2):
            hooks = [{"command": words.command(), "durationMs": words.draw(500)}]
            self._system("stop_hook_summary", hookCount=1, hookInfos=hooks, hookErrors=[], stopReason="", level="info")
        if words.happens(0.1):
            self._bare("last-prompt", lastPrompt=words.prose(120), leafUuid=self._leaf)
        return self._made

    def _put(self, record: Record) -> Record:
        self._made.append(record)
        self._since += 1
        self.events += 1
        return record

    def _bare(self, type: str, **fields: Any) -> None:
        self._put({"type": type, **fields, "sessionId": self.session})

    def _chained(self, type: str, parent: str | None, **fields: Any) -> Record:
        uuid = self.words.uuid()
        self._leaf = uuid
        return self._put(
            {
                "parentUuid": parent,
                "isSidechain": False,
                "userType": "external",
                "cwd": self._cwd,
                "sessionId": self.session,
                "version": "2.1.114",
                "gitBranch": "main",
                **fields,
                "type": type,
                "uuid": uuid,
                "timestamp": self.words.time(),
            }
        )

    def _attachment(self, attachment: Record) -> None:
        self._chained("attachment", self._leaf, attachment=attachment)

    def _system(self, subtype: str, **fields: Any) -> None:
        self._chained("system", self._leaf, subtype=subtype, **fields, isMeta=False)

    def _prompt(self) -> None:
        self._prompts += 1
        words = self.words
        text: Any = words.prose(words.length(180, 6_000))
        if words.happens(0.2):
            text = [{"type": "text", "text": text}]
        message = {"role": "user", "content": text}
        self._last = [self._chained("user", self._leaf, message=message, promptId=words.uuid())]

    def _usage(self) -> Record:
        words = self.words
        written = words.draw(9_000)
        return {
            "input_tokens": 1 + words.draw(12),
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": words.draw(160_000),
            "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0},
            "output_tokens": 1 + words.draw(900),
            "service_tier": "standard",
        }

    def _answer(self, kind: str, stop: str | None, usage: Record, told: tuple[str, str] | None = None) -> Record:
        words = self.words
        if kind == "thinking":
            block = {"type": kind, kind: words.prose(words.length(350, 12_000)), "signature": words.base64(420)}
        else:
            block = {"type": kind, kind: words.prose(words.length(260, 8_000))}
        return self._block(block, stop, usage, told or (words.id("msg_01"), words.id("req_011")))

    def _block(self, block: Record, stop: str | None, usage: Record, told: tuple[str, str]) -> Record:
        message = {
            "model": MODEL,
            "id": told[0],
            "type": "message",
            "role": "assistant",
            "content": [block],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage,
        }
        return self._chained("assistant", self._leaf, message=message, requestId=told[1])

    def _step(self) -> None:
        """One API message, thinking, text and calls, and the results of the calls."""
        words = self.words
        told, usage = (words.id("msg_01"), words.id("req_011")), self._usage()
        if words.happens(0.16):
            self._answer("thinking", None, usage, told)
        if words.happens(0.38):
            self._answer("text", None, usage, told)
        calls = []
        for _ in range(words.rng.choices((1, 2, 3), (88, 9, 3))[0]):
            made = words.rng.choices(self._results, [share for _, share in self._results])[0][0]
            name, given, result, details = made()
            block = {"type": "tool_use", "id": words.id("toolu_01"), "name": name, "input": given}
            calls.append((self._block(block, None, usage, told)["uuid"], block["id"], result, details))
        for call, call_id, result, details in calls:
            if words.happens(0.03):
                data = {"type": "hook_progress", "hookEvent": "PostToolUse", "command": words.command()}
                self._chained("progress", call, data=data, parentToolUseID=call_id, toolUseID=call_id)
            block = {"tool_use_id": call_id, "type": "tool_result", "content": result}
            if words.happens(0.3):
                block["is_error"] = words.happens(0.1)
            extra = {} if details is None else {"toolUseResult": details}
            message = {"role": "user", "content": [block]}
            parent = call if words.happens(0.9) else self._leaf
            put = self._chained("user", parent, message=message, **extra, sourceToolAssistantUUID=call)
            self._last.append(put)

    def _bash(self) -> tuple[str, Record, Any, Any]:
        words = self.words
        out = words.prose(words.length(320, 30_000, 1.3))
        told = {"stdout": out, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
        return "Bash", {"command": words.command(), "description": words.prose(40)}, out, told

    def _read(self) -> tuple[str, Record, Any, Any]:
        words = self.words
        path = words.path()
        if words.happens(LARGE * 4):
            source = {
                "type": "base64",
                "data": words.base64(words.length(250_000, 1_000_000, 0.7)),
                "media_type": "image/png",
            }
            return "Read", {"file_path": path}, [{"type": "image", "source": source}], {"type": "image"}
        length = words.length(1_300, 60_000, 1.2)
        lines = length // 45 + 1
        file = {"filePath": path, "content": words.code(length), "numLines": lines, "startLine": 1, "totalLines": lines}
        return "Read", {"file_path": path}, words.numbered(length), {"type": "text", "file": file}

    def _edit(self) -> tuple[str, Record, Any, Any]:
        words = self.words
        given = {
            "file_path": words.path(),
            "old_string": words.code(words.length(160, 4_000)),
            "new_string": words.code(words.length(220, 6_000)),
        }
        lines = words.code(500).split("\n")
        whole = words.length(400_000, 900_000, 0.5) if words.happens(LARGE * 4) else words.length(3_000, 80_000)
        told = {
            "filePath": given["file_path"],
            "oldString": given["old_string"],
            "newString": given["new_string"],
            "originalFile": words.code(whole),
            "structuredPatch": [{"oldStart": 10, "oldLines": 7, "newStart": 10, "newLines": 9, "lines": lines}],
            "userModified": False,
            "replaceAll": False,
        }
        return "Edit", given, f"The file has been put right.\n{words.numbered(400)}", told

    def _grep(self) -> tuple[str, Record, Any, Any]:
        words = self.words
        names = [words.path() for _ in range(words.length(4, 60))]
        told = {"mode": "files_with_matches", "filenames": names, "numFiles": len(names)}
        return "Grep", {"pattern": words.word(), "path": self._cwd}, "\n".join(names), told

    def _write(self) -> tuple[str, Record, Any, Any]:
        words = self.words
        path, content = words.path(), words.code(words.length(2_000, 40_000))
        told = {"type": "create", "filePath": path, "content": content, "structuredPatch": [], "originalFile": None}
        return "Write", {"file_path": path, "content": content}, f"{path} has been written", told

    def _todos(self) -> tuple[str, Record, Any, Any]:
        words = self.words
        todos = [
            {"content": words.prose(50), "status": "pending", "activeForm": words.prose(40)}
            for _ in range(1 + words.draw(6))
        ]
        return "TodoWrite", {"todos": todos}, words.prose(160), {"oldTodos": todos[1:], "newTodos": todos}

    def _task(self) -> tuple[str, Record, Any, Any]:
        words = self.words
        prompt, blocks = words.prose(800), [{"type": "text", "text": words.prose(words.length(1_500, 20_000))}]
        told = {"status": "completed", "prompt": prompt, "content": blocks, "totalTokens": words.draw(90_000)}
        return "Task", {"prompt": prompt, "subagent_type": "explorer"}, blocks, {**told, "usage": self._usage()}

    def _plain(self) -> tuple[str, Record, Any, Any]:
        """A call whose result is told once only."""
        words = self.words
        text = words.prose(words.length(300, 10_000))
        return f"mcp__{words.word()}__{words.word()}", {"query": words.prose(40)}, text, None

    def _compact(self) -> None:
        words = self.words
        kept = self._last[-2:] if words.happens(1 / 3) else []
        details: Record = {"trigger": "auto", "preTokens": 150_000 + words.draw(40_000)}
        if kept:
            details["preservedSegment"] = {"headUuid": kept[0]["uuid"], "anchorUuid": "", "tailUuid": kept[-1]["uuid"]}
        before, self._leaf = self._leaf, None
        self._system("compact_boundary", logicalParentUuid=before, content="Compacted", compactMetadata=details)
        message = {"role": "user", "content": words.prose(words.length(7_000, 20_000, 0.4))}
        flags = {"isCompactSummary": True, "isVisibleInTranscriptOnly": True}
        summary = self._chained("user", self._leaf, message=message, **flags)
        if kept:
            details["preservedSegment"]["anchorUuid"] = summary["uuid"]
            # They are written again, with the times they had.
            self._made += kept
        self.replacements += 1
        self._since = 0
