"""Every public method says what it takes, what it gives, and shows it: the help of a notebook is all that many read."""

import inspect
import re

import polars as pl
import pytest

import lineage_kit
from support import public


def arguments(function):
    """The names of the arguments that a caller gives."""
    signature = inspect.signature(function)
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        ("**" if value.kind is kinds[1] else "*" if value.kind is kinds[0] else "") + name
        for name, value in signature.parameters.items()
        if name not in ("self", "cls")
    ]


def section(text, name):
    """What stands under a heading of a docstring."""
    found = re.search(rf"^{name}:\n((?:[ \t]+.*\n|\n)*)", text + "\n", re.MULTILINE)
    return found.group(1) if found else ""


@pytest.mark.parametrize("name", sorted(lineage_kit.__all__))
def test_every_public_name_is_documented_with_an_example(name):
    thing = getattr(lineage_kit, name)
    text = inspect.getdoc(thing) or ""
    assert text
    if isinstance(thing, type) and issubclass(thing, Exception) and name != "LineageKitError":
        return
    assert ">>>" in text, f"{name} has no example"


@pytest.mark.parametrize("member", public.members(), ids=lambda member: member.name)
def test_every_public_method_says_what_it_takes_and_shows_what_it_gives(member):
    text = inspect.getdoc(member.function) or ""
    missing = []
    if member.is_method:
        told = section(text, "Args")
        missing += [
            name for name in arguments(member.function) if not re.search(rf"^\s+{re.escape(name)}:", told, re.M)
        ]
    if ">>>" not in section(text, "Example") + section(text, "Examples"):
        missing.append("an example")
    if member.returns is pl.DataFrame and not re.search(r"[Ss]orted|[Ii]n (the )?(log )?order|order of", text):
        missing.append("the order of its rows")
    assert missing == [], f"{member.name} does not tell {', '.join(missing)}"
