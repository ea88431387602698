"""The commands, and what a run of them returns."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from lineage_kit import __version__, connect
from lineage_kit.cli.answer import answered
from lineage_kit.cli.audit import audit
from lineage_kit.cli.demo import tell
from lineage_kit.cli.diff import diff
from lineage_kit.cli.importing import import_logs
from lineage_kit.cli.index import index
from lineage_kit.cli.option_groups import Clocks, TableAnswer, TableOptions, TreeAnswer, WholeTable, with_groups
from lineage_kit.cli.options import (
    CorpusFolder,
    Data,
    Id,
    Items,
    MaxDepthLimit,
    MaybeData,
    SupersedeLimit,
    Type,
    WithCorpus,
    open_store,
)
from lineage_kit.cli.process import INTERRUPTS, complain, note, run, speak_any_encoding
from lineage_kit.cli.questions import impact, trace, why
from lineage_kit.errors import InvalidRequest
from lineage_kit.sessions.corpus import SessionCorpus
from lineage_kit.sql.connect import only_query, read_only
from lineage_kit.wording import counted, shown

app = typer.Typer(
    name="lineage-kit",
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def about(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Trace an agent's decision back to its premises, and see whether they still stand.

    Start with: lineage-kit demo

    Exit codes: 0 an answer, 1 an answer that --fail-on rejects, 2 bad input or an interrupt, 3 a bug of ours.
    """
    if version:
        print(f"lineage-kit {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


app.command()(trace)
app.command()(impact)
app.command()(why)
app.command()(diff)
app.command()(audit)


@app.command()
@with_groups()
def reach(
    *,
    type: Type,
    id: Id,
    data: Data,
    items: Items = None,
    direction: Annotated[
        str, typer.Option("--direction", metavar="WAY", help="outgoing, incoming (what rests on it), or both.")
    ] = "outgoing",
    relation_kind: Annotated[
        list[str] | None, typer.Option("--relation-kind", metavar="KIND", help="Follow this kind only; repeatable.")
    ] = None,
    max_depth: Annotated[int, typer.Option("--max-depth", metavar="N", help="Rings to walk.")] = 3,
    clocks: Clocks,
    answer: TreeAnswer,
    max_depth_limit: MaxDepthLimit = 10,
    table: TableOptions,
) -> None:
    """Show what can be reached from an item, ring by ring.

    A --relation-kind that no relation has, at any time, is bad input: the answer is given, and the command exits 2.

    Example: lineage-kit reach evidence ev-7f3a91c2 --direction incoming --data data/decisions.parquet
    """
    store = open_store(data, items, table.spec(), max_depth_limit)
    found = store.reachability(
        type, id, relation_kind=relation_kind, direction=direction, max_depth=max_depth, **clocks.instants
    )
    answer.write(found)
    if found.unknown_kinds:
        kinds = ", ".join(shown(kind) for kind in found.unknown_kinds)
        raise typer.Exit(complain(f"--relation-kind: no relation has {kinds}"))


@app.command()
@with_groups(leave_out=("kind",))
def find(
    *,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Part of an id or a label, in any case.")],
    data: Data,
    items: Items = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="How many to show.")] = 20,
    answer: WholeTable,
    table: TableOptions,
) -> None:
    """Find nodes by a part of their id or label.

    Example: lineage-kit find "load test" --data data/decisions.parquet --items data/items.parquet
    """
    found = open_store(data, items, table.spec()).find(text, limit)
    answer.write(found)
    if not found.height:
        note(f"nothing has {text!r} in its id or label")


@app.command()
@with_groups()
def check(
    *,
    data: Data,
    items: Items = None,
    answer: WholeTable,
    table: TableOptions,
) -> None:
    """Say what in the data deserves a second look.

    Bad rows are set aside and counted instead of refused.

    Example: lineage-kit check --data data/decisions.parquet
    """
    store = open_store(data, items, table.spec(strict=False))
    found = store.check()
    answer.write(found)
    note(f"{counted(found.height, 'finding')} in {store!r}")


