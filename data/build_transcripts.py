"""Writes the small transcripts of notebook 05: what three agents' own programs would have logged.

The story is invented. An agent is asked whether a nightly run of invoices may use larger batches. The one fact that
forbids it is said in the first prompt, and a compaction loses it; the measurement that speaks for it comes from a
subagent that measured against a stub.
"""

import json
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "transcripts"
MAIN, LATER = "7d1f0c52-3b7e-4c1a-9a55-2f6f5d0e8a11", "c4a9e6d0-58f3-4b0e-8a3d-91b7d2f06e34"
AGENT = "a81c2f0"
CWD = "/projects/invoices"
SPACE = uuid.UUID("5b1d3c5e-0f4a-4a58-9a0c-6f0e9b7c2d10")


class Claude:
    """A Claude Code transcript, record after record; each follows the one before unless it says otherwise."""

    def __init__(self, session, start, **common):
        self.records = []
        self.name = common.pop("name", session)
        self.common = {"sessionId": session, "version": "2.1.114", "cwd": CWD, "gitBranch": "main", **common}
        self.now = start
        self.last = None

    def id(self, number=None):
        return str(uuid.uuid5(SPACE, f"{self.name} {len(self.records) if number is None else number}"))

    def add(self, type, seconds=5, **fields):
        self.now += timedelta(seconds=seconds)
        when = self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        record = {"parentUuid": self.last, "isSidechain": False, "userType": "external", **self.common}
        record |= {"type": type, "uuid": self.id(), "timestamp": when, **fields}
        self.records.append(record)
        self.last = record["uuid"]
        return record["uuid"]

    def bare(self, **fields):
        """A record without an identity, as the program writes beside the messages."""
        self.records.append(fields)

    def says(self, text, seconds=5, **fields):
        return self.add("user", seconds, message={"role": "user", "content": text}, **fields)

    def answers(self, message, *blocks, out=120, **fields):
        """One message of the model: a record for each of its blocks."""
        for block in blocks:
            usage = {"input_tokens": 900 + 40 * len(self.records), "output_tokens": out}
            body = {"id": message, "type": "message", "role": "assistant", "model": "claude-opus-4-5", "usage": usage}
            self.add("assistant", 3, message={**body, "content": [block]}, requestId=f"req_{message[4:]}", **fields)

    def result(self, call, content, is_error=False, seconds=8, **fields):
        block = {"type": "tool_result", "tool_use_id": call, "content": content}
        if is_error:
            block["is_error"] = True
        return self.add("user", seconds, message={"role": "user", "content": [block]}, **fields)

    def write(self, path, tail=""):
        lines = [json.dumps(record, ensure_ascii=False) for record in self.records]
        write(path, "".join(line + "\n" for line in lines) + tail)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def say(text):
    return {"type": "text", "text": text}


def call(id, name, **arguments):
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


