"""A Codex rollout: response items, the event messages that tell them again, token counts, and compactions."""

from typing import Any

from benchmarks.transcripts.wording import Wording, compact

Record = dict[str, Any]
MODEL = "gpt-5.2-codex"
# Response items between two compactions.
WINDOW = 700


class CodexLog:
    """The lines of one rollout, a turn at a time; counts what an import must find in them.

    Reasoning is encrypted, with a summary to read; a call is a function or a patch. A turn in forty is rolled back.
    """

    kind = "codex"

    def __init__(self, seed: int = 7) -> None:
        self.words = words = Wording(seed)
        self.session = words.uuid()
        self.path = f"rollout-2026-01-01T00-00-00-{self.session}.jsonl"
        self.events = self.replacements = 0
        self._cwd = f"/home/dev/{words.word()}"
        self._since = self._turns = 0
        self._used = dict.fromkeys(("input", "cached_input", "output", "reasoning_output", "total"), 0)
        self._asked: list[Record] = []
        self._made: list[Record] = []

    def turn(self) -> list[Record]:
        """The lines of the next turn, and of a compaction in its course if the window is full."""
        self._made = []
        words = self.words
        if not self._turns:
            self._begin()
        self._turns += 1
        turn = words.uuid()
        self._event("task_started", turn_id=turn, model_context_window=258_400, collaboration_mode_kind="default")
        self._context(turn)
        asked = words.prose(words.length(180, 6_000))
        self._asked = [*self._asked[-20:], self._message("user", "input_text", asked)]
        self._event("user_message", message=asked, images=[], local_images=[], text_elements=[])
        for _ in range(words.length(6, 60)):
            self._step()
            if self._since >= WINDOW:
                self._compact(turn)
        if words.happens(0.04):
            self._event("turn_aborted", turn_id=turn, reason="interrupted")
        else:
            self._event("task_complete", turn_id=turn, last_agent_message=self._answer("final_answer"))
        if self._turns > 2 and words.happens(1 / 40):
            self._event("thread_rolled_back", num_turns=1)
            self.replacements += 1
        return self._made

    def _put(self, type: str, payload: Record, time: int = 1_500) -> None:
        self._made.append({"timestamp": self.words.time(time), "type": type, "payload": payload})
        self.events += type != "session_meta"

    def _event(self, type: str, **fields: Any) -> None:
        self._put("event_msg", {"type": type, **fields}, 3)

    def _item(self, type: str, **fields: Any) -> Record:
        item = {"type": type, **fields}
        self._put("response_item", item)
        self._since += 1
        return item

    def _message(self, role: str, kind: str, text: str, **fields: Any) -> Record:
        return self._item("message", role=role, content=[{"type": kind, "text": text}], **fields)

    def _begin(self) -> None:
        words = self.words
        meta = {
            "id": self.session,
            "timestamp": words.time(),
            "cwd": self._cwd,
            "originator": "codex_cli_rs",
            "cli_version": "0.98.0",
            "source": "cli",
            "model_provider": "openai",
            "base_instructions": {"text": words.prose(12_000)},
            "git": {"commit_hash": f"{words.rng.getrandbits(160):040x}", "branch": "main"},
        }
        self._put("session_meta", meta)
        self._message("developer", "input_text", words.prose(3_000))
        self._message("user", "input_text", words.prose(4_000))
        self._message("user", "input_text", f"<environment_context>\n  <cwd>{self._cwd}</cwd>\n</environment_context>")

    def _context(self, turn: str) -> None:
        policy = {"type": "workspace-write", "network_access": False, "exclude_slash_tmp": False}
        context = {
            "turn_id": turn,
            "cwd": self._cwd,
            "approval_policy": "on-request",
            "sandbox_policy": policy,
            "model": MODEL,
            "personality": "pragmatic",
            "effort": "high",
            "summary": "auto",
            "truncation_policy": {"mode": "tokens", "limit": 10_000},
        }
        self._put("turn_context", context)

    def _answer(self, phase: str) -> str:
        text = self.words.prose(self.words.length(280, 8_000))
        self._event("agent_message", message=text, phase=phase)
        self._message("assistant", "output_text", text, phase=phase)
        return text

    def _step(self) -> None:
        """One request: reasoning, perhaps a message, calls and their outputs, and what it used."""
        words = self.words
        if words.happens(0.6):
            text = f"**{words.prose(30)}**\n\n{words.prose(words.length(200, 2_000))}"
            summary = [] if words.happens(0.3) else [{"type": "summary_text", "text": text}]
            if summary:
                self._event("agent_reasoning", text=text)
            encrypted = words.base64(words.length(1_100, 20_000, 0.7))
            self._item("reasoning", summary=summary, content=None, encrypted_content=encrypted)
        if words.happens(0.25):
            self._answer("commentary")
        calls = [words.id("call_") for _ in range(words.rng.choices((1, 2, 4), (85, 10, 5))[0])]
        patch = words.happens(0.15)
        for call in calls:
            if patch:
                text = f"*** Begin Patch\n*** Update File: {words.path()}\n@@\n{words.code(words.length(700, 20_000))}"
                self._item("custom_tool_call", status="completed", call_id=call, name="apply_patch", input=text)
            else:
                given = {"cmd": words.command(), "workdir": self._cwd, "yield_time_ms": 1_000}
                self._item("function_call", name="exec_command", arguments=compact(given), call_id=call)
        for call in calls:
            if patch:
                told = {"output": f"Success\nM {words.path()}\n", "metadata": {"exit_code": 0, "duration_seconds": 0.1}}
                self._item("custom_tool_call_output", call_id=call, output=compact(told))
            else:
                text = words.numbered(words.length(900, 40_000, 1.3)) if words.happens(0.5) else words.prose(300)
                if words.happens(0.001):
                    text = words.code(words.length(300_000, 1_000_000, 0.5))
                told = (
                    f"Chunk ID: {words.id('', 6)}\nWall time: 0.05 seconds\nProcess exited with code 0\nOutput:\n{text}"
                )
                self._item("function_call_output", call_id=call, output=told)
        self._tokens()

    def _tokens(self) -> None:
        words = self.words
        last = {name: words.draw(2_000) for name in self._used}
        self._used = {name: used + last[name] for name, used in self._used.items()}
        totals = {f"{name}_tokens": used for name, used in self._used.items()}
        info = {
            "total_token_usage": totals,
            "last_token_usage": {f"{name}_tokens": used for name, used in last.items()},
            "model_context_window": 258_400,
        }
        window = {"used_percent": float(words.draw(100)), "window_minutes": 300, "resets_at": words.now // 1_000}
        limits = {"limit_id": "codex", "primary": window, "secondary": {**window, "window_minutes": 10_080}}
        self._event("token_count", info=info, rate_limits=limits)

    def _compact(self, turn: str) -> None:
        summary = self.words.prose(self.words.length(6_000, 20_000, 0.4))
        told = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": summary}]}
        self._put("compacted", {"message": "", "replacement_history": [*self._asked, told]})
        self._context(turn)
        self._event("context_compacted")
        self.replacements += 1
        self._since = 0
