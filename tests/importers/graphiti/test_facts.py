"""What replaced a fact is found by comparison, and only where time and ends speak for it."""

from lineage_kit.importers.graphiti.facts import Fact, successors


def fact(
    uuid, *, name="LIVES_IN", source="a", target="b", group="g", created=0, valid=None, invalid=None, expired=None
):
    return Fact(uuid, name, source, target, group, "f", 1, None, created, valid, invalid, expired, None)


OLD = fact("0", created=0, valid=0, invalid=10, expired=20)


def found(*later, old=OLD):
    return {new.uuid: sure for one, news in successors([old, *later]) if one is old for new, sure in news}


def test_the_same_ends_either_way_or_the_same_source_and_name():
    assert found(fact("1", created=15, valid=10)) == {"1": 0.8}
    assert found(fact("1", created=15, valid=10, source="b", target="a", name="OTHER")) == {"1": 0.8}
    assert found(fact("1", created=15, valid=10, target="c", name="lives in")) == {"1": 0.8}


def test_the_same_target_and_name_is_less_sure():
    assert found(fact("1", created=15, valid=10, source="c")) == {"1": 0.6}
    assert found(fact("1", created=15, valid=10, source="c", name="KNOWS")) == {}


def test_only_from_the_very_moment_and_before_it_was_noticed():
    assert found(fact("1", created=15, valid=11)) == {}
    assert found(fact("1", created=21, valid=10)) == {}
    assert found(fact("1", created=15, valid=10, group="h")) == {}
    assert found(fact("1", created=20, valid=10), fact("2", created=0, valid=10)) == {"1": 0.8, "2": 0.8}


def test_what_merely_ended_is_replaced_by_nothing():
    ended = fact("0", invalid=10)
    assert list(successors([ended, fact("1", created=15, valid=10)])) == []
    assert (ended.reason, fact("2", expired=3).reason, OLD.reason, fact("3").reason) == (
        "ended",
        "expired",
        "contradicted",
        None,
    )
