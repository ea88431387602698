"""Codex rollouts damaged at random: never an error, sound sessions, and no record lost without a row that says so."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from lineage_kit.importers.codex.importer import read_codex
from support.codex_logs import back, call, compacted, event, item, line, message, meta, output, started
from support.session_strategies import FEWER, PROFILE

PLAIN = json.JSONDecoder(strict=False)
numbers = st.integers(0, 4)


MADE = {
    "t": lambda second, one: started(second),
    "u": lambda second, one: message("user", f"u{one} é\u2028", second, ordinal=second),
    "a": lambda second, one: message("assistant", "a", second),
    "c": lambda second, one: call(f"c{one}", second),
    "o": lambda second, one: output(f"c{one}", second),
    "k": lambda second, one: compacted("", second),
    "s": lambda second, one: json.dumps({"type": "message", "role": "user", "content": []}),
    "f": lambda second, one: back(one, second),
    "e": lambda second, one: event("token_count", second, info={"last_token_usage": {"input_tokens": one}}),
    "x": lambda second, one: item("web_search_call", second, id=f"c{one}"),
}


@st.composite
def records(draw):
    """Lines that hang together: some turns with calls, outputs, compactions and rollbacks."""
    kinds = draw(st.lists(st.tuples(st.sampled_from("tuaccoooksfex"), numbers), max_size=14))
    return [MADE[kind](second, one) for second, (kind, one) in enumerate(kinds)]


def compact(one):
    """A line as Codex writes it, without spaces."""
    return json.dumps(json.loads(one), ensure_ascii=False, separators=(",", ":"))


@st.composite
def files(draw):
    """The bytes of some rollouts, of which later ones may begin with the records of an earlier one."""
    logs = []
    for place in range(draw(st.integers(1, 3))):
        own = draw(records())
        more = {}
        if logs and draw(st.booleans()):
            base = draw(st.sampled_from(logs))
            own = base[: draw(st.integers(0, len(base)))] + own
            name = draw(st.sampled_from(["forked_from_id", "parent_thread_id", "none"]))
            more = {name: f"s{draw(st.integers(0, 2))}"}
            if draw(numbers) == 0:
                more["subagent_history_start_ordinal"] = draw(st.integers(0, 9))
        header = [meta(f"s{place if draw(numbers) else 0}", **more)] if draw(numbers) else []
        logs.append(header + own)
    if draw(st.booleans()):
        logs = [[compact(one) for one in lines] for lines in logs]
    return ["".join(one + "\n" for one in lines).encode() for lines in logs]


@st.composite
def damaged(draw):
    """Files with bytes deleted, written over and inserted, and lines swapped, repeated, cut and joined."""
    found = []
    for data in draw(files()):
        for _ in range(draw(st.integers(0, 3))):
            how = draw(st.sampled_from(["delete", "write", "insert", "swap", "repeat", "cut", "join", "mix"]))
            at, size = draw(st.integers(0, max(len(data) - 1, 0))), draw(st.integers(1, 9))
            lines = data.split(b"\n")
            one, two = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
            if how == "delete":
                data = data[:at] + data[at + size :]
            elif how == "write":
                data = data[:at] + draw(st.binary(max_size=4)) + data[at + 4 :]
            elif how == "insert":
                odd = [b"\n", b"\r\n", b"\xef\xbb\xbf", b"\xff", b"{}", b"null ", b'"', b"\\ud800", b"\x00", b"1e999"]
                data = data[:at] + draw(st.sampled_from(odd)) + data[at:]
            elif how == "swap":
                lines[one], lines[two] = lines[two], lines[one]
                data = b"\n".join(lines)
            elif how == "repeat":
                data = b"\n".join([*lines[:one], lines[two], *lines[one:]])
            elif how == "cut":
                data = data[: len(data) - size]
            elif how == "join":
                data = b"\n".join(lines[:one]) + b"".join(lines[one:])
            elif found:
                data += found[-1]
        found.append(data)
    return found


def pieces(data):
    """How many records, and pieces that are none, a plain reader finds."""
    count = 0
    for one in data.split(b"\n"):
        text = one.decode(errors="replace").strip(" \t\r\n\ufeff")
        while text:
            count += 1
            try:
                _, end = PLAIN.raw_decode(text)
            except ValueError:
                break
            text = text[end:].lstrip(" \t\r\n\ufeff")
    return count


def accounted(read):
    """Events, headers, and what the report says are no events."""
    kinds = read.report.filter(read.report["kind"].is_in(["inherited_records", "duplicate_record"]))
    headerless = read.report.filter(read.report["kind"] == "missing_header").height
    return read.counts["events"] + read.counts["sessions"] - headerless + kinds["count"].sum()


def check(folder, contents):
    for place, data in enumerate(contents):
        (folder / f"r{place}.jsonl").write_bytes(data)
    read = read_codex(folder, progress=False)
    assert read.corpus().check().rows() == []
    assert accounted(read) == sum(map(pieces, contents))
    bare = read_codex(folder, progress=False, text="drop")
    kept = ("session_id", "seq", "type", "surface_op", "source_event_seqs", "line", "raw_type")
    assert bare.events.select(kept).collect().equals(read.events.select(kept).collect())
    assert bare.report.equals(read.report)
    return read


@settings(PROFILE, max_examples=80)
@given(damaged())
def test_no_record_is_lost(tmp_path_factory, contents):
    check(tmp_path_factory.mktemp("fuzz"), contents)


@FEWER
@given(files())
def test_sound_logs_have_no_damage(tmp_path_factory, contents):
    read = check(tmp_path_factory.mktemp("fuzz"), contents)
    damage = ("unparsed_line", "torn_tail", "glued_records", "invalid_utf8", "replaced_surrogates", "corrupt_log")
    assert not read.report["kind"].is_in(damage).any()


@FEWER
@given(st.lists(st.binary(max_size=60), max_size=3))
def test_any_bytes(tmp_path_factory, contents):
    check(tmp_path_factory.mktemp("fuzz"), contents)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=6,
)
names = ("type", "payload", "timestamp", "ordinal", "id", "record_type", "role", "content", "call_id", "output",
         "num_turns", "info", "message", "name", "summary", "action", "source", "forked_from_id",
         "subagent_history_start_ordinal", "git", "new_thread_id")  # fmt: skip
words = st.sampled_from(["message", "user", "assistant", "reasoning", "function_call", "function_call_output",
                         "custom_tool_call", "custom_tool_call_output", "agent_message", "user_message",
                         "task_started", "task_complete", "token_count", "thread_rolled_back", "event_msg",
                         "session_meta", "response_item", "compacted", "state", "s0"])  # fmt: skip
bodies = st.dictionaries(st.sampled_from(names), st.one_of(words, json_values), max_size=5)


@FEWER
@given(st.lists(st.tuples(st.sampled_from(["response_item", "event_msg", "session_meta", None]), bodies), max_size=8))
def test_any_values(tmp_path_factory, drawn):
    lines = [json.dumps(body) if type is None else line(type, body) for type, body in drawn]
    check(tmp_path_factory.mktemp("fuzz"), ["\n".join(lines).encode()])


usage = st.dictionaries(st.sampled_from(["input_tokens", "output_tokens", "more"]), st.integers(0, 2), max_size=2)
counts = st.fixed_dictionaries(
    {"type": st.just("token_count")},
    optional={"info": st.fixed_dictionaries({}, optional={"last_token_usage": usage, "total_token_usage": usage})},
)
spoken_to = st.tuples(words, bodies).map(lambda drawn: {**drawn[1], "type": drawn[0]})


@FEWER
@given(st.lists(st.tuples(st.sampled_from(["response_item", "event_msg"]), spoken_to | counts), max_size=8))
def test_spaces_change_nothing(tmp_path_factory, drawn):
    """The form that Codex writes is decoded by a way of its own; any other spelling of it says the same."""
    lines = [line(type, body, second) for second, (type, body) in enumerate(drawn)]
    folder = tmp_path_factory.mktemp("fuzz")
    spaced, dense = (check(folder, ["\n".join(form).encode()]) for form in (lines, [compact(one) for one in lines]))
    assert spaced.report.equals(dense.report)
    assert spaced.relations.collect().equals(dense.relations.collect())
    first, second = (read.events.drop("byte_offset").collect() for read in (spaced, dense))
    assert first.drop("payload").equals(second.drop("payload"))
    for one, other in zip(first["payload"], second["payload"], strict=True):
        assert PLAIN.decode(one) == PLAIN.decode(other)
