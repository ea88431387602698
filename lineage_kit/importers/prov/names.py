"""Names and values of PROV-JSON: prefixes expanded, typed values as plain ones (rules P2 and P9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PROV = "http://www.w3.org/ns/prov#"
BUILT_IN = {"prov": PROV, "xsd": "http://www.w3.org/2001/XMLSchema#"}
REVISION = f"{PROV}Revision"


class Names:
    """Expands the names of one document, or of a bundle in it.

    Example:
        >>> names = Names({"ex": "http://example.org/", "default": "urn:d:"}, "a.json")
        >>> names.expanded("ex:e1"), names.expanded("e2"), names.expanded("_:b"), names.expanded("http://x/y")
        ('http://example.org/e1', 'urn:d:e2', '_:b@a.json', 'http://x/y')
    """

    def __init__(self, prefixes: Mapping[str, str], file: str) -> None:
        self._prefixes, self._file = {**BUILT_IN, **prefixes}, file

    def within(self, prefixes: Mapping[str, str]) -> Names:
        """Those of a bundle, whose own prefixes go first."""
        return Names({**self._prefixes, **prefixes}, self._file)

    def expanded(self, name: str) -> str:
        """The full name; one without a known prefix stays as it is."""
        if name.startswith("_:"):
            return f"{name}@{self._file}"
        prefix, colon, rest = name.partition(":")
        if not colon:
            return self._prefixes.get("default", "") + name
        return self._prefixes[prefix] + rest if prefix in self._prefixes else name


def prefixes_in(held: Any) -> dict[str, str]:
    """The prefixes that a document declares, those that are texts."""
    if not isinstance(held, dict):
        return {}
    return {prefix: place for prefix, place in held.items() if isinstance(place, str)}


def values(held: Any) -> list[Any]:
    """What an attribute holds, one value or a list of them, each plain.

    Example:
        >>> values([{"$": "prov:Plan", "type": "xsd:QName"}, "ex:other"]), values(None)
        (['prov:Plan', 'ex:other'], [])
    """
    listed = held if isinstance(held, list) else [] if held is None else [held]
    return [one.get("$") if isinstance(one, dict) else one for one in listed]


def texts(held: Any) -> list[str]:
    """Those of them that are texts."""
    return [one for one in values(held) if isinstance(one, str) and one]
