"""The surface of a session while it is planned: what stands on it, and what a replacement takes away."""

from __future__ import annotations

from collections.abc import Callable


class Standing:
    """The seqs that stand on the surface, in its order.

    Example:
        >>> standing = Standing()
        >>> for seq in (0, 2, 3):
        ...     standing.append(seq)
        >>> standing.replace(5, lambda seq: seq < 3)
        [0, 2]
        >>> standing.order
        [5, 3]
    """

    def __init__(self) -> None:
        self.order: list[int] = []

    def append(self, seq: int) -> None:
        """One more at the end."""
        self.order.append(seq)

    def replace(self, seq: int, within: Callable[[int], bool] | None = None) -> list[int]:
        """Put `seq` in the place of what still stands of a range, from the first of it to the last; None means all.

        Gives what was removed, in surface order. Where nothing stands, `seq` is appended and the list is empty.
        """
        if within is None:
            places = range(len(self.order))
        else:
            wanted = [place for place, one in enumerate(self.order) if within(one)]
            places = range(wanted[0], wanted[-1] + 1) if wanted else range(0)
        if not places:
            self.order.append(seq)
            return []
        removed = self.order[places.start : places.stop]
        self.order[places.start : places.stop] = [seq]
        return removed
