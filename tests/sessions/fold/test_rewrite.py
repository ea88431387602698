"""Faithful rewrites of tool results, held against the model."""

import json

from hypothesis import given

from lineage_kit.sessions.fold.rewrite import rewrite_fault
from support import session_model as model
from support import session_strategies as some


@some.FEWER
@given(some.logs(), some.changed())
def test_what_is_a_rewrite_is_what_the_model_takes_for_one(one, other):
    events = [{"data": event["data"]} if "data" in event else {} for event in [*one, *other] if isinstance(event, dict)]
    for old in events[:6]:
        for new in events[:12]:
            payloads = [json.dumps(event["data"]) if "data" in event else None for event in (old, new)]
            assert (rewrite_fault(*payloads) is None) is model.faithful(old, new)


def test_a_payload_that_is_no_json_is_no_rewrite():
    assert rewrite_fault("{", "{") == (
        "the replaced event has a payload that is not JSON",
        "data and data.message objects, message.content a list",
    )
