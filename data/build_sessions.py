"""Make `sessions.parquet` and `events.parquet`: the agent sessions behind some of the decisions of the story.

Run it with `python data/build_sessions.py`. The same texts give the same bytes each time. The sessions of the plot are
written by hand in `story_sessions.py`; the everyday work in them, and whole sessions of it, is drawn from the phrases
of `story_work.py`, by a generator seeded with the name of the session. `build_story.py` asks this script which event an
item derives from.
"""

import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import polars as pl

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE))  # the texts lie beside this script, wherever it is called from

from session_log import COLUMNS, Log, session_id  # noqa: E402
from story_sessions import PLOT  # noqa: E402
from story_texts import MONTHS, REGIONS, TOPICS  # noqa: E402
from story_work import (  # noqa: E402
    CHECKPOINTS,
    CLOSINGS,
    DECLINED,
    ERRORS,
    EVERYDAY,
    HANDED_ON,
    OPENINGS,
    PROMPTS,
    STEERING,
    STEPS,
    TOOLS,
    Step,
)

# The end of the plot, for demos and tests to quote. The evidence ev-7f3a91c2 derives from CONCLUSION, which cites
# MEASUREMENT, the output of load test LT-31. One line of it says that the response cache was on: PRUNED, which took its
# place, has no such line, and COMPACTION put a summary of a few words in the place of the whole stretch.
SESSION = "019d44a4-1fe0-7935-9e63-c102eaa0391c"
MEASUREMENT = f"{SESSION}#23"
PRUNED = f"{SESSION}#30"
COMPACTION = f"{SESSION}#34"
CONCLUSION = f"{SESSION}#39"
BETTER = "019dbec9-f600-761a-b98f-974bebcdef62#43"  # coder's result of LT-31b
WITHDRAWAL = "019dbae4-0940-797a-8e4c-8fef2cee8fa0#60"  # reviewer takes LT-31 back
ORPHAN = "019bb16e-fe80-7d62-8260-2ee9de17e825"  # a session whose parent is gone

TIME = pl.Datetime("us", "UTC")
SESSIONS = {
    **dict.fromkeys(["session_id", "parent_session"], pl.String),
    "created_at": TIME,
    **dict.fromkeys(["version", "cwd", "origin", "title"], pl.String),
    **dict.fromkeys(["seed_length", "delegation_depth"], pl.Int64),
}
OP = pl.Struct({"op": pl.String, "start": pl.Int64, "end": pl.Int64})
EVENTS = dict(
    zip(
        COLUMNS,
        [pl.String, pl.Int64, TIME, pl.String, OP, pl.List(pl.Int64), pl.String, pl.String, pl.Boolean],
        strict=True,
    )
)
CWD = {"planner": "plan", "researcher": "studies", "operator": "ops", "coder": "", "reviewer": ""}


class Ground(NamedTuple):
    """The event that an item derives from, when it was said, and by which agent."""

    ref: str
    at: datetime
    agent: str


class Part(NamedTuple):
    """A part of the work that a session hands to a subagent."""

    agent: str
    topic: str
    title: str
    turns: int
    sub: str
    prompt: str
    statement: str