def investigation():
    log = Claude(MAIN, datetime(2026, 10, 6, 8, 30, tzinfo=UTC))
    log.bare(type="file-history-snapshot", messageId=log.id(1), snapshot={"trackedFileBackups": {}})
    log.says(
        "The nightly invoice run takes four hours. May we raise its batch size from 100 to 500? "
        "Keep in mind that the mail gateway takes at most 200 messages a minute from us until the contract is renewed."
    )
    log.answers(
        "msg_01Plan",
        say("I will read the settings and the log of the last run, and have the batch sizes measured."),
        call("toolu_01Config", "Read", file_path=f"{CWD}/config/invoices.toml"),
        call("toolu_01Log", "Bash", command="tail -n 3 log/nightly.log", description="Last lines of the run"),
    )
    # The two calls run side by side, and the second is answered first.
    log.result("toolu_01Log", "02:14 batch 143 sent\n02:15 batch 144 sent\n02:15 run ended after 4 h 2 min")
    log.result("toolu_01Config", "[run]\nbatch_size = 100\npause_seconds = 60\n[gateway]\nhost = mail.example")
    log.answers(
        "msg_02Measure",
        call(
            "toolu_02Task",
            "Task",
            description="Measure batch sizes",
            prompt="Run the invoice job at batch sizes 100, 250 and 500 and report how long each takes.",
            subagent_type="general-purpose",
        ),
    )
    claim = "At a batch size of 500 the run takes 61 minutes. No message was refused."
    log.result(
        "toolu_02Task",
        [say(claim)],
        seconds=50,
        toolUseResult={"status": "completed", "agentId": AGENT, "content": [say(claim)], "totalTokens": 5210},
    )
    log.answers(
        "msg_03Found", say("Measured: 61 minutes at a batch size of 500 instead of four hours, nothing refused.")
    )
    found = log.last
    log.last = None
    log.add(
        "system",
        subtype="compact_boundary",
        content="Conversation compacted",
        logicalParentUuid=found,
        compactMetadata={"trigger": "auto", "preTokens": 154_210},
    )
    log.says(
        "This session is continued from an earlier one that ran out of context. The user wants a larger batch size "
        "for the nightly invoice run, which takes four hours at 100. config/invoices.toml holds the setting. A "
        "subagent measured 61 minutes at 500, and no message was refused.",
        isCompactSummary=True,
        isVisibleInTranscriptOnly=True,
    )
    log.says("So, may we go to 500?", 40)
    log.answers("msg_04Check", call("toolu_04Read", "Read", file_path=f"{CWD}/docs/runbook.md"))
    log.result("toolu_04Read", "# Nightly run\nChange batch_size in config/invoices.toml, then restart the job.")
    log.answers(
        "msg_05Answer",
        say("Yes. Set batch_size = 500 and restart the job: the run then takes 61 minutes, and no message is refused."),
        out=64,
    )
    log.bare(type="custom-title", customTitle="Larger batches for the invoice run", sessionId=MAIN)
    log.bare(type="last-prompt", lastPrompt="So, may we go to 500?", leafUuid=log.last, sessionId=MAIN)
    log.write(FOLDER / "claude_code" / "-projects-invoices" / f"{MAIN}.jsonl")


def measurement():
    start = datetime(2026, 10, 6, 8, 30, 40, tzinfo=UTC)
    log = Claude(MAIN, start, name=f"agent {AGENT}", isSidechain=True, agentId=AGENT, slug="measure-batch-sizes")
    log.says("Run the invoice job at batch sizes 100, 250 and 500 and report how long each takes.", 1)
    log.answers(
        "msg_11Start",
        call("toolu_11Env", "Bash", command="make staging-up", description="Start the staging environment"),
    )
    log.result("toolu_11Env", "staging is up\nmail gateway: stub (accepts everything, no rate limit)")
    log.answers("msg_12Run", call("toolu_12Run", "Bash", command="make bench-batches", description="Run the sizes"))
    log.result("toolu_12Run", "size 100: 240 min\nsize 250: 118 min\nsize 500: 61 min\nrefused messages: 0")
    log.answers("msg_13Report", say("At a batch size of 500 the run takes 61 minutes. No message was refused."))
    folder = FOLDER / "claude_code" / "-projects-invoices" / MAIN / "subagents"
    log.write(folder / f"agent-{AGENT}.jsonl")


def aftermath():
    """A later session: an edited prompt, a parent that was never written, and a last line cut in the middle."""
    log = Claude(LATER, datetime(2026, 10, 7, 6, 10, tzinfo=UTC))
    log.says("Which jobs ran last night?")
    log.answers("msg_20Jobs", say("The invoice run, with a batch size of 500 for the first time."))
    before = log.last
    log.says("Why did 4,100 invoices not go out?", 30)
    log.answers("msg_21Look", say("I will look at the addresses of these invoices."))
    log.last = before  # the prompt is edited and sent again
    log.says("Why were 4,100 invoices refused by the mail gateway last night? Look into log/gateway.log.", 60)
    log.answers("msg_22Log", call("toolu_22Log", "Bash", command="tail -n 2 log/gateway.log"))
    log.result("toolu_22Log", "02:07 refused: rate limit of 200 messages a minute\n02:07 refused: rate limit", True)
    log.last = "00000000-0000-4000-8000-00000000dead"
    log.answers("msg_23Cause", say("The gateway refuses more than 200 messages a minute; batches of 500 exceed that."))
    log.write(
        FOLDER / "claude_code" / "-projects-invoices" / f"{LATER}.jsonl",
        tail='{"parentUuid":"' + log.last + '","type":"user","message":{"role":"us',
    )


