"""A call sees one generation of a folder, whoever writes to it meanwhile."""

import pytest

from lineage_kit import LineageKitError, SessionCorpus
from support.session_small import live, log, story


def test_a_call_in_which_the_folder_is_written_is_made_again(tmp_path, monkeypatch):
    """Between the list of sessions and their events, the folder gets other sessions."""
    place = live(log("a", story()[:1])).write_parquet(tmp_path / "out")
    corpus = SessionCorpus.open(place)
    source = corpus._listing.persisted.source
    real, times = source.sizes, []

    def sizes():
        if len(times) < 3:
            times.append(None)
            live(log(f"b{len(times)}", story()), log("c")).write_parquet(place)
        return real()

    monkeypatch.setattr(source, "sizes", sizes)
    assert corpus.all_events()["session_id"].unique().sort().to_list() == ["b3", "c"]
    assert len(times) == 3


def test_a_folder_that_never_rests_is_told(tmp_path, monkeypatch):
    place = live(log("a")).write_parquet(tmp_path / "out")
    corpus = SessionCorpus.open(place)
    source = corpus._listing.persisted.source
    states = iter(range(10_000))
    monkeypatch.setattr(source, "generation", lambda: next(states))
    with pytest.raises(LineageKitError, match="keep changing while they are read"):
        corpus.sessions()


def test_a_corpus_is_written_over_the_folder_it_was_read_from(tmp_path):
    place = live(log("a"), log("b")).write_parquet(tmp_path / "out")
    corpus = SessionCorpus.open(place)
    before = corpus.all_events()
    assert corpus.write_parquet(place) == place
    assert corpus.all_events().equals(before)
