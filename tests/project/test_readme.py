"""README.md is true: its transcript, its code, its commands."""

import re
import shlex

import pytest

from lineage_kit.cli import app, run
from support.shared import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("code", [code for language, code in BLOCKS if language == "python"])
def test_python_blocks_run(code, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    exec(compile(code, "README.md", "exec"), {})


@pytest.mark.parametrize("transcript", [text for language, text in BLOCKS if language == "console"])
def test_transcripts_are_what_is_printed(transcript, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    first, _, rest = transcript.partition("\n")
    words = shlex.split(first.removeprefix("$ "))
    if "--out" in words:  # what a command writes goes elsewhere
        at = words.index("--out") + 1
        rest, words[at] = rest.replace(f" {words[at]}\n", f" {tmp_path}\n"), str(tmp_path)
    assert words[0] == "lineage-kit"
    assert run(lambda: app(words[1:], standalone_mode=False)) == 0
    assert capsys.readouterr().out == rest


def connection_of(which):
    """What a block that makes a connection makes, in the folder it is read from."""
    code = [code for language, code in BLOCKS if language == "python" and "connect(" in code][which]
    names = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        exec(compile(code, "README.md", "exec"), names)
    return names["connection"]


@pytest.fixture(scope="module")
def connections():
    return [connection_of(0), connection_of(1)]


QUESTIONS = [query for language, query in BLOCKS if language == "sql"]
ON_RELATIONS = 10


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_questions_have_answers_in_a_fixed_order(number, connections, monkeypatch):
    monkeypatch.chdir(ROOT)
    connection = connections[number >= ON_RELATIONS]
    answer = connection.sql(QUESTIONS[number]).pl()
    assert answer.height
    assert answer.equals(connection.cursor().sql(QUESTIONS[number]).pl())


def test_there_are_ten_questions_and_five_on_sessions():
    assert len(QUESTIONS) == ON_RELATIONS + 5


def test_there_is_something_to_check():
    assert {language for language, _ in BLOCKS} >= {"python", "console"}


def test_the_make_targets_it_names_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z]+)`", README)) <= targets
