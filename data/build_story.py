"""Make `decisions.parquet` and `items.parquet`: half a year in the life of an agent team, invented.

Run it with `python data/build_story.py`. The same texts give the same bytes each time. The plot is written by hand in
`story_plot.py`; the everyday work around it is drawn from the phrases of `story_texts.py` by a seeded generator, and
never becomes a premise of the plot, so that the lineages named below stay as they are.
"""

import random
import re
import sys
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import polars as pl

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE))  # the texts and the sessions lie beside this script, wherever it is called from

import build_sessions as sessions  # noqa: E402
from story_plot import CHAINS, EDGES, ITEMS  # noqa: E402
from story_texts import AGENTS, MONTHS, NOTES, RAW, REGIONS, TASKS, TEXTS, TOPICS  # noqa: E402

# The plot, for demos and tests to quote. On 14 May charges of EU shops time out. DOUBTED led there. It rests, three
# hops up, on WRONG: a load test that reviewer had withdrawn while DOUBTED was still a draft, and that BETTER replaced.
DOUBTED = ("decision", "dec-2026-0417")
WRONG = ("evidence", "ev-7f3a91c2")
BETTER = ("evidence", "ev-c04be815")
PATH = [DOUBTED, ("decision", "dec-2026-0352"), ("claim", "clm-0187"), WRONG]
SOUND = ("claim", "clm-0214")  # a premise of DOUBTED that stands
INCIDENT = ("evidence", "ev-5d3f02e9")
BEFORE = datetime(2026, 4, 23, 12, tzinfo=UTC)  # DOUBTED is drafted, and nothing is wrong yet
WITHDRAWN = datetime(2026, 4, 24, 14, 5, tzinfo=UTC)
DECIDED = datetime(2026, 5, 11, 16, 30, tzinfo=UTC)

# Other places worth a visit.
CUT_BY_DEPTH = ("decision", "dec-2026-0604")  # seven levels
CUT_BY_LIMIT = ("decision", "dec-2026-0031")  # rests on a report replaced fourteen times
BENCHMARK = ("decision", "dec-2026-0057")  # rests on a benchmark that was run six times
POLICY = ("decision", "dec-2026-0088")  # rests on a document in its fifth version
SPLIT = ("decision", "dec-2026-0150")  # replaced by three decisions
CYCLE = [("task", "TSK-0884"), ("decision", "dec-2026-0248"), ("task", "TSK-0891")]  # each rests on the next
RING = [("claim", "clm-0071"), ("claim", "clm-0080"), ("claim", "clm-0074")]  # each supersedes the next
MINOR = [("decision", f"dec-2026-0{number}") for number in (119, 236, 301)]  # other edges withdrawn, to no effect

TYPES = {"dec": "decision", "TSK": "task", "goal": "goal", "clm": "claim", "asm": "assumption", "ev": "evidence"}
BEGIN = datetime(2025, 12, 1, tzinfo=UTC)
END = datetime(2026, 6, 30, 20, tzinfo=UTC)
# Numbers are given in order: the first moment of a series, and the minutes from one number to the next.
SERIES = {
    "dec-2026": (datetime(2026, 1, 1, tzinfo=UTC), 379),
    "TSK": (BEGIN, 160),
    "clm": (BEGIN, 945),
    "asm": (BEGIN, 1440),
}

ENDS = ["source_type", "source_id", "target_type", "target_id"]
TIME = pl.Datetime("us", "UTC")
RELATIONS = {
    **dict.fromkeys([*ENDS, "relation_kind", "edge_class"], pl.String),
    "confidence": pl.Float64,
    **dict.fromkeys(["created_at", "valid_at", "invalid_at"], TIME),
    **dict.fromkeys(["author", "note"], pl.String),
}
THINGS = {**dict.fromkeys(["type", "id", "label", "text"], pl.String), "created_at": TIME}


