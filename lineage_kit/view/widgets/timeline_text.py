"""Texts of a log as a timeline shows them: spelt out, cut, laid out, or around a match."""

from __future__ import annotations

import json

from lineage_kit.view.text import visible


def cut_short(start: str, cut: int, length: int) -> str:
    """The start of a text of some length, spelt out, and how long the whole is where there is more."""
    if length <= cut:
        return visible(start, cut)
    return f"{visible(start[: cut - 1], cut)}… ({length:,} characters)"


def indented(payload: str) -> str:
    """A payload laid out, or as it is."""
    try:
        return json.dumps(json.loads(payload), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):  # no JSON after all, or nested too deeply to be laid out
        return payload


def parts_around(text: str, pattern: str, around: int = 50) -> list[str]:
    """A short piece of a text in three: before a match, the match, behind it; the match is empty where none is exact.

    Example:
        >>> parts_around("The shops of Ghent", "SHOPS")
        ['The ', 'shops', ' of Ghent']
    """
    folded = text.casefold()
    at = folded.find(pattern.casefold())
    if at < 0 or len(folded) != len(text):  # folding moved the characters: the start of the text says enough
        return [visible(text, 2 * around), "", ""]
    end = at + len(pattern.casefold())
    before = ("…" if at > around else "") + visible(text[max(0, at - around) : at])
    behind = visible(text[end : end + around]) + ("…" if len(text) > end + around else "")
    return [before, visible(text[at:end]), behind]


class _Spelling(dict[int, str]):
    """For `str.translate`: each character as `visible` spells it; line breaks and tabs stay."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = character if character in "\n\t" else visible(character)
        return self[code]


_SPELLING = _Spelling()


def spelt_out(text: str) -> str:
    r"""A whole text fit to show on several lines: all that is invisible or reorders is spelt out, but line breaks.

    Example:
        >>> spelt_out("one\ntwo\u202e")
        'one\ntwo\\u202e'
    """
    return text.translate(_SPELLING)
