"""Lineages of sessions that cannot be given; the right ones are held against the conformance cases."""

from support.session_small import error_of, live, log


def test_unknown_and_ringed_sessions_are_named():
    ring = live(*(log(name, parentSession=above) for name, above in [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")]))
    for name in ("a", "b", "c"):
        told = error_of(ring.trace_session, name)
        assert told.code == "SESSION_QUERY_INVALID_LINEAGE"
        assert repr(name) in str(told)
    assert "'nobody'" in str(error_of(ring.trace_session, "nobody"))
