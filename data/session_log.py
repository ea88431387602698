"""One session of the story, written event by event in the way an agent harness logs it.

`Log` knows the shape of the events and what is on the surface; what is said is the business of `build_sessions.py`.
"""

import hashlib
import json
import random
import uuid
from datetime import UTC, datetime, timedelta

MODEL = {"provider": "in-house", "model": "reed-2"}


def session_id(key: str, at: datetime) -> str:
    """An id like those of a harness: a UUID of version 7, which begins with the moment."""
    drawn = hashlib.sha256(key.encode()).digest()
    value = int(at.timestamp() * 1000).to_bytes(6, "big") + drawn[:10]
    number = int.from_bytes(value, "big") & ~(0xF << 76) | (7 << 76)
    return str(uuid.UUID(int=number & ~(0b11 << 62) | (0b10 << 62)))


def version_at(at: datetime) -> str:
    """The release of the harness; from 0.9 on, a compaction also cites its own summary event."""
    return "0.8.4" if at < datetime(2026, 3, 1, tzinfo=UTC) else "0.8.7" if at.month < 5 else "0.9.1"


class Log:
    """A header, and events as rows; `surface` holds the seqs that stand, in model order."""

    def __init__(self, key: str, at: datetime, title: str, cwd: str, origin: str = "main", **header) -> None:
        self.id = session_id(key, at)
        self.rng = random.Random(key)
        self.now = at
        self.header = {
            "session_id": self.id,
            "parent_session": header.get("parent"),
            "created_at": at,
            "version": version_at(at),
            "cwd": cwd,
            "origin": origin,
            "title": title,
            "seed_length": None,
            "delegation_depth": header.get("depth", 0),
        }
        self.rows: list[dict] = []
        self.surface: list[int] = []
        self.names: dict[str, int] = {}
        self.turn = self.step = 0
        self.in_turn = False

    def ref(self, seq: int) -> str:
        return f"{self.id}#{seq}"

    def passes(self, least: float, most: float) -> None:
        """Seconds go by."""
        self.now += timedelta(milliseconds=self.rng.randrange(int(least * 1000), int(most * 1000)))

    def until(self, at: datetime) -> None:
        if at < self.now:
            raise ValueError(f"{self.header['title']}: {at} is over, it is {self.now}")
        self.now = at

    def emit(self, type: str, data: dict | None = None, text: str | None = None, **more) -> int:
        """One event; with `op`, on the surface: "append", or the first and last seq that it replaces."""
        seq, op, error = len(self.rows), more.get("op"), more.get("error")
        if op == "append":
            self.surface.append(seq)
            op = {"op": "append", "start": None, "end": None}
        elif op:
            first, last = (self.surface.index(end) for end in op)
            self.surface[first : last + 1] = [seq]
            op = {"op": "replace", "start": op[0], "end": op[1]}
        cites = list(dict.fromkeys(more.get("cites") or ())) or None
        payload = None if data is None else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        row = (self.id, seq, self.now, type, op, cites, payload, text, error)
        self.rows.append(dict(zip(COLUMNS, row, strict=True)))
        self.now += timedelta(milliseconds=self.rng.randrange(1, 9))
        return seq

    def message(self, role: str, blocks: list[dict], source: dict, **more) -> dict:
        place = {"turn": self.turn, "step": self.step} if self.step else {"turn": self.turn}
        message = {"id": f"msg-{self.id[-6:]}-{len(self.rows)}", "role": role, "content": blocks, "source": source}
        return {**place, "message": message | more}

    # ---- turns and steps

    def begin(self) -> None:
        self.emit("session/title", {"title": self.header["title"]}, self.header["title"])
        self.emit("request/header", {"config": MODEL, "reason": "initial"})

    def user(self, text: str) -> int:
        """A turn begins with what it is asked; an open one is closed."""
        self.close()
        self.turn, self.step, self.in_turn = self.turn + 1, 0, True
        self.emit("turn/start", {"turn": self.turn})
        data = self.message(
            "user",
            [{"type": "text", "text": text}],
            {"kind": "user" if self.header["origin"] != "subagent" else "agent"},
        )
        return self.emit("user/message", data, text, op="append")

    def steer(self, text: str) -> int:
        """Somebody says something while the agent works."""
        self.emit("agent/inbox/spliced", {"target": "this-turn", "inserted": 1})
        data = self.message("user", [{"type": "text", "text": text}], {"kind": "user"})
        return self.emit("user/message", data, text, op="append")

    def close(self, reason: str = "completed") -> None:
        if self.in_turn:
            self.emit("turn/end", {"turn": self.turn, "reason": {"kind": reason}})
        self.in_turn = False

    def open_step(self) -> None:
        self.step += 1
        self.emit("step/start", {"turn": self.turn, "step": self.step})
        self.passes(3, 20)
        if self.rng.random() < 0.04:
            self.emit("assistant/attempt", {"turn": self.turn, "error": "overloaded, tried again"})
            self.passes(2, 9)

    def close_step(self) -> None:
        read = sum(len(self.rows[seq]["text"]) for seq in self.surface) // 4 + 2_150
        self.emit("step/end", {"turn": self.turn, "step": self.step, "contextTokens": read})

    def say(self, text: str, cites: list[int] | None = None) -> int:
        """An answer without a call."""
        self.open_step()
        data = self.message("assistant", [{"type": "text", "text": text}], {"kind": "model", **MODEL})
        seq = self.emit("assistant/message", data, text, op="append", cites=cites)
        self.close_step()
        return seq

    def call(self, tool: str, thought: str, arguments: dict, cites: list[int], allowed: bool = True) -> tuple[int, str]:
        """A step is opened with a thought and a call; `answer` closes it."""
        self.open_step()
        call = f"call-{self.turn}-{self.step}"
        blocks = [
            {"type": "text", "text": thought},
            {"type": "tool-call", "id": call, "name": tool, "arguments": arguments},
        ]
        data = self.message("assistant", blocks, {"kind": "model", **MODEL})
        self.emit("assistant/message", data, thought, op="append", cites=cites)
        told = next(iter(arguments.values()))
        told = told if told.startswith(tool) else f"{tool}: {told}"
        data = {"turn": self.turn, "step": self.step, "callId": call, "name": tool, "arguments": arguments}
        seq = self.emit("tool/call", data, told)
        if not allowed or (tool in ("kubectl", "deploy", "note") and self.rng.random() < 0.5):
            self.emit("approval/asked", {"callId": call, "tool": tool}, f"May this run? {told}")
            self.passes(2, 40)
            self.emit("approval/answered", {"callId": call, "decision": "allow" if allowed else "deny"})
        elif tool == "edit":
            self.emit("hook/ran", {"callId": call, "hook": "format", "changed": self.rng.random() < 0.3})
        return seq, call

    def answer(self, called: tuple[int, str], output: str, error: bool = False) -> int:
        seq, call = called
        block = {"type": "tool-result", "toolCallId": call, "content": [{"type": "text", "text": output}]}
        data = self.message("tool", [block], {"kind": "tool", "callId": call}, isError=error)
        result = self.emit("tool/result", data, output, op="append", cites=[seq], error=error)
        self.close_step()
        return result

    # ---- what replaces what

    def prune(self, seq: int, text: str) -> int:
        """A tool result with less content, in the place of the one that stands."""
        old = self.rows[seq]
        data = json.loads(old["payload"])
        data["message"]["content"][0]["content"] = [{"type": "text", "text": text}]
        self.emit("pruning/start", {"seq": seq, "characters": len(old["text"])})
        more = {"op": (seq, seq), "cites": [seq], "error": old["is_error"]}
        made = self.emit("tool/result", data, text, **more)
        self.emit("pruning/end", {"seq": seq, "characters": len(text)})
        return made

    def compact(self, first: int, last: int, summary: str, by: str = "user") -> int:
        """A summary in the place of the surface from one position to another."""
        removed = self.surface[first : last + 1]
        number = {"compactionId": f"cmp-{self.id[-6:]}-{len(self.rows)}"}
        self.emit("compaction/start", {**number, "turn": self.turn})
        self.passes(8, 40)
        of = {"start": removed[0], "end": removed[-1]}
        told = self.emit("compaction/summary", {**number, "shadowedRange": of, "shadowed": len(removed)}, summary)
        self.step = 0
        data = self.message(by, [{"type": "text", "text": summary}], {"kind": "compaction", **number})
        cites = [told, *removed] if self.header["version"] >= "0.9" else removed
        seq = self.emit(f"{by}/message", data, summary, op=(removed[0], removed[-1]), cites=cites)
        self.emit("compaction/end", number)
        return seq

    # ---- sessions that come of others

    def seed(self, parent: "Log", name: str) -> None:
        """The parent's events up to the end of the turn in which a name stands, copied."""
        ends = (row["seq"] for row in parent.rows[parent.names[name] :] if row["type"] == "turn/end")
        length = next(ends) + 1
        for row in parent.rows[:length]:
            seq, op = row["seq"], row["surface_op"]
            if op and op["op"] == "append":
                self.surface.append(seq)
            elif op:
                first, last = (self.surface.index(op[end]) for end in ("start", "end"))
                self.surface[first : last + 1] = [seq]
            self.rows.append({**row, "session_id": self.id})
        self.names = {name: seq for name, seq in parent.names.items() if seq < length}
        self.turn = json.loads(self.rows[-1]["payload"])["turn"]
        self.header["seed_length"] = length
        self.emit("session/end-seed", {"parentSession": parent.id, "events": length})
        self.emit("session/title", {"title": self.header["title"]}, self.header["title"])


COLUMNS = ("session_id", "seq", "time", "type", "surface_op", "source_event_seqs", "payload", "text", "is_error")
