"""A deepseek-harness log: streams in packed rows, the messages made of them, tool calls, steps and compactions."""

import re
from typing import Any

from benchmarks.transcripts.wording import Wording, compact

Record = dict[str, Any]
SOURCE = {"kind": "model", "provider": "deepseek-official", "model": "deepseek-v4-flash"}
# Nodes on the surface that call for a compaction, and how many of them it leaves.
WINDOW, KEPT = 160, 12
PIECES = re.compile(r"(?s).{1,4}")


class DshLog:
    """The lines of one log, a turn at a time; counts what an import must find in them.

    An answer is streamed block by block; what it streamed, delta by delta, are the events that its message cites.
    """

    kind = "dsh"

    def __init__(self, seed: int = 7) -> None:
        self.words = words = Wording(seed)
        self.session = words.uuid()
        self.path = f"{self.session}/session.jsonl"
        self.events = self.replacements = 0
        self._cwd = f"/home/dev/{words.word()}"
        self._turns = self._steps = 0
        self._surface: list[int] = []
        self._made: list[Record] = []

    def turn(self) -> list[Record]:
        """The lines of the next turn, with a compaction in its course if the window is full."""
        self._made = []
        words = self.words
        if not self._turns:
            header = {"version": 0, "id": self.session, "createdAt": words.now, "cwd": self._cwd, "delegationDepth": 0}
            self._made.append({"type": "session", **header})
        self._turns += 1
        self._steps = 0
        prompt = self._user([words.prose(words.length(180, 6_000))], {"kind": "user"})
        self._put("agent/inbox/spliced", {"target": "next-turn", "start": 0, "inserted": [prompt]})
        self._put("turn/start", {"turn": self._turns})
        self._put("agent/inbox/spliced", {"target": "next-turn", "start": 0, "removedCount": 1, "inserted": []})
        for step in range(words.length(4, 40)):
            self._steps = step + 1
            self._put("step/start", self._at())
            if not step:
                self._open(prompt)
            self._answer(calls=True)
            self._put("step/end", self._at())
        self._steps += 1
        self._put("step/start", self._at())
        if len(self._surface) >= WINDOW:
            self._compact()
        self._answer(calls=False)
        self._put("step/end", self._at())
        self._put("turn/end", {"turn": self._turns, "reason": {"kind": "completed"}})
        return self._made

    def _put(self, type: str, data: Record, **fields: Any) -> int:
        seq = self.events
        self._made.append({"type": type, "seq": seq, "time": self.words.milliseconds(30), "data": data, **fields})
        self.events += 1
        if fields.get("surfaceOp") == "append":
            self._surface.append(seq)
        return seq

    def _at(self) -> Record:
        return {"turn": self._turns, "step": self._steps}

    def _user(self, texts: list[str], source: Record) -> Record:
        content = [{"type": "text", "text": text} for text in texts]
        return {"content": content, "source": source, "role": "user", "id": self.words.uuid()}

    def _open(self, prompt: Record) -> None:
        """What the first step of a turn puts before the model."""
        words = self.words
        told = self._put("user/message", prompt, surfaceOp="append")
        if self._turns == 1 or words.happens(0.3):
            plugin = {"kind": "plugin", "plugin": "@deepseek-ai/dsh-system-prompt", "form": "snapshot"}
            self._put("user/message", self._user([words.prose(390)], plugin), surfaceOp="append")
        if self._turns == 1:
            title = {"title": words.prose(30), "messageSeqs": [told], "source": {"kind": "fallback"}}
            self._put("session/title", title)
            tools = [
                {"name": words.word(), "description": words.prose(700), "parameters": {"type": "object"}}
                for _ in range(14)
            ]
            header = {"config": {"provider": SOURCE["provider"], "model": SOURCE["model"]}, "tools": tools}
            self._put("request/header", {"header": {**header, "system": words.prose(2_600)}, "reason": "initial"})
        if words.happens(0.3):
            context = {"provider": SOURCE["provider"], "model": SOURCE["model"], "contextWindow": 128_000}
            self._put("request/context", context)

    def _answer(self, *, calls: bool) -> None:
        """Reasoning and a text, or reasoning and calls: the stream, the message, and what the calls gave."""
        words = self.words
        first = self.events
        blocks: list[Record] = []
        if words.happens(0.75):
            blocks.append({"type": "reasoning", "text": self._stream(len(blocks), "reasoning", 40)})
        if not calls or words.happens(0.3):
            blocks.append({"type": "text", "text": self._stream(len(blocks), "text", 30)})
        made = []
        for _ in range(words.rng.choices((1, 2, 3), (88, 9, 3))[0] if calls else 0):
            made.append(self._call(len(blocks)))
            blocks.append(made[-1])
        for index, block in enumerate(blocks):
            self._chunk({"type": "block-end", "index": index, "block": block})
        usage = {
            "inputTokens": words.draw(9_000),
            "outputTokens": words.draw(900),
            "cacheReadTokens": words.draw(90_000),
            "reasoningTokens": words.draw(300),
        }
        self._chunk({"type": "usage", "usage": usage})
        self._chunk({"type": "finish", "reason": {"kind": "tool-calls" if calls else "stop"}})
        message = {"role": "assistant", "content": blocks, "source": SOURCE, "id": words.uuid()}
        streamed = list(range(first, self.events))
        told = {**self._at(), "message": message, "usage": usage}
        self._put("assistant/message", told, sourceEventSeqs=streamed, surfaceOp="append")
        for call in made:
            self._result(call)

    def _chunk(self, chunk: Record) -> None:
        self._put("assistant/chunk", {**self._at(), "chunk": chunk})

    def _stream(self, index: int, kind: str, median: int) -> str:
        """A block as it came, a token or so at a time."""
        words = self.words
        self._chunk({"type": "block-start", "index": index, "blockType": kind})
        start = words.draw(len(words.tokens) - 3_000)
        deltas = words.tokens[start : start + words.length(median, 2_500)]
        if len(deltas) < 3:
            for delta in deltas:
                self._chunk({"type": f"{kind}-delta", "index": index, "text": delta})
        else:
            self._packed(f"{kind}-chunks", index, len(deltas), texts=deltas)
        return "".join(deltas)

    def _call(self, index: int) -> Record:
        words = self.words
        self._chunk({"type": "block-start", "index": index, "blockType": "tool-call"})
        name, given = words.rng.choices((self._bash(), self._write()), (92, 8))[0]
        arguments, call = compact(given), words.id("call_00_")
        deltas = ["", *PIECES.findall(arguments)]
        self._packed("tool-call-chunks", index, len(deltas), id=call, name=name, args=deltas)
        return {"type": "tool-call", "id": call, "name": name, "arguments": arguments}

    def _bash(self) -> tuple[str, Record]:
        return "bash", {"command": self.words.command(), "description": self.words.prose(40)}

    def _write(self) -> tuple[str, Record]:
        words = self.words
        return "write", {"path": words.path(), "content": words.code(words.length(500, 4_000))}

    def _packed(self, type: str, index: int, count: int, **deltas: Any) -> None:
        words = self.words
        gaps = words.rng.choices((0, 1, 27, 29, 30, 31), (55, 20, 6, 9, 6, 4), k=count - 1)
        data = {**self._at(), "index": index, "dt": gaps, **deltas}
        self._made.append({"type": type, "seq0": self.events, "time0": words.milliseconds(30), "data": data})
        words.now += sum(gaps)
        self.events += count

    def _result(self, call: Record) -> None:
        words = self.words
        told = {"callId": call["id"], "name": call["name"], "arguments": call["arguments"]}
        cited = self._put("tool/call", {**self._at(), **told})
        if words.happens(0.1):
            self._put(
                "hook/invoked", {**self._at(), "hook": words.word(), "event": "tool/result", "callId": call["id"]}
            )
            self._put("hook/result", {**self._at(), "hook": words.word(), "output": words.prose(90), "exitCode": 0})
        length = words.length(700, 40_000, 1.2) if words.happens(0.999) else words.length(200_000, 900_000, 0.5)
        text = words.prose(length) if words.happens(0.5) else words.numbered(length)
        block = {
            "type": "tool-result",
            "toolCallId": call["id"],
            "content": [{"type": "text", "text": text}],
            "isError": words.happens(0.05),
        }
        source = {"kind": "tool", "callId": call["id"]}
        message = {"source": source, "content": [block], "role": "user", "id": words.uuid()}
        self._put("tool/result", {**self._at(), "message": message}, sourceEventSeqs=[cited], surfaceOp="append")

    def _compact(self) -> None:
        words = self.words
        compaction = {"compactionId": words.uuid()}
        failure = {"message": words.prose(50), "code": "CONTEXT_WINDOW_EXCEEDED"}
        self._chunk({"type": "finish", "reason": {"kind": "error", "failure": failure}})
        start = self._put("compaction/start", {**compaction, "turn": self._turns})
        shadowed = self._surface[:-KEPT]
        summary = words.prose(words.length(3_000, 12_000, 0.4))
        texts = [{"type": "text", "text": summary}]
        told = {
            **compaction,
            "summary": texts,
            "rawOutput": texts,
            "llmStreamCall": True,
            "shadowedRange": {"start": shadowed[0], "end": shadowed[-1]},
            "shadowedSeqs": shadowed,
            "provider": SOURCE["provider"],
            "model": SOURCE["model"],
        }
        summarized = self._put("compaction/summary", told)
        message = self._user([words.prose(320), summary], {"kind": "plugin", "plugin": "compact", **compaction})
        replaces = {"op": "replace", "start": shadowed[0], "end": shadowed[-1]}
        cited = [start, summarized, *shadowed]
        seq = self._put("user/message", message, sourceEventSeqs=cited, surfaceOp=replaces)
        self._surface = [seq, *self._surface[-KEPT:]]
        self._put("compaction/end", {**compaction, "turn": self._turns})
        self.replacements += 1
