"""What an import of relations can find: the closed list of its kinds, with what was found and what became of it."""

from __future__ import annotations

RELATION_KINDS: dict[str, str] = {
    # ---- of files and their lines
    "unparsed_line": "a line that is no JSON; left out",
    "torn_tail": "the last line was cut short; left out",
    "unparsed_file": "a file that is no JSON; left out",
    "glued_records": "several records stood on one line and were separated",
    "replaced_surrogates": "halves of surrogate pairs, which no UTF-8 text can hold, were replaced",
    "invalid_utf8": "bytes that are no UTF-8 were replaced",
    "empty_file": "a file without anything in it",
    "corrupt_log": "a file that could not be read to its end; imported up to the damage",
    "side_file": "a file that states nothing this format knows; left out",
    "bad_front_matter": "front matter that is no YAML; its lines were read one by one",
    # ---- of records
    "bad_record": "a record of the wrong shape; what could not be read of it was left out",
    "unknown_record": "a record of a kind this version does not know; left out",
    "not_an_event": "an object without job, run or dataset; left out",
    "duplicate_record": "the same record again; kept once",
    "missing_endpoint": "a relation without one of its ends; left out",
    "undeclared_endpoint": "an end that no record declares; its type is the one that its role asks for",
    "bad_time": "what stands where a time should is none; read as no time",
    "naive_time": "a time of day without a zone; read as no time. Hint: say which zone with --zone",
    "missing_time": "a record without the time that it must have; read as no time",
    "unknown_status": "a status this version does not know; kept as it is written",
    "unknown_result": "a result of something that no manifest names; left out",
    # ---- of relations
    "dangling_reference": "a relation that leads to nothing known; kept, with confidence 0",
    "disabled_reference": "a relation to something that is disabled; kept, with confidence 0",
    "ambiguous_reference": "a reference that several records answer to; no relation was made of it",
    "folded_alias": "another name of a dataset; its relations stand under one name",
    "parent_map_differs": "the map of parents says otherwise than the node itself; the node counts",
    "episode_list_differs": "fact and episode do not name each other; both were followed",
    "partial_export": "only a part of the relations was exported. Hint: export with --all --include-ended --json",
    # ---- of runs
    "reused_run_id": "one run id of several jobs; each is a run of its own",
    "failed_run": "a run that failed; what only failed runs say is invalid from the start",
    "unfinished_run": "a run without an end; what it says counts with confidence 0.5",
    "cross_product": "a run does not say which input an output rests on; each was written, with confidence 0.5",
    # ---- of what was replaced, or ended
    "inferred_supersession": "a replacement that nobody states, found by comparison; written as inferred",
    "ambiguous_supersession": "several candidates for one replacement; all were written, as inferred",
    "ended_without_successor": "something that was contradicted, and nothing found that replaced it",
    "superseded_without_successor": "a state of superseded, and no word of what replaced it",
    "one_sided_supersession": "a replacement that the replaced does not know: it still reads as in force",
    "pending_supersession": "a replacement that is not in force; written as proposes_to_supersede",
    "untimed_invalidation": "something ended at an unknown time; what rests on it is invalid from the start",
}
"""Every kind of finding of an import of relations, in one list."""
