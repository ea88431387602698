"""Texts of Codex records: outputs and whether they failed, what a person wrote, titles."""

import pytest

from lineage_kit.importers.codex.text import result, spoken, title_of
from support.codex_logs import (
    item,
    log,
    message,
    meta,
    sessions,
)


@pytest.mark.parametrize(
    ("given", "text", "failed"),
    [
        ("done", "done", None),
        ("", None, None),
        ('{"output": "x", "metadata": {"exit_code": 0, "duration_seconds": 0.1}}', "x", False),
        ('{"output":"","metadata":{"exit_code":2}}', None, True),
        ('{"output": "x", "metadata": {"exit_code": "2"}}',) * 2 + (None,),
        ('{"a": "exit_code"}', '{"a": "exit_code"}', None),
        ("Exit code: 0\nWall time: 1 s\nOutput:\nx", "Exit code: 0\nWall time: 1 s\nOutput:\nx", False),
        ("Exit code: -1\nWall time: 1 s", "Exit code: -1\nWall time: 1 s", True),
        ("Exit code: 1, they said", "Exit code: 1, they said", None),
        ({"content": "x", "success": False}, "x", True),
        ({"content": [{"text": "a"}, {"text": "b"}, 5], "success": None}, "a\nb", None),
        ([{"type": "input_text", "text": "a"}, {"type": "input_image"}], "a", None),
        (None, None, None),
        (7, None, None),
    ],
)
def test_outputs_and_failures(given, text, failed):
    assert result(given) == (text, failed)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("fix it", "fix it"),
        ([{"text": "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"}], None),
        ([{"text": "<user_instructions>\nbe brief\n</user_instructions>\n"}], None),
        ([{"text": "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nb\n</INSTRUCTIONS>"}], None),
        ([{"text": "<environment_context></environment_context>"}, {"text": " fix it "}], "fix it"),
        ([{"text": "<environment_context> is what I see in my log"}], "<environment_context> is what I see in my log"),
        ([{"text": "<task_list>one</task_list>"}], "<task_list>one</task_list>"),
        ([{"type": "input_image", "image_url": "data:"}], ""),
        ([{"text": "   "}, 5, None], None),
        ([], None),
        (None, None),
    ],
)
def test_what_a_person_wrote(content, said):
    assert spoken(content) == said


def test_titles(tmp_path):
    assert title_of("a\n  b") == "a b"
    assert title_of("# Context from my IDE setup:\nfile.py\n\n## My request for Codex:\nfix it\n") == "fix it"
    assert len(title_of("word " * 1000)) == 200
    read = log(
        tmp_path,
        meta(),
        message("developer", "rules"),
        message("user", "<environment_context>x</environment_context>"),
        item("message", role="user", content=[{"type": "input_image"}]),
        message("assistant", "hello"),
        message("user", "the bug\nis back"),
    )
    assert sessions(read, "title") == [("the bug is back",)]
    assert sessions(log(tmp_path, meta(), message("assistant", "hello")), "title") == [(None,)]