@app.command()
@with_groups()
def sql(
    *,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One query over the views and macros.")],
    data: MaybeData = None,
    items: Items = None,
    corpus: WithCorpus = None,
    answer: TableAnswer,
    max_depth_limit: MaxDepthLimit = 10,
    supersede_limit: SupersedeLimit = 10,
    table: TableOptions,
) -> None:
    """Ask one SQL query; nothing but the data given can be read, and nothing written.

    Views: relations, items, replacements, findings; with --corpus also sessions, events, event_traces, session_tree.
    Macros: trace_lineage, trace_summary, trace_edges, trace_frontier, and for what rests on an item trace_impact,
    impact_summary, impact_edges, impact_frontier (type, id, max_depth := 5, as_of := null, known_at := null);
    lineage_path, impact_path (type, id, to_type, to_id, and the same); audit (type, and the same); reachability;
    trace_event(session_id, seq).

    Example: lineage-kit sql "from trace_lineage('rfc', 'RFC2616')" --data data/rfc_relations.parquet
    """
    text = only_query(query)
    if not data and corpus is None:
        raise InvalidRequest("give --data FILE, --corpus FOLDER, or both")
    store = None
    if data:
        store = open_store(data, items, table.spec(), max_depth_limit, supersede_limit, corpus=corpus)
    connection = connect(store, None if corpus is None else SessionCorpus.open(corpus))
    read_only(connection, () if store is None else (*store.files, *store.item_files))
    answer.write(answered(connection, text))


@app.command()
@with_groups()
def session(
    *,
    session_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the session.")],
    corpus: CorpusFolder,
    answer: TreeAnswer,
) -> None:
    """Show who a session descends from, and who from it.

    Example: lineage-kit session 019d44a4-1fe0-7935-9e63-c102eaa0391c --corpus data
    """
    answer.write(SessionCorpus.open(corpus).trace_session(session_id))


@app.command()
@with_groups()
def event(
    *,
    session_id: Annotated[str, typer.Argument(metavar="SESSION", help="The id of the session.")],
    seq: Annotated[int, typer.Argument(metavar="SEQ", help="The seq of the event.")],
    corpus: CorpusFolder,
    answer: TreeAnswer,
) -> None:
    """Show what replaced an event, what it replaced, what it cites and who cites it.

    Example: lineage-kit event 019d44a4-1fe0-7935-9e63-c102eaa0391c 23 --corpus data
    """
    answer.write(SessionCorpus.open(corpus).trace_event(session_id, seq))


app.add_typer(index, name="index")
app.command("import")(import_logs)
sessions = typer.Typer(help="List, search and check the sessions of a corpus.", rich_markup_mode=None)
app.add_typer(sessions, name="sessions")


@sessions.command("list")
@with_groups()
def list_sessions(*, corpus: CorpusFolder, answer: TableAnswer) -> None:
    """List the sessions, newest first.

    Example: lineage-kit sessions list --corpus data
    """
    answer.write(SessionCorpus.open(corpus).sessions())


@sessions.command("check")
@with_groups()
def check_sessions(*, corpus: CorpusFolder, answer: TableAnswer) -> None:
    """Say which sessions break a rule, where, and how.

    Example: lineage-kit sessions check --corpus data
    """
    found = SessionCorpus.open(corpus).check()
    answer.write(found)
    note(f"{counted(found.height, 'finding')} in {corpus}")


@sessions.command("find")
@with_groups()
def find_events(
    *,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What an event said, in any case.")],
    corpus: CorpusFolder,
    answer: TableAnswer,
) -> None:
    """Find which session said or touched this.

    Example: lineage-kit sessions find "load test" --corpus data
    """
    found = SessionCorpus.open(corpus).find(text)
    answer.write(found)
    if not found.height:
        note(f"no event says {text!r}")


@app.command()
def demo() -> None:
    """Investigate a doubted decision in the data that comes with the package."""
    tell()


def main() -> None:
    """Run the command line; what it ends with is said in `lineage_kit.cli.process.run`."""
    INTERRUPTS.heed()
    speak_any_encoding()
    code = run(lambda: app(standalone_mode=False))
    INTERRUPTS.rest()
    sys.exit(code)
