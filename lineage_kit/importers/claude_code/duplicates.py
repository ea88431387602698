"""Records that were written more than once: again in one file, or copied by a resume or a fork into another.

The same uuid, type and message is the same event. One of the files that hold it owns it; in the others it is
inherited, and no event. Whether two records of one uuid say the same is found by looking at just those again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from lineage_kit.importers.claude_code.digests import content_digests
from lineage_kit.importers.claude_code.file_index import NO_TIME, FileIndex, among, firsts
from lineage_kit.importers.pipeline.context import Import

Ints = npt.NDArray[np.int64]
EVENT, DUPLICATE, INHERITED = range(3)


@dataclass
class Records:
    """All records of all files, numbered through like their staged rows."""

    indexes: Sequence[FileIndex]
    ids: Sequence[str]
    """What session each file is of, before two of one name are told apart."""
    uuid: Ints
    file: npt.NDArray[np.int32]
    """The place of its file in `indexes`."""
    status: npt.NDArray[np.uint8]
    """EVENT, DUPLICATE or INHERITED."""
    canon: Ints
    """The record that stands for it: itself, its first copy, or that of its owner."""
    reused: list[int] = field(default_factory=list)
    """Records whose uuid was used before for other content."""
    shared: dict[int, Counter[int]] = field(default_factory=dict)
    """By file: the files that hold records which it inherited, and rank before it."""
    ranks: dict[int, tuple[bool, int, int, str]] = field(default_factory=dict)
    """By file, how it ranks among the owners of what it shares; the first owns."""
    _by_uuid: tuple[Ints, Ints] | None = None
    _first: dict[int, tuple[Ints, Ints]] = field(default_factory=dict)

    def find(self, keys: Ints, file: int | None) -> Ints:
        """The records that hashed uuids mean, in one file or in all; -1 for none. The first of several."""
        if file is not None and len(self.indexes) > 1:
            if file not in self._first:
                index = self.indexes[file]
                known, first = firsts(index.uuid)
                self._first = {file: (known, first + index.base)}
            return look_up(self._first[file], keys)
        if self._by_uuid is None:
            self._by_uuid = firsts(self.uuid)
        return look_up(self._by_uuid, keys)


def look_up(known: tuple[Ints, Ints], keys: Ints) -> Ints:
    """What is known of each key: of keys in order, and a number for each; -1 for one that is not there, and for 0.

    Example:
        >>> look_up((np.array([5, 7]), np.array([1, 0])), np.array([7, 6, 5])).tolist()
        [0, -1, 1]
    """
    ordered, numbers = known
    if not ordered.size:
        return np.full(keys.size, -1, np.int64)
    at = np.minimum(np.searchsorted(ordered, keys), ordered.size - 1)
    return np.where((ordered[at] == keys) & (keys != 0), numbers[at], -1)


def records_of_all(indexes: Sequence[FileIndex], ids: Sequence[str], work: Import) -> Records:
    """Number the records of all files through, and find out which are copies.

    Args:
        indexes: the files, in order; a file that is none of a session is not among them.
        ids: what session each is of.
        work: the import, whose staged rows are those of all files.
    """
    total = len(work.staged)
    uuid, file = np.zeros(total, np.int64), np.full(total, -1, np.int32)
    for place, index in enumerate(indexes):
        uuid[index.base : index.base + index.count] = index.uuid
        file[index.base : index.base + index.count] = place
    found = Records(indexes, ids, uuid, file, np.zeros(total, np.uint8), np.arange(total, dtype=np.int64))
    ordered = np.sort(uuid)
    twice = ordered[1:][(ordered[1:] == ordered[:-1]) & (ordered[1:] != 0)]
    repeated = np.flatnonzero(among(uuid, twice))
    if repeated.size:
        _settle(found, list(_groups(found, repeated, work)))
    return found


def _groups(found: Records, repeated: Ints, work: Import) -> Iterator[list[int]]:
    """Records that are the same event, in the order of files and lines; those of one uuid one after the other."""
    # Files are numbered in the order of their records.
    begins = np.flatnonzero(np.diff(found.file[repeated], prepend=-1))
    parts = np.split(repeated, begins[1:])
    content = content_digests([(found.indexes[found.file[part[0]]], part) for part in parts], work)
    order = np.lexsort((repeated, content, found.uuid[repeated]))
    keys = np.stack([found.uuid[repeated][order], content[order]])
    starts = np.flatnonzero(np.concatenate([[True], (keys[:, 1:] != keys[:, :-1]).any(axis=0), [True]]))
    for begin, end in pairwise(starts.tolist()):
        yield repeated[order[begin:end]].tolist()


def _settle(found: Records, groups: list[list[int]]) -> None:
    """Which copy of each event stands for the others."""
    file_of = found.file
    copies: list[tuple[tuple[int, ...], tuple[bool, ...], list[int]]] = []
    patterns: Counter[tuple[int, ...]] = Counter()
    for group in groups:
        first: dict[int, int] = {}
        for one in group:
            copy = first.setdefault(int(file_of[one]), one)
            if copy != one:
                found.status[one], found.canon[one] = DUPLICATE, copy
        if len(first) > 1:
            files = tuple(first)
            patterns[files] += 1
            copies.append((files, _marked_as_copies(found, first), list(first.values())))
    ranks = found.ranks = _ranks(found, patterns, [one for *_, members in copies for one in members])
    for files, marked, members in copies:
        original = [place for place, copied in enumerate(marked) if not copied] or list(range(len(files)))
        owner = min(original, key=lambda place: ranks[files[place]])
        for place, one in zip(files, members, strict=True):
            if one != members[owner]:
                found.status[one], found.canon[one] = INHERITED, members[owner]
                counts = found.shared.setdefault(place, Counter())
                before = (other for other in files if ranks[other] < ranks[place])
                counts.update({files[owner], *before})
    of_copies = np.flatnonzero(found.status == DUPLICATE)
    found.canon[of_copies] = found.canon[found.canon[of_copies]]
    _reused(found, groups)


def _marked_as_copies(found: Records, first: dict[int, int]) -> tuple[bool, ...]:
    """Which copies are said to be copies: from another session, or of one that another file here is of."""
    marked = []
    for place, one in first.items():
        index = found.indexes[place]
        says = index.sids[int(index.sid[one - index.base])]
        others = {found.ids[other] for other in first if other != place}
        marked.append(one - index.base in index.copied or (says != found.ids[place] and says in others))
    return tuple(marked)


def _ranks(
    found: Records, patterns: Counter[tuple[int, ...]], members: list[int]
) -> dict[int, tuple[bool, int, int, str]]:
    """By file, how it ranks among owners: files that are whole in another first, then by their own earliest record."""
    is_shared = np.zeros(found.uuid.size, np.bool_)
    is_shared[members] = True
    ranks: dict[int, tuple[bool, int, int, str]] = {}
    for place in sorted({one for files in patterns for one in files}):
        index = found.indexes[place]
        part = slice(index.base, index.base + index.count)
        own = (index.uuid != 0) & ~is_shared[part] & (found.status[part] == EVENT)
        holders: set[int] | None = None
        if not own.any():
            for files in patterns:
                if place in files:
                    holders = set(files) if holders is None else holders & set(files)
        within = len((holders or set()) - {place}) > 0
        size = sum(count for files, count in patterns.items() if place in files) if within else 0
        timed = index.time[own & (index.time != NO_TIME)]
        earliest = int(timed.min()) if timed.size else np.iinfo(np.int64).max
        ranks[place] = (not within, size, earliest, index.file.name)
    return ranks


def _reused(found: Records, groups: list[list[int]]) -> None:
    """Events whose uuid was first used for something else."""
    seen: dict[int, int] = {}
    for group in sorted(groups):
        key = int(found.uuid[group[0]])
        if key in seen:
            found.reused += sorted({int(found.canon[one]) for one in group})
        seen.setdefault(key, group[0])
