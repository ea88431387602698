"""The statements of PROV-JSON, and what each becomes (rules P4 to P6).

Source of the format: the PROV-JSON serialization (W3C member submission of 24 April 2013) and PROV-DM.
"""

from __future__ import annotations

from typing import NamedTuple

TYPES = ("entity", "activity", "agent")
"""The sorts of nodes, in the order in which one that is declared as several is taken."""


class End(NamedTuple):
    """An end of a statement: the attribute that names it, and what it is where nobody declares it."""

    name: str
    type: str


class Statement(NamedTuple):
    """The kind of relation, its source, and its target: of several possible targets the first that is there."""

    kind: str
    source: End
    targets: tuple[End, ...]


def _end(told: str) -> End:
    name, type = told.split(" ")
    return End(f"prov:{name}", type)


def _of(kind: str, source: str, *targets: str) -> Statement:
    return Statement(kind, _end(source), tuple(map(_end, targets)))


STATEMENTS = {
    "wasDerivedFrom": _of("derives_from", "generatedEntity entity", "usedEntity entity"),
    "wasGeneratedBy": _of("derives_from", "entity entity", "activity activity"),
    "used": _of("depends_on", "activity activity", "entity entity"),
    "wasInformedBy": _of("depends_on", "informed activity", "informant activity"),
    "hadMember": _of("depends_on", "collection entity", "entity entity"),
    "specializationOf": _of("depends_on", "specificEntity entity", "generalEntity entity"),
    "mentionOf": _of("depends_on", "specificEntity entity", "generalEntity entity"),
    "wasAttributedTo": _of("attributed_to", "entity entity", "agent agent"),
    "wasAssociatedWith": _of("associated_with", "activity activity", "agent agent"),
    "actedOnBehalfOf": _of("acted_for", "delegate agent", "responsible agent"),
    "wasInfluencedBy": _of("influenced_by", "influencee entity", "influencer entity"),
    "alternateOf": _of("alternate_of", "alternate1 entity", "alternate2 entity"),
    "wasStartedBy": _of("started_by", "activity activity", "trigger entity", "starter activity"),
    "wasEndedBy": _of("ended_by", "activity activity", "trigger entity", "ender activity"),
    "wasInvalidatedBy": _of("invalidated_by", "entity entity", "activity activity"),
}
"""By their keys in a document."""
MEMBERS, INVALIDATION, DERIVATION = "hadMember", "wasInvalidatedBy", "wasDerivedFrom"