def second_opinion():
    """A Codex rollout: the same question put to another agent, which had the contract at hand."""
    thread = "019a0d52-6f3e-7c44-9d55-3b1f00c2a977"
    now = datetime(2026, 10, 7, 9, 0, tzinfo=UTC)
    lines = []

    def add(type, /, **payload):
        nonlocal now
        now += timedelta(seconds=4)
        when = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        lines.append({"timestamp": when, "type": type, "payload": payload})

    def message(role, text):
        kind = "output_text" if role == "assistant" else "input_text"
        add("response_item", type="message", role=role, content=[{"type": kind, "text": text}])

    began = (now + timedelta(seconds=4)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    meta = {"id": thread, "timestamp": began, "cwd": CWD, "originator": "codex_cli_rs", "cli_version": "0.58.0"}
    add("session_meta", **meta, source="cli", git={"branch": "main"})
    add("turn_context", cwd=CWD, model="gpt-5.1-codex", approval_policy="on-request")
    message("user", "Which batch size does the mail contract allow for the nightly run?")
    add("event_msg", type="user_message", message="Which batch size does the mail contract allow for the nightly run?")
    arguments = json.dumps({"command": ["grep", "-n", "minute", "contracts/mail.md"]})
    add("response_item", type="function_call", name="shell", arguments=arguments, call_id="call_contract")
    output = json.dumps({"output": "12: at most 200 messages a minute until 1 December", "metadata": {"exit_code": 0}})
    add("response_item", type="function_call_output", call_id="call_contract", output=output)
    message("assistant", "At most 200 messages a minute until 1 December: batches of 200 with a pause of a minute.")
    name = f"rollout-2026-10-07T09-00-04-{thread}.jsonl"
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write(FOLDER / "codex" / "2026" / "10" / "07" / name, text)


def watch():
    """A dsh log: a harness whose own answers cite what they rest on, and whose summary replaces a range."""
    began = 1_791_360_000_000
    session = "b7c0f7ae-2a5f-4c19-8f2d-6d2c7f5e1b90"
    header = {"type": "session", "version": 0, "id": session, "createdAt": began, "cwd": CWD, "delegationDepth": 0}
    lines = [header]

    def add(type, data, **marks):
        seq = len(lines) - 1
        lines.append({"type": type, "seq": seq, "time": began + 1_000 * (seq + 1), "data": data, **marks})
        return seq

    def message(text):
        return {"content": [say(text)], "source": {"kind": "user"}, "role": "user", "id": f"m{len(lines)}"}

    def result(call_id, text):
        block = {"type": "tool-result", "toolCallId": call_id, "content": [say(text)], "isError": False}
        source = {"kind": "tool", "callId": call_id}
        return {"turn": 1, "step": 1, "message": {"source": source, "content": [block], "role": "user", "id": call_id}}

    def answer(content):
        source = {"kind": "model", "provider": "deepseek-official", "model": "deepseek-v4-flash"}
        return {"message": {"role": "assistant", "content": content, "source": source, "id": f"m{len(lines)}"}}

    add("turn/start", {"turn": 1})
    asked = add(
        "user/message",
        message("Watch the mail gateway during the run and tell me when it refuses."),
        surfaceOp="append",
    )
    wanted = {"type": "tool-call", "id": "call_watch", "name": "bash", "arguments": '{"command":"tail gateway.log"}'}
    calls = add("assistant/message", answer([wanted]), surfaceOp="append", sourceEventSeqs=[asked])
    made = add("tool/call", {"callId": "call_watch", "name": "bash", "arguments": wanted["arguments"]})
    seen = add(
        "tool/result",
        result("call_watch", "02:07 refused: rate limit of 200 messages a minute"),
        surfaceOp="append",
        sourceEventSeqs=[made],
    )
    add(
        "user/message",
        message("Checkpoint: the gateway refuses above 200 messages a minute; it began at 02:07."),
        surfaceOp={"op": "replace", "start": calls, "end": seen},
        sourceEventSeqs=[calls, seen],
    )
    said = "It refused from 02:07 on: more than 200 messages a minute."
    add("assistant/message", answer([say(said)]), surfaceOp="append", sourceEventSeqs=[len(lines) - 2])
    add("turn/end", {"turn": 1, "reason": {"kind": "completed"}})
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write(FOLDER / "dsh" / "sessions" / "--projects-invoices--" / session / "session.jsonl", text)


if __name__ == "__main__":
    for part in (investigation, measurement, aftermath, second_opinion, watch):
        part()
    print(f"transcripts: {len(list(FOLDER.rglob('*.jsonl')))} files")
