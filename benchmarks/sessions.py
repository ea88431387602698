"""The fold: one long log against plain Python, and a whole corpus at growing size."""

import resource
from pathlib import Path

import polars as pl

from benchmarks.measure import in_turn
from benchmarks.results import Section
from benchmarks.session_logs import events, plain_fold
from lineage_kit import MemorySessions, ParquetSessions, SessionCorpus, SessionLog

SESSION_LENGTH = 1_000


def one_log(length: int, runs: int, folder: Path, section: Section) -> None:
    """Every trace of one log, from Parquet; the peer finds what replaced what, and nothing else."""
    log = events(length)
    stored = _stored(log, pl.DataFrame({"session_id": ["s"]}), folder / f"log-{length}")
    records = log.select("seq", "surface_op", "source_event_seqs").to_dicts()
    ours = stored.event_traces("s").filter(pl.col("replaced_by").is_not_null()).select("seq", "replaced_by")
    if dict(ours.iter_rows()) != plain_fold(records):
        raise SystemExit("the peers disagree about the replacements; nothing was timed")
    short = events(100_000)
    live = SessionCorpus(live=MemorySessions([SessionLog.from_frames({"session_id": "s"}, short)]))
    seconds = in_turn(
        {
            "lineage_kit: event_traces from Parquet": lambda: stored.event_traces("s"),
            "plain Python: fold over dicts already in memory": lambda: plain_fold(records),
            "lineage_kit: trace_event, 100,000 events in memory": lambda: live.trace_event("s", 4),
        },
        runs,
    )
    base = "plain Python: fold over dicts already in memory"
    section.medians(f"{length:,} events, {length // 10:,} replacements", seconds, base)
    rate = length / seconds["lineage_kit: event_traces from Parquet"]
    section.note(f"{rate:,.0f} events a second.")


def corpus(length: int, runs: int, folder: Path, section: Section) -> None:
    """Check and trace whole corpora of 1x, 2x and 4x the events, in sessions of a thousand."""
    seconds = {}
    for factor in (1, 2, 4):
        count = factor * length // SESSION_LENGTH
        one = events(SESSION_LENGTH)
        names = [f"session-{number:06}" for number in range(count)]
        sessions = pl.DataFrame({"session_id": names})
        whole = sessions.join(one.drop("session_id"), how="cross")
        stored = _stored(whole, sessions, folder / f"corpus-{count}")
        del whole

        def both(stored: SessionCorpus = stored) -> None:
            assert stored.check().is_empty()
            assert stored.event_traces().height

        seconds[f"{count:,} sessions, {count * SESSION_LENGTH:,} events: check and event_traces"] = both
    medians = in_turn(seconds, max(1, runs // 2))
    section.medians("A whole corpus", medians, next(iter(medians)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    section.note(f"Peak memory of the measuring process {peak:.1f} GB.")


def _stored(log: pl.DataFrame, sessions: pl.DataFrame, folder: Path) -> SessionCorpus:
    folder.mkdir(parents=True, exist_ok=True)
    sessions.write_parquet(folder / "sessions.parquet")
    log.write_parquet(folder / "events.parquet", row_group_size=100_000)
    paths = {"sessions": folder / "sessions.parquet", "events": folder / "events.parquet"}
    return SessionCorpus(persisted=ParquetSessions(**paths))