class Story:
    """Items by id and edges in the order of writing; ids are unique across types."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.items: dict[str, dict] = {}
        self.edges: list[dict] = []
        self.pairs: set[tuple[str, str, str]] = set()
        self.labels: set[str] = set()

    def item(self, id: str, label: str, at: datetime, text: str | None = None) -> str:
        if id in self.items or label in self.labels:
            raise ValueError(f"told twice: {id} {label!r}")
        self.labels.add(label)
        self.items[id] = {"type": type_of(id), "id": id, "label": label, "text": text, "created_at": at}
        return id

    def edge(self, source: str, kind: str, target: str, edge_class: str = "asserted", **more) -> None:
        """Without `at`, the edge is noted shortly after the later of its ends; without confidence, one is drawn."""
        at = more.get("at") or max(self.at(source), self.at(target)) + self.minutes(1, 12)
        confidence = more["confidence"] if "confidence" in more else self.confidence(edge_class)
        self.pairs.add((source, kind, target))
        author = more.get("author") or self.rng.choice(list(AGENTS)[:5])
        ends = type_of(source), source, type_of(target), target
        times = at, more.get("valid_at"), more.get("until")
        row = *ends, kind, edge_class, confidence, *times, author, more.get("note")
        self.edges.append(dict(zip(RELATIONS, row, strict=True)))

    def at(self, id: str) -> datetime:
        return self.items[id]["created_at"]

    def minutes(self, least: int, most: int) -> timedelta:
        return timedelta(minutes=self.rng.randrange(least, most), microseconds=self.rng.randrange(60_000_000))

    def confidence(self, edge_class: str) -> float | None:
        least, most = {"asserted": (70, 101), "observed": (60, 100)}.get(edge_class, (30, 76))
        drawn = self.rng.randrange(least, most) / 100
        return None if self.rng.random() < 0.12 else drawn

    def hash_id(self) -> str:
        return f"ev-{self.rng.getrandbits(32):08x}"

    def numbered(self, series: str, at: datetime, step: int) -> tuple[str, datetime]:
        """The first free number of a series at or before (step -1) or after (step 1) a moment, and its moment."""
        start, minutes = SERIES[series]
        number = max(1, int((at - start) / timedelta(minutes=minutes)) + (step > 0))
        while f"{series}-{number:04d}" in self.items:
            number += step
        return f"{series}-{number:04d}", numbered_at(f"{series}-{number:04d}")

    def say(self, phrases: list[str], at: datetime, things: list[str], topic: str = "", region: str = "") -> str:
        """A phrase that nobody has said yet, with its slots filled."""
        rng = self.rng
        for _ in range(200):
            text = rng.choice(phrases).format(
                thing=rng.choice(things),
                topic=topic,
                region=region or rng.choice(REGIONS),
                date=date(at),
                n=f"{rng.randrange(120, 9_800):,}",
                eur=f"{rng.randrange(200, 9_000, 50):,}",
                p=rng.randrange(52, 99),
                ms=rng.randrange(40, 280),
                k=rng.randrange(3, 10),
            )
            if text not in self.labels:
                return text
        raise ValueError(f"no new phrase among {phrases}")


def type_of(id: str) -> str:
    return "event" if "#" in id else TYPES.get(id.split("-")[0], "agent")


def numbered_at(id: str) -> datetime:
    """The moment at which a number was given."""
    series, _, number = id.rpartition("-")
    start, minutes = SERIES[series]
    return start + timedelta(minutes=minutes * int(number))


def date(at: datetime) -> str:
    return f"{at.day} {MONTHS[at.month - 1]}"


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def lines(text: str) -> list[tuple[str, str | None]]:
    """The entries of a text of `story_plot.py`: a line, and the indented lines below it as one."""
    entries = re.findall(r"^(\S.*)\n((?:    .*\n)*)", text, flags=re.MULTILINE)
    return [(line, " ".join(below.split()) or None) for line, below in entries]


def plot(story: Story) -> None:
    """The items and edges written by hand, and the long chains of revisions that belong to them."""
    for agent, label in AGENTS.items():
        story.item(agent, label, BEGIN)
    for line, text in lines(ITEMS):
        head, label = line.split(" | ")
        id, _, at = head.partition(" ")
        story.item(id, label, moment(at) if at else numbered_at(id), text)
    for line, note in lines(EDGES):
        found = re.fullmatch(r"(\S+) (\S+) (\S+) (\S+) (\S+) (\S+)(?: (2\S+))?(?: until (\S+))?", line)
        source, kind, target, edge_class, confidence, author, at, until = found.groups()
        more = {"confidence": None if confidence == "-" else float(confidence), "author": author}
        more |= {"at": at and moment(at), "until": until and moment(until), "note": note and note[2:]}
        story.edge(source, kind, target, edge_class, **more)
    for user, days, label, values in CHAINS:
        chain = []
        for number, (day, value) in enumerate(zip(days, values, strict=True), 1):
            at = datetime(2026, 1, 1, 7, 30, tzinfo=UTC) + timedelta(days=day)
            told = label.format(number=number, date=date(at), value=value)
            chain.append(story.item(story.hash_id(), told, at))
        story.edge(user, "depends_on", chain[0], confidence=0.9, author="planner")
        for older, newer in pairwise(chain):
            story.edge(newer, "supersedes", older, "observed", confidence=0.95, author="coder")


class Everyday:
    """The everyday work: decisions on claims on measurements on raw records, five levels at most."""

    def __init__(self, story: Story) -> None:
        self.story, self.rng = story, story.rng
        self.first = len(story.edges)
        self.claims: dict[str, list[str]] = defaultdict(list)
        self.measures: dict[str, list[str]] = defaultdict(list)
        self.records: dict[str, list[str]] = defaultdict(list)
        self.origins: dict[str, tuple[str, str, str]] = {}  # of a measurement: topic, phrase, region
        self.decisions: list[tuple[str, str, int]] = []  # topic, id, tier

    def edges(self) -> list[dict]:
        """The edges written so far, those of the plot left out."""
        return self.story.edges[self.first :]

    def told(self, id: str, label: str, at: datetime, topic: str) -> str:
        """An item with a text, or without: not everybody writes one."""
        of_type = TEXTS[type_of(id)]
        text = self.story.say(of_type, at, TOPICS[topic].things, topic) if self.rng.random() < 0.6 else None
        return self.story.item(id, label, at, text)

    def link(
        self, source: str, kind: str, target: str, observed: float = 0, inferred: float = 0, lasts: int = 0
    ) -> None:
        """An edge, once. Observed and inferred are the shares of these classes; lasts, at most so many minutes."""
        story, rng = self.story, self.rng
        if source == target or (source, kind, target) in story.pairs:
            return
        draw = rng.random()
        edge_class = "inferred" if draw < inferred else "observed" if draw < inferred + observed else "asserted"
        at = max(story.at(source), story.at(target)) + story.minutes(2, 90)
        if edge_class == "inferred":  # found in the transcripts of the day, at night
            at = at.replace(hour=2, minute=rng.randrange(60)) + timedelta(days=1)
        story.edge(
            source,
            kind,
            target,
            edge_class,
            at=at,
            author="archivist" if edge_class == "inferred" else None,
            until=at + story.minutes(600, lasts) if lasts else None,
            valid_at=at - story.minutes(60, 4000) if rng.random() < 0.15 else None,
            note=rng.choice(NOTES) if rng.random() < 0.08 else None,
        )

    def before(self, at: datetime, hours: int) -> datetime:
        back = self.story.minutes(30, hours * 60)
        return at - min(back, (at - BEGIN) / 2)

    def raw(self, topic: str, at: datetime) -> str:
        label = self.story.say(RAW, at, TOPICS[topic].things)
        return self.told(self.story.hash_id(), label, at, topic)

    def measure(self, topic: str, at: datetime, phrase: str = "", region: str = "") -> str:
        phrase, region = phrase or self.rng.choice(TOPICS[topic].measures), region or self.rng.choice(REGIONS)
        label = self.story.say([phrase], at, TOPICS[topic].things, region=region)
        id = self.told(self.story.hash_id(), label, at, topic)
        self.origins[id] = (topic, phrase, region)
        for _ in range(self.rng.choice([1, 1, 2])):
            record = self.premise(self.records[topic], at, 0.4, lambda at: self.raw(topic, at))
            self.link(id, "derives_from", record, observed=0.7, inferred=0.04)
        return id

    def premise(self, pool: list[str], at: datetime, again: float, new) -> str:
        """One that is there already, with the given chance, or a new one."""
        old = [id for id in pool if self.story.at(id) < at]
        if old and self.rng.random() < again:
            return self.rng.choice(old)
        pool.append(new(self.before(at, 120)))
        return pool[-1]

    def measured(self, topic: str, at: datetime) -> str:
        return self.premise(self.measures[topic], at, 0.5, lambda at: self.measure(topic, at))

    def assumption(self, topic: str, at: datetime) -> str:
        id, at = self.story.numbered("asm", at, -1)
        return self.told(id, self.story.say(TOPICS[topic].assumptions, at, TOPICS[topic].things), at, topic)

    def claim(self, topic: str, at: datetime) -> str:
        id, at = self.story.numbered("clm", at, -1)
        self.told(id, self.story.say(TOPICS[topic].claims, at, TOPICS[topic].things), at, topic)
        for _ in range(self.rng.choice([1, 2, 2, 3])):
            self.link(id, "derives_from", self.measured(topic, at), observed=0.35, inferred=0.15)
        return id

    def decide(self, topic: str, sentence: str, id: str) -> None:
        """One decision: tier 0 rests on claims and evidence, tier 1 on such decisions too, tier 2 on those of tier 1.

        A decision that replaces another is of tier 0, so that lineages do not grow longer by it.
        """
        rng, link, at = self.rng, self.link, numbered_at(id)
        self.told(id, self.story.say([sentence.removeprefix("<")], at, TOPICS[topic].things), at, topic)
        inferred = 0.04 + 0.06 * (at.month - 1)  # the team leaves more and more to archivist
        tier = 0 if sentence.startswith("<") else rng.choice([0, 0, 0, 1, 1, 2])
        if sentence.startswith("<"):
            older = [other for name, other, _ in self.decisions if name == topic][-1]
            starts = at + timedelta(days=rng.randrange(2, 12)) if rng.random() < 0.3 else None
            self.story.edge(id, "supersedes", older, author="planner", valid_at=starts)
        grounds = [other for _, other, below in self.decisions if below == tier - 1]
        for other in rng.sample(grounds, min(len(grounds), rng.choice([1, 2]))):
            link(id, "depends_on", other, inferred=inferred)
        for _ in range(rng.choice([1, 2, 2, 3])):
            claim = self.premise(self.claims[topic], at, 0.45, lambda at: self.claim(topic, at))
            link(id, "depends_on", claim, inferred=inferred)
        for _ in range(rng.choice([1, 1, 2, 3])):
            link(id, "depends_on", self.measured(topic, at), observed=0.5, inferred=inferred)
        if len(self.decisions) % 3 == 0:
            link(id, "depends_on", self.assumption(topic, at), inferred=2 * inferred)
        goals = [goal for goal in self.story.items if type_of(goal) == "goal"]
        for goal in rng.sample(goals, rng.choice([0, 1, 1, 1, 2])):
            link(id, "depends_on", goal, inferred=inferred)
        self.decisions.append((topic, id, tier))

    def tasks(self) -> None:
        story, rng = self.story, self.rng
        for topic, decision, _ in self.decisions:
            mine: list[str] = []
            for after in sorted(story.minutes(60, 9_000) for _ in range(rng.choice([2, 3, 3, 4]))):
                id, at = story.numbered("TSK", story.at(decision) + after, 1)
                mine.append(self.told(id, story.say(TASKS, at, TOPICS[topic].things), at, topic))
                self.link(id, "depends_on", decision, inferred=0.1)
                if len(mine) > 1 and rng.random() < 0.5:
                    self.link(id, "depends_on", mine[-2], inferred=0.1)
                if rng.random() < 0.4:
                    self.link(id, "depends_on", self.measured(topic, at), observed=0.5, inferred=0.2)

    def revisions(self) -> None:
        """Some measurements are repeated, up to five times."""
        for id in self.rng.sample(list(self.origins), 60):
            topic, phrase, region = self.origins[id]
            for _ in range(self.rng.choice([1, 1, 1, 2, 2, 3, 5])):
                at = self.story.at(id) + self.story.minutes(3 * 1440, 20 * 1440)
                if at > END - timedelta(days=2):
                    break
                newer = self.measure(topic, at, phrase, region)
                self.link(newer, "supersedes", id, observed=0.5, inferred=0.08)
                id = newer

    def talk(self) -> None:
        """Relations that no lineage follows, and second opinions on those that one does."""
        story, rng = self.story, self.rng
        by_type: dict[str, list[str]] = defaultdict(list)
        for id in story.items:
            by_type[type_of(id)].append(id)
        tasks, hands = sorted(by_type["task"], key=story.at), list(AGENTS)[:5]
        for task in tasks:
            handed_on = rng.random() < 0.2
            self.link(task, "assigned_to", rng.choice(hands), lasts=9_000 * handed_on)
            if handed_on:
                self.link(task, "assigned_to", rng.choice(hands))
        for at in rng.sample(range(len(tasks) - 8), 110):
            solved = rng.random() < 0.6
            self.link(tasks[at + rng.randrange(1, 8)], "blocks", tasks[at], inferred=0.1, lasts=15_000 * solved)
        talkers = by_type["decision"] + by_type["task"] + by_type["claim"]
        said = by_type["evidence"] + by_type["goal"] + by_type["decision"]
        for kind, count, sources, targets in (("mentions", 480, talkers, said), ("relates_to", 330, talkers, talkers)):
            for _ in range(count):
                self.link(rng.choice(sources), kind, rng.choice(targets), inferred=0.5)
        walked = [edge for edge in self.edges() if edge["relation_kind"] in ("depends_on", "derives_from")]
        asserted = [edge for edge in walked if edge["edge_class"] == "asserted"]
        for edge in rng.sample(asserted, 50):
            at = edge["created_at"] + story.minutes(300, 3_000)
            ends = edge["source_id"], edge["relation_kind"], edge["target_id"]
            story.edge(*ends, "inferred", at=at, author="archivist")


def oddities(story: Story, everyday: list[dict]) -> None:
    """A few rows such as real tables have them; README.md lists them."""
    rng = story.rng
    guesses = [edge for edge in everyday if edge["target_type"] == "assumption"]
    for edge, edge_class in zip(rng.sample(guesses, 3), ("hearsay", "guess", "guess"), strict=True):
        edge["edge_class"] = edge_class
    late = rng.choice([edge for edge in everyday if edge["relation_kind"] == "blocks" and edge["invalid_at"]])
    late["invalid_at"] = late["created_at"] - timedelta(hours=19)
    late["note"] = "Solved before anybody wrote it down."
    revised = [edge for edge in everyday if edge["relation_kind"] == "supersedes" and edge["target_type"] == "evidence"]
    itself = rng.choice(revised)["target_id"]
    story.edge(itself, "supersedes", itself, "observed", author="coder", note="The import ran twice.")
    plain = [edge for edge in everyday if edge["relation_kind"] == "depends_on" and edge["edge_class"] == "asserted"]
    story.edges += [dict(edge) for edge in rng.sample(plain, 4)]


def grounds(story: Story) -> None:
    """Some items derive from an event of a session; what `build_sessions.py` makes knows which."""
    for item, ground in sessions.tell().grounds.items():
        noted = story.at(item) + story.minutes(1, 5)
        if ground.at > story.at(item):
            raise ValueError(f"{item} is older than what it derives from")
        more = {"confidence": story.rng.randrange(85, 100) / 100, "author": ground.agent, "at": noted}
        story.edge(item, "derives_from", ground.ref, "observed", **more)
    more = {"confidence": 1.0, "author": "reviewer", "at": WITHDRAWN, "note": "The withdrawal."}
    story.edge(sessions.WITHDRAWAL, "mentions", WRONG[1], "observed", **more)


def tell(seed: int = 417) -> Story:
    """The whole story."""
    story = Story(seed)
    plot(story)
    everyday = Everyday(story)
    free = [id for id in (f"dec-2026-{number:04d}" for number in range(8, 660)) if id not in story.items]
    order = [topic for topic in TOPICS for _ in TOPICS[topic].decisions]
    story.rng.shuffle(order)
    sentences = {topic: iter(TOPICS[topic].decisions) for topic in TOPICS}
    for id, topic in zip(sorted(story.rng.sample(free, len(order))), order, strict=True):
        everyday.decide(topic, next(sentences[topic]), id)
    everyday.tasks()
    everyday.revisions()
    everyday.talk()
    oddities(story, everyday.edges())
    grounds(story)
    return story


def build(out: Path) -> dict[str, pl.DataFrame]:
    """Write both tables into `out` and return them by file name."""
    story = tell()
    relations = pl.DataFrame(story.edges, schema=RELATIONS)
    tables = {
        "decisions.parquet": relations.sort(["created_at", *(name for name in RELATIONS if name != "created_at")]),
        "items.parquet": pl.DataFrame(list(story.items.values()), schema=THINGS).sort("type", "id"),
    }
    for name, table in tables.items():
        table.write_parquet(out / name, compression="zstd", compression_level=9, statistics=True)
    return tables


if __name__ == "__main__":
    for name, table in build(HERE).items():
        print(f"{name}: {table.height:,} rows")
