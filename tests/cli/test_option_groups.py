"""Groups of options become the options of a command, in their place, and come to it as one value."""

import inspect

import pytest
import typer

from lineage_kit.cli.option_groups import (
    DiffAnswer,
    Supposed,
    TableAnswer,
    TableOptions,
    TraceAnswer,
    WholeTable,
    with_groups,
)
from lineage_kit.cli.options import Format
from lineage_kit.door.table_spec import TableSpec
from lineage_kit.errors import InvalidRequest


def test_options_stand_where_their_group_stood():
    def command(*, id: str, answer: TableAnswer, limit: int = 3, table: TableOptions) -> None:
        taken.append((id, answer, limit, table))

    taken = []
    wrapped = with_groups(leave_out=("kind",))(command)
    names = ["id", "format", "output", "draw", "limit", "column", "source_type", "target_type", "ended"]
    parameters = inspect.signature(wrapped).parameters
    assert list(parameters) == names
    assert parameters["id"].default is inspect.Parameter.empty
    assert parameters["draw"].default == 200
    given = {"column": None, "source_type": "t", "target_type": None, "ended": "ignore"}
    wrapped(id="a", format=Format.csv, output=None, draw=5, limit=1, **given)
    assert taken == [("a", TableAnswer(format=Format.csv, draw=5), 1, TableOptions(source_type="t", ended="ignore"))]


def test_how_a_table_is_read_is_one_value():
    options = TableOptions(column=["from=source_id"], kind=["A=depends_on"], target_type="evidence", ended="ignore")
    spec = TableSpec.of(
        {"from": "source_id"}, {"A": "depends_on"}, target_type="evidence", strict=False, ended="ignore"
    )
    assert options.spec(strict=False) == spec
    assert TableOptions().spec() == TableSpec()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: WholeTable(format=Format.parquet), "needs --output"),
        (lambda: TableAnswer(format=Format.parquet), "needs --output"),
        (lambda: TableAnswer(draw=-1), "--draw takes"),
        (lambda: TraceAnswer(report="page.txt"), "txt"),
        (lambda: DiffAnswer(report="page.txt"), "txt"),
    ],
)
def test_what_could_not_be_written_is_refused_at_once(make, told):
    with pytest.raises(InvalidRequest, match=told):
        make()


def test_a_frame_that_a_trace_does_not_have():
    with pytest.raises(typer.BadParameter, match="nodes, edges or frontier"):
        TraceAnswer(frame="edge")


def test_a_frame_that_a_diff_does_not_have():
    with pytest.raises(typer.BadParameter, match="nodes or edges"):
        DiffAnswer(frame="frontier")


# ---- what is supposed


class Asked:
    """A store that tells what it was asked to suppose."""

    def what_if(self, at, **supposed):
        return at, supposed


@pytest.mark.parametrize(
    ("given", "at"),
    [
        ({"what_if_at": "2026-04-24T00:00:00Z"}, "2026-04-24T00:00:00Z"),
        ({"as_of": "2026-05-11T00:00:00Z"}, "2026-05-11T00:00:00Z"),
        ({"what_if_at": "2026-04-24T00:00:00Z", "as_of": "2026-05-11T00:00:00Z"}, "2026-04-24T00:00:00Z"),
    ],
)
def test_what_is_withdrawn_is_so_since_a_time_that_is_given(given, at):
    supposed = Supposed(what_if_withdraw=["evidence:e1", "event:s1:a#23"], **given)
    assert supposed.of(Asked()) == (at, {"withdraw": [("evidence", "e1"), ("event", "s1:a#23")]})


def test_without_anything_supposed_the_store_is_the_one_that_was_opened():
    store = Asked()
    assert Supposed(as_of="2026-05-11T00:00:00Z").of(store) is store


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"what_if_withdraw": ["evidence:e1"]}, "since when. Hint: --what-if-at TIME, or --as-of TIME"),
        ({"what_if_withdraw": ["evidence:e1"], "known_at": "2026-05-11T00:00:00Z"}, "since when"),
        ({"what_if_at": "2026-05-11T00:00:00Z"}, "there is none"),
        *(
            ({"what_if_withdraw": ["evidence:e1", bad], "as_of": "2026-05-11T00:00:00Z"}, f"TYPE:ID, got '{bad}'")
            for bad in ("evidence", "evidence:", ":e1", "", ":")
        ),
    ],
)
def test_what_cannot_be_supposed_is_refused_at_once(given, told):
    with pytest.raises(InvalidRequest, match=told):
        Supposed(**given)