class Writer:
    """Writes one session: the verbs of `story_sessions.py`, and everyday work."""

    def __init__(self, story: "Sessions", log: Log, agent: str, topic: str) -> None:
        self.story, self.log, self.agent, self.topic = story, log, agent, topic
        self.rng = log.rng
        self.window = 0
        self.by = self.rng.choice(["user", "user", "user", "assistant"])
        self.said: dict[int, str] = {}  # the gist of an answer or summary, for the summaries to come
        self.done: list[tuple[int, str]] = []  # the results of this turn, with what was found
        self.error: tuple[int, str] | None = None
        self.recent: list[Step] = []

    # ---- what the texts say

    def at(self, text: str) -> None:
        self.log.close()
        self.log.until(moment(text))

    def user(self, text: str) -> None:
        if self.log.in_turn:
            self.log.close()
            self.log.passes(60, 900)
        self.tidy()
        self.log.user(text)
        self.done = []

    def run(self, head: str, output: str, error: bool = False) -> int:
        tool, thought = head.split(" | ")
        tool, _, minutes = tool.partition(" ")
        command, _, output = output.partition("\n")
        called = self.log.call(tool, thought, {"command": command.removeprefix("$ ")}, self.last())
        if minutes:
            self.log.now += timedelta(minutes=int(minutes) - 1)
        self.log.passes(1, 50)
        seq = self.log.answer(called, output, error)
        self.done.append((seq, ""))
        return seq

    def last(self) -> list[int]:
        """What a step cites that follows another one in its turn."""
        return [seq for seq, _ in self.done[-1:]]

    def say(self, text: str, cites: list[int] | None = None) -> int:
        seq = self.log.say(text, cites)
        self.said[seq] = text.split(". ")[0].rstrip(".") + "."
        return seq

    def ground(self, head: str, text: str, cites: list[int]) -> int:
        item, at = head.split(" ")
        self.log.until(moment(at))
        seq = self.say(text, cites)
        self.story.grounds[item] = Ground(self.log.ref(seq), self.log.rows[seq]["time"], self.agent)
        return seq

    def spawn(self, key: str) -> int:
        """A subagent does its part; its last statement is the result of the call."""
        part, log = self.story.parts[key], self.log
        arguments = {"prompt": part.prompt, "agent": part.agent}
        called = log.call("subagent", f"I hand a part on: {part.title}", arguments, self.last())
        header = {"parent": log.id, "depth": log.header["delegation_depth"] + 1}
        child = Log(key, log.now, f"{part.agent}: {part.title}", cwd(part.agent), "subagent", **header)
        log.emit("subagent/started", {"sessionId": child.id, "agent": part.agent})
        writer = self.story.writer(key, child, part.agent, part.topic)
        writer.window = 18
        writer.task(part.prompt, part.sub)
        writer.turns(part.turns - 1)
        writer.user("Only the result, please.")
        writer.number(part.title, part.statement)
        writer.say(part.statement, writer.last())
        child.close()
        log.now = child.now
        log.emit("subagent/ended", {"sessionId": child.id, "events": len(child.rows)})
        seq = log.answer(called, part.statement)
        self.done.append((seq, part.statement))
        return seq

    # ---- everyday work

    def slots(self) -> dict:
        """What the phrases of one step are filled with."""
        rng, topic = self.rng, TOPICS[self.topic]
        thing = rng.choice(topic.things)
        day = self.log.now - timedelta(days=rng.randrange(1, 6))
        region, other = rng.sample(REGIONS, 2)
        k, j = rng.sample(range(3, 10), 2)
        return {
            "topic": self.topic,
            "thing": thing,
            "slug": re.sub(r"\W+", "-", thing.lower().removeprefix("the ")),
            "topicslug": re.sub(r"\W+", "_", self.topic.lower()),
            "region": region,
            "other": other,
            "date": f"{day.day} {MONTHS[day.month - 1]}",
            "day": day.date(),
            "n": f"{rng.randrange(1_200, 9_800):,}",
            "m": f"{rng.randrange(150, 1_100):,}",
            "p": rng.randrange(52, 99),
            "ms": rng.randrange(140, 280),
            "us": rng.randrange(11, 39),
            "k": k,
            "j": j,
            "eur": f"{rng.randrange(400, 9_000, 50):,}",
        }

    def choose(self, steps: list[Step]) -> Step:
        """A call that this agent can make and has not made just now."""
        tools = TOOLS[self.agent].split()
        step = self.rng.choice([step for step in steps if step.tool in tools and step not in self.recent])
        self.recent = [*self.recent[-7:], step]
        return step

    def step(self, steps: list[Step]) -> None:
        """One call of everyday work; after an error, the next thought says what was learnt, and cites it."""
        step, slots = self.choose(steps), self.slots()
        tool, thought, command, output, finding = (text.format(**slots) for text in step)
        cites = self.last() if self.rng.random() < 0.7 else []
        if self.error:
            seq, thought = self.error
            cites, self.error = [seq], None
        allowed = "set env" not in command or self.rng.random() < 0.5
        called = self.log.call(tool, thought, {"command": command}, cites, allowed)
        self.log.passes(0.4, 40)
        if not allowed:
            output, finding = DECLINED.output, DECLINED.finding
        failed = steps is ERRORS or not allowed
        seq = self.log.answer(called, output, failed)
        if failed:
            self.error = (seq, finding)
        else:
            self.done.append((seq, finding))

    def task(self, text: str, sub: str = "") -> int:
        """A turn of everyday work."""
        self.user(text)
        for _ in range(self.rng.choice([2, 3, 3, 4, 5])):
            if self.rng.random() < 0.13:
                self.step(ERRORS)
            self.step(STEPS)
            if self.rng.random() < 0.04:
                self.log.steer(self.rng.choice(STEERING).format(**self.slots()))
        if self.error:
            self.step(STEPS)
        if sub:
            self.spawn(sub)
        if self.rng.random() < 0.05:
            step, slots = self.choose(STEPS), self.slots()
            self.log.call(
                step.tool, step.thought.format(**slots), {"command": step.command.format(**slots)}, self.last()
            )
            self.log.close("interrupted")
            return self.done[-1][0]
        kept = self.done[-3:]
        closing = self.rng.choice(CLOSINGS).format(**self.slots())
        return self.say(" ".join([*(finding for _, finding in kept), closing]).strip(), [seq for seq, _ in kept])

    def turns(self, count: int, sub: str = "", title: str = "") -> None:
        """Turns of everyday work; a subagent is asked half way through."""
        for number in range(count):
            prompts = OPENINGS if title and not number else PROMPTS
            self.task(self.rng.choice(prompts).format(title=title, **self.slots()), sub if number == count // 2 else "")

    def number(self, title: str, statement: str) -> None:
        """The measurement that a last statement rests on."""
        self.run("tally | The result, for the record.", f'$ tally "{title}"\n{title}\nresult: {statement}')

    # ---- what is replaced

    def tidy(self) -> None:
        """When the surface has grown beyond the window, long results are cut, and the older part is summed up."""
        log, rng = self.log, self.rng
        if not self.window or len(log.surface) <= self.window:
            return
        long = [seq for seq in log.surface[:-5] if log.rows[seq]["text"].count("\n") >= 7]
        for seq in [seq for seq in long if log.rows[seq]["type"] == "tool/result"][:2]:
            kept = log.rows[seq]["text"].split("\n")
            said = f"[{len(kept) - 3} lines pruned]"
            log.prune(seq, "\n".join([*kept[:2], said, kept[-1]]))
        first = 0
        summed = [place for place, seq in enumerate(log.surface) if self.is_summary(seq)]
        if summed and rng.random() < 0.3:
            first = summed[-1] + 1
        self.sum_up(first, len(log.surface) - rng.choice([3, 4, 5]))
        log.passes(1, 5)

    def is_summary(self, seq: int) -> bool:
        return '"kind":"compaction"' in self.log.rows[seq]["payload"]

    def sum_up(self, first: int, last: int) -> int:
        gist = [self.said[seq] for seq in self.log.surface[first : last + 1] if seq in self.said]
        told = self.rng.choice(CHECKPOINTS).format(said=" ".join(gist[-4:]), topic=self.topic)
        seq = self.log.compact(first, last, told.strip(), self.by)
        self.said[seq] = " ".join(gist[-2:])
        return seq


class Sessions:
    """All sessions by key, and the events that items derive from."""

    def __init__(self) -> None:
        self.writers: dict[str, Writer] = {}
        self.grounds: dict[str, Ground] = {}
        self.parts: dict[str, Part] = {}
        for head, below in entries(HANDED_ON):
            key, agent, topic, title, turns = head.split(" | ")
            turns, _, sub = turns.partition(" > ")
            self.parts[key] = Part(agent, topic, title, int(turns), sub, *below.split(" | "))

    def writer(self, key: str, log: Log, agent: str, topic: str) -> Writer:
        self.writers[key] = Writer(self, log, agent, topic)
        if log.header["origin"] != "fork":
            log.begin()
        return self.writers[key]

    def everyday(self, head: str, below: str) -> None:
        key, agent, at, topic, title, turns = head.split(" | ")
        ground, statement = below.split(" | ")
        turns, _, sub = turns.partition(" > ")
        writer = self.writer(key, Log(key, moment(at), f"{agent}: {title}", cwd(agent)), agent, topic)
        writer.window = 18
        writer.turns(int(turns), sub, title)
        if ground != "-":
            writer.log.close()
            writer.log.until(moment(ground.split(" ")[1]) - timedelta(minutes=4))
        writer.user("In one sentence: what is the result?")
        writer.number(title, statement)
        if ground == "-":
            writer.say(statement, writer.last())
        else:
            writer.ground(ground, statement, writer.last())
        writer.log.close()

    def plotted(self, text: str) -> None:
        """One session of the plot."""
        head, body = text.split("\n", 1)
        key, agent, at, topic, title, *kin = head.split(" | ")
        header: dict = {}
        if kin and kin[0].startswith("fork"):
            _, _, of, _, name = kin[0].split(" ")
            parent = self.writers[of].log
            header = {"origin": "fork", "parent": parent.id}
        elif kin:
            gone = session_id(f"the parent of {key}", moment(at) - timedelta(minutes=9))
            header = {"origin": "subagent", "parent": gone, "depth": 1}
        log = Log(key, moment(at), f"{agent}: {title}", cwd(agent), **header)
        writer = self.writer(key, log, agent, topic)
        if header.get("origin") == "fork":
            log.seed(parent, name)
            writer.said = {seq: said for seq, said in self.writers[of].said.items() if seq < len(log.rows)}
        for line, below in re.findall(r"^(\S.*)\n((?:    .*\n)*)", body + "\n", flags=re.MULTILINE):
            self.verb(writer, line, "\n".join(line[4:] for line in below.splitlines()))
        log.close()

    def verb(self, writer: Writer, line: str, below: str) -> None:
        verb, name, rest = re.fullmatch(r"(\w+)(?: (\w+))?: (.*)", line).groups()
        names = writer.log.names
        rest, _, cited = rest.partition(" <- ")
        cites = [names[cited] for cited in cited.split(", ")] if cited else []
        match verb:
            case "at" | "user" | "task" | "spawn":
                seq = getattr(writer, verb)(rest)
            case "window":
                seq, writer.window = None, int(rest)
            case "run" | "fail":
                seq = writer.run(rest, below, verb == "fail")
            case "say":
                seq = writer.say(rest, cites)
            case "ground":
                seq = writer.ground(*rest.split(" | "), cites)
            case "prune":
                seq = writer.log.prune(names[rest], below)
            case "compact":
                seq = writer.log.compact(0, len(writer.log.surface) - 1, below.replace("\n", " "))
        if name:
            names[name] = seq


def entries(text: str) -> list[tuple[str, str]]:
    """A line, and the indented lines below it as one."""
    found = re.findall(r"^(\S.*)\n((?:    .*\n)*)", text, flags=re.MULTILINE)
    return [(line, " ".join(below.split())) for line, below in found]


def cwd(agent: str) -> str:
    return f"/srv/tollgate/{CWD[agent]}".rstrip("/")


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def tell() -> Sessions:
    """All sessions of the story."""
    story = Sessions()
    for text in PLOT.split("\n== ")[1:]:
        story.plotted(text)
    for head, below in entries(EVERYDAY):
        story.everyday(head, below)
    told = {name: story.writers["lt31"].log.ref(seq) for name, seq in story.writers["lt31"].log.names.items()}
    key = [told["measurement"], told["pruned"], told["compaction"], told["conclusion"]]
    key += [story.grounds[item].ref for item in ("ev-c04be815", "dec-2026-0448")]
    key += [story.writers["postings"].log.id]
    if key != [MEASUREMENT, PRUNED, COMPACTION, CONCLUSION, BETTER, WITHDRAWAL, ORPHAN]:
        raise ValueError(f"the names at the top of this script are out of date: {key}")
    return story


def build(out: Path) -> dict[str, pl.DataFrame]:
    """Write both tables into `out` and return them by file name."""
    logs = sorted((writer.log for writer in tell().writers.values()), key=lambda log: log.id)
    tables = {
        "sessions.parquet": pl.DataFrame([log.header for log in logs], schema=SESSIONS),
        "events.parquet": pl.DataFrame([row for log in logs for row in log.rows], schema=EVENTS),
    }
    for name, table in tables.items():
        table.write_parquet(out / name, compression="zstd", compression_level=19, statistics=True)
    return tables


if __name__ == "__main__":
    for name, table in build(HERE).items():
        print(f"{name}: {table.height:,} rows")
