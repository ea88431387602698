"""Synthetic session logs: turns with tool calls, prunings of tool results, compactions nested in compactions."""

import numpy as np
import polars as pl

OP = pl.Struct({"op": pl.String, "start": pl.Int64, "end": pl.Int64})
START = 1_767_225_600_000_000


BLOCK = 20


def events(length: int, session: str = "s", seed: int = 7) -> pl.DataFrame:
    """One log of this length: two thirds of it log-only, a tenth of it replacements, tool results cited by answers.

    A block of twenty events: a question, a tool result, an answer that cites it, three more answers, and twelve
    log-only events between them; then a pruning of the tool result, and a compaction of the block into one message.
    Every tenth block compacts the nine summaries before it as well.
    """
    rng = np.random.default_rng(seed)
    seqs = np.arange(length)
    place = seqs % BLOCK
    block = seqs - place
    kinds = np.full(BLOCK, "assistant/chunk", object)
    kinds[[0, 4, 7, 18]] = "user/message", "tool/result", "assistant/message", "tool/result"
    kinds[[9, 11, 13, 19]] = "assistant/message"
    types = kinds[place].astype(str)
    does = np.full(BLOCK, None, object)
    does[[0, 4, 7, 9, 11, 13]] = "append"
    does[[18, 19]] = "replace"
    op = does[place]
    start = np.where(place == 18, block + 4, np.where(place == 19, block, -1))
    end = np.where(place == 18, block + 4, np.where(place == 19, block + 13, -1))
    wide = (place == 19) & (block // BLOCK % 10 == 9)
    start[wide] = block[wide] - 9 * BLOCK + 19
    cites: list[list[int] | None] = [None] * length
    for at in np.flatnonzero(np.isin(place, [7, 18, 19])).tolist():
        base = at - at % BLOCK
        if at % BLOCK != 19:
            cites[at] = [base + 4]
        else:
            earlier = range(base - 9 * BLOCK + 19, base, BLOCK) if base // BLOCK % 10 == 9 else ()
            cites[at] = [*earlier, base, base + 18, base + 7, base + 9, base + 11, base + 13]
    payload = np.where(
        types == "tool/result",
        '{"message": {"role": "tool", "content": [{"type": "text", "content": "0123456789"}]}}',
        '{"message": {"role": "user", "content": []}}',
    )
    jitter = rng.integers(0, 500_000, length)
    return pl.DataFrame(
        {
            "session_id": pl.Series([session], dtype=pl.String).new_from_index(0, length),
            "seq": seqs,
            "time": pl.Series(START + seqs * 1_000_000 + jitter).cast(pl.Datetime("us", "UTC")),
            "type": types,
            "op": pl.Series(op, dtype=pl.String),
            "start": np.where(start >= 0, start, 0),
            "end": np.where(end >= 0, end, 0),
            "replaces": place >= 18,
            "source_event_seqs": pl.Series(cites, dtype=pl.List(pl.Int64)),
            "payload": payload,
        }
    ).select(
        "session_id",
        "seq",
        "time",
        "type",
        pl.when(pl.col("op").is_not_null())
        .then(
            pl.struct(
                "op",
                pl.when("replaces").then("start").alias("start"),
                pl.when("replaces").then("end").alias("end"),
            )
        )
        .cast(OP)
        .alias("surface_op"),
        "source_event_seqs",
        "payload",
    )


def plain_fold(records: list[dict]) -> dict[int, int]:
    """The peer: a plain Python fold over dicts that finds what replaced what, and checks the same rules on the way."""
    surface: list[int] = []
    replaced_by: dict[int, int] = {}
    for position, record in enumerate(records):
        if record["seq"] != position:
            raise ValueError(position)
        op, cites = record["surface_op"], record["source_event_seqs"]
        if op is None:
            continue
        if cites is not None and (len(set(cites)) != len(cites) or any(not 0 <= seq < position for seq in cites)):
            raise ValueError(position)
        if op["op"] == "append":
            surface.append(position)
            continue
        # What is replaced stands near the end, so the search begins there.
        last = len(surface) - 1 - surface[::-1].index(op["end"]) if surface[-1] != op["end"] else len(surface) - 1
        first = last
        while surface[first] != op["start"]:
            first -= 1
        removed = surface[first : last + 1]
        if not set(removed) <= set(cites or ()):
            raise ValueError(position)
        for seq in removed:
            replaced_by[seq] = position
        surface[first : last + 1] = [position]
    return replaced_by
