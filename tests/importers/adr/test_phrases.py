"""Every phrase in its spellings, where it may stand, and what stands in its way."""

import pytest

from lineage_kit.importers.adr.markdown import inline
from lineage_kit.importers.adr.phrases import Reference, keyed, prose, statements

X = "[x](x.md)"
SUPERSEDES, AMENDS, DEPENDS, RELATED = ("supersedes", "amends", "depends_on", "related")


def said(line):
    return [(found.phrase.kind, found.phrase.reverse) for found in statements(inline(line))]


PHRASES = {
    (SUPERSEDES, True): "Superseded by|superceded by|Superseeded by|Replaced by|obsoleted by|retired by",
    (SUPERSEDES, False): "Supersedes|Supercedes|replaces|Obsoletes",
    (
        AMENDS,
        True,
    ): "partly superseded by|Partially superseded by|in part superseded by|superseded-in-part by|Amended by"
    "|amended-in-part by|Extended in part by|Updated by|clarified by|corrected by",
    (AMENDS, False): "Amends|updates|clarifies|corrects|partially supersedes|amends in part",
    ("proposes_to_supersede", True): "provisionally superseded by|to be superseded by|will be superseded by"
    "|proposed to be superseded by",
    (DEPENDS, False): "Depends on|requires|builds on|based on|derived from|follows from|extends|refines|elaborates",
    (DEPENDS, True): "required by|refined by|extended by|elaborated by",
    (RELATED, False): "relates to|Related to|related|See also|conflicts with|complements",
}
SPELLED = [(phrase, *told) for told, listed in PHRASES.items() for phrase in listed.split("|")]


@pytest.mark.parametrize(("phrase", "kind", "reverse"), SPELLED)
def test_a_phrase(phrase, kind, reverse):
    for line in (f"{phrase} {X}", f"**{phrase.upper()}**: {X}", f"Status: {phrase} {X}", f"We also {phrase} {X}"):
        assert said(line) == [(kind, reverse)], line
    assert said(f"Accepted ({phrase} {X})") == [(kind, reverse)]
    assert said(f"Nobody {phrase} {X}") == []


def test_text_in_parentheses_may_stand_before_by():
    assert said(f"Superseded (in May) by {X}") == [(SUPERSEDES, True)]


NOTHING = f"Accepted (was: superseded by {X})|Supersedes `x.md`|Superseded by|Supersedes none|Supersedes TBD|Amends n/a"


@pytest.mark.parametrize("line", NOTHING.split("|"))
def test_what_says_nothing(line):
    assert said(line) == []


def test_parts_of_a_line_say_each_their_own():
    line = f"Accepted; supersedes {X}. Amends [y](y.md) (based on [z](z.md))"
    assert said(line) == [(SUPERSEDES, False), (AMENDS, False), (DEPENDS, False)]


def test_only_what_is_joined_belongs_to_a_phrase():
    [found] = statements(inline("Supersedes [a](a.md), [b](b.md) and ADR-3, unlike [c](c.md)"))
    assert found.references == (Reference("a.md"), Reference("b.md"), Reference(number=3))


KEYS = ["supersedes", "Superseded-By", "amended_by", "depends on", "see_also", "supersedes-section-of"]


@pytest.mark.parametrize("key", KEYS)
def test_front_matter_says_it_by_its_keys(key):
    from lineage_kit.importers.adr.markdown import folded

    found = keyed(folded(key), ["0002", "ADR-0003, 4", "[five](0005-x.md)", "0006-y.md", "none"])
    assert found.references == (
        *(Reference(number=number) for number in (2, 3, 4)),
        Reference("0005-x.md"),
        Reference("0006-y.md"),
    )


def test_prose_must_be_about_this_record():
    assert [one.phrase.kind for one in prose(inline(f"We supersede {X} with the current one."))] == [SUPERSEDES]
    assert list(prose(inline(f"Supersedes {X}"))) == []
    assert list(prose(inline("This decision amends ADR-3"))) == []
