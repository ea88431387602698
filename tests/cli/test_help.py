"""The help texts: complete, and their examples run."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from lineage_kit.cli import app
from support.commands import call
from support.shared import ROOT

COMMAND = Path(sys.executable).with_name("lineage-kit")
GROUP = typer.main.get_command(app)


def commands_in(group, path=""):
    """{words after lineage-kit: command}, the group's own first."""
    found = {path: group}
    for name, command in getattr(group, "commands", {}).items():
        found |= commands_in(command, f"{path} {name}".strip())
    return found


COMMANDS = commands_in(GROUP)
LEADS = ("Example: ", "As a gate in CI: ", "Start with: ")


def examples(command):
    """The paragraphs of a help text that are commands: (lead, words)."""
    paragraphs = re.split(r"\n\s*\n", command.help or "")
    one_line = [" ".join(paragraph.split()) for paragraph in paragraphs]
    return [
        (lead, shlex.split(text.removeprefix(lead))) for text in one_line for lead in LEADS if text.startswith(lead)
    ]


def documented():
    """The commands of all help texts, and those in data/README.md."""
    found = [example for command in COMMANDS.values() for example in examples(command)]
    text = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
    return found + [("Example: ", shlex.split(line)) for line in re.findall(r"^lineage-kit .*", text, re.MULTILINE)]


def helped(capsys, name):
    code, out, err = call(capsys, *name.split(), "--help")
    assert (code, err) == (0, "")
    return " ".join(out.split())


@pytest.mark.parametrize(("lead", "words"), documented(), ids=lambda part: part if isinstance(part, str) else part[1])
def test_documented_commands_run(lead, words, capsys, monkeypatch, tmp_path):
    """In a folder of their own beside the data, since some of them write."""
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    assert words[0] == "lineage-kit"
    if words[1:3] == ["index", "info"]:
        call(capsys, "index", "build", "data/rfc_relations.parquet", "--out", words[3])
    code, out, err = call(capsys, *words[1:])
    assert out, err
    assert "Traceback" not in err
    assert code in ((0, 1) if lead == "As a gate in CI: " else (0,)), err


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_an_example(name, capsys):
    shown = helped(capsys, name)
    told = [" ".join([lead.strip(), *words]) for lead, words in examples(COMMANDS[name])]
    if COMMANDS[name].params and any(param.required for param in COMMANDS[name].params):
        assert told
    for text in told:
        assert text in shown.replace('"', "")


def test_help_of_the_whole_says_where_to_start_and_what_exit_codes_mean(capsys):
    shown = helped(capsys, "")
    assert "Start with: lineage-kit demo" in shown
    assert (
        "Exit codes: 0 an answer, 1 an answer that --fail-on rejects, 2 bad input or an interrupt, 3 a bug of ours."
        in shown
    )
    for name, command in GROUP.commands.items():
        assert f"{name} {command.help.split('.')[0][:40]}" in shown


def test_without_arguments_the_help_is_shown(capsys):
    assert " ".join(call(capsys)[1].split()) == helped(capsys, "")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_every_option_and_says_what_it_does(name, capsys):
    shown = helped(capsys, name)
    for param in COMMANDS[name].params:
        assert param.help, param.name
        assert " ".join(param.help.split()) in shown
        for option in param.opts if param.param_type_name == "option" else [param.metavar]:
            assert option in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_short_help_is_the_same(name, capsys):
    assert " ".join(call(capsys, *name.split(), "-h")[1].split()) == helped(capsys, name)


def test_version(capsys):
    assert call(capsys, "--version") == (0, "lineage-kit 0.1.0\n", "")


def completed(**more):
    environment = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1", **more}
    arguments = more.pop("arguments", "").split()
    return subprocess.run([COMMAND, *arguments], env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_show_completion_prints_a_script(shell):
    shown = completed(arguments=f"--show-completion {shell}")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert f"complete_{shell}" in shown.stdout
    assert "lineage-kit" in shown.stdout


def test_completion_offers_commands_and_options():
    asked = {"_LINEAGE_KIT_COMPLETE": "complete_bash"}
    commands = completed(COMP_WORDS="lineage-kit ", COMP_CWORD="1", **asked)
    assert set(commands.stdout.split()) == set(GROUP.commands)
    options = completed(COMP_WORDS="lineage-kit trace --fa", COMP_CWORD="2", **asked)
    assert options.stdout.split() == ["--fail-on"]
