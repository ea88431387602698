"""One raw record as a row, and a row as a record again."""

import pytest
from hypothesis import given

from lineage_kit.sessions.records import error_of, record_of, row_of, text_of
from support import session_model as model
from support import session_strategies as some
from support.session_small import noted, said, summary


@pytest.mark.parametrize("record", [said(0), noted(0), summary(0, 1, 2, [3]), {"seq": 0, "type": "x", "more": [1]}])
def test_a_row_is_the_record_again(record):
    row = row_of(record, 0)
    assert row.faults == []
    assert record_of(row.values) == record


@some.FEWER
@given(some.changed())
def test_converting_never_raises_and_tells_what_no_row_can_hold(log):
    for position, record in enumerate(log):
        row = row_of(record, position)
        if not isinstance(record, dict) or model.whole(record.get("seq")) != position:
            assert row.faults


TEXTS = [
    ("hello", "hello"),
    ({"text": "hello"}, "hello"),
    ({"content": "hello"}, "hello"),
    ({"message": {"content": [{"text": "a"}, {"content": "b"}, {"type": "image"}]}}, "a\nb"),
    ({"content": [{"content": [{"text": "c"}]}]}, "c"),
    ({"content": [{"type": "image"}]}, None),
    ({"message": "hello"}, None),
    (None, None),
    (3, None),
]


@pytest.mark.parametrize(("data", "text"), TEXTS)
def test_the_text_of_an_event_is_what_a_person_would_read(data, text):
    assert text_of(data) == text


@pytest.mark.parametrize(
    ("data", "error"),
    [({"isError": True}, True), ({"message": {"isError": False}}, False), ({"isError": "yes"}, None), ([], None)],
)
def test_an_event_says_itself_whether_it_is_an_error(data, error):
    assert error_of(data) is error
