"""The tables of a folder: what it lacks is told, and what tells that it was written anew."""

import pytest

from lineage_kit import SchemaError, SessionCorpus
from lineage_kit.sessions.folder_sessions import sessions_of_folder
from support.session_small import live, log


def test_a_new_generation_shows(tmp_path):
    live(log("s1")).write_parquet(tmp_path / "out")
    source = sessions_of_folder(tmp_path / "out")
    before = source.generation()
    assert source.generation() == before
    live(log("s1")).write_parquet(tmp_path / "out")
    assert source.generation() != before
    assert source.damaged() == []


def test_an_import_is_no_place_for_a_corpus_and_the_tables_without_a_manifest_are_read(tmp_path):
    place = live(log("s1")).write_parquet(tmp_path / "out")
    (place / "manifest.json").unlink()
    corpus = SessionCorpus.open(place)
    assert corpus.sessions().height == 1
    assert corpus.check().rows() == []
    (place / "events.parquet").unlink()
    with pytest.raises(SchemaError, match=r"there is no events\.parquet"):
        sessions_of_folder(place)
