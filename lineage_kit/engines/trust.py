"""How much an edge is trusted: its class, then its confidence, in one number."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lineage_kit.engines.integer_arrays import Ints

TRUST = {"asserted": 0, "observed": 1}
"""How much an edge class is trusted, the lower the more; every other class comes after."""
UNTRUSTED = 2


def qualities(trust: Ints, confidence: npt.NDArray[np.float64], levels: npt.NDArray[np.float64] | None = None) -> Ints:
    """One number an edge for (class, confidence), the lower the better: asserted first, then high confidence first.

    `confidence` has NaN for null, which comes last within a class; `levels`, the distinct confidences in ascending
    order, are found where they are not given.

    Example:
        >>> qualities(np.array([0, 0, 1]), np.array([0.5, np.nan, 0.9])).tolist()
        [1, 2, 3]
    """
    if levels is None:
        levels = np.unique(confidence[~np.isnan(confidence)])
    place = levels.size - 1 - np.searchsorted(levels, confidence)
    place[np.isnan(confidence)] = levels.size
    return trust.astype(np.int64) * (levels.size + 1) + place
