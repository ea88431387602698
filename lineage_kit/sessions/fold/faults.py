"""What is wrong with a log: one violation, and the first of each rule while a fold goes on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


class Fault(NamedTuple):
    """What is wrong with one event: at which position of the log, under which rule, and what was found."""

    position: int
    seq: int | None
    rule: str
    found: str
    expected: str

    @property
    def message(self) -> str:
        """The violation in words.

        Example:
            >>> Fault(3, 3, "a citation is an earlier event", "[5]", "smaller integers").message
            'seq 3: a citation is an earlier event; found [5], expected smaller integers'
        """
        where = f"seq {self.seq}" if self.seq is not None else f"position {self.position}"
        return f"{where}: {self.rule}; found {self.found}, expected {self.expected}"


class Faults:
    """The first violation of each rule in each log, by position; of one event, the one added first comes first.

    Attributes:
        first: the first violation of every unsound log, by the number of the log.
    """

    def __init__(self, number: Ints, seq: Ints, known: dict[int, Fault]) -> None:
        self._number, self._seq = number, seq
        self.first = known
        self._by_rule = {(log, fault.rule): fault for log, fault in known.items()}

    def add(self, rows: Ints, rule: str, found: Any, expected: str) -> None:
        """Rows that break a rule; `found` is a text, or a function of the row."""
        if not rows.size:
            return
        of_log, place = np.unique(self._number[rows], return_index=True)
        for log, row in zip(of_log.tolist(), rows[place].tolist(), strict=True):
            position = int(self._seq[row])
            earlier = self._by_rule.get((log, rule))
            if earlier is not None and earlier.position <= position:
                continue
            fault = Fault(position, position, rule, found(row) if callable(found) else found, expected)
            self._by_rule[log, rule] = fault
            if log not in self.first or position < self.first[log].position:
                self.first[log] = fault

    def every(self) -> dict[int, list[Fault]]:
        """All of them, by log, in log order; one an event, the one added first."""
        found: dict[int, dict[int, Fault]] = {}
        for (log, _), fault in self._by_rule.items():
            found.setdefault(log, {}).setdefault(fault.position, fault)
        return {log: [faults[position] for position in sorted(faults)] for log, faults in found.items()}
