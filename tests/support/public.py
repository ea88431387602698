"""The public methods and properties of the package's public classes, and the frames they give."""

import inspect
import re
import typing
from typing import NamedTuple

import polars as pl

import lineage_kit


class Member(NamedTuple):
    """A method or property of a public class that the package defines."""

    name: str
    function: typing.Any
    is_method: bool
    returns: typing.Any


def members():
    """Every public one, by name; what a class has from a library is not ours to document."""
    found: dict[str, Member] = {}
    for public_name in sorted(lineage_kit.__all__):
        cls = getattr(lineage_kit, public_name)
        if not isinstance(cls, type) or issubclass(cls, Exception):
            continue
        for owner in cls.__mro__:
            if not owner.__module__.startswith("lineage_kit"):
                continue
            for name, value in vars(owner).items():
                if name.startswith("_"):
                    continue
                function = _function(value)
                if function is not None and (getattr(function, "__module__", None) or "").startswith("lineage_kit"):
                    is_method = not isinstance(value, property) and not hasattr(value, "attrname")
                    key = f"{public_name}.{name}"
                    found.setdefault(key, Member(key, function, is_method, _returns(function)))
    return [found[name] for name in sorted(found)]


def frames():
    """The names of public attributes, properties and methods that give a frame."""
    names = {member.name for member in members() if member.returns in (pl.DataFrame, pl.LazyFrame)}
    for public_name in lineage_kit.__all__:
        cls = getattr(lineage_kit, public_name)
        if not isinstance(cls, type) or issubclass(cls, Exception):
            continue
        for owner in cls.__mro__:
            if owner.__module__.startswith("lineage_kit"):
                names |= {
                    f"{public_name}.{name}"
                    for name, hint in inspect.get_annotations(owner).items()
                    if not name.startswith("_")
                    and "Callable" not in str(hint)
                    and re.search("(Data|Lazy)Frame", str(hint))
                }
    return names


def _function(value):
    if isinstance(value, property):
        return value.fget
    if isinstance(value, classmethod | staticmethod):
        return value.__func__
    if hasattr(value, "attrname"):  # a cached property
        return value.func
    return value if inspect.isfunction(value) else None


def _returns(function):
    try:
        return typing.get_type_hints(function).get("return")
    except (NameError, TypeError):
        return None
