"""What displays show of each result, one file a result: `summary`, `tree`, `graph_data`, `to_json`, `csv_frame`.

A file registers those of the five functions of `view/generic.py` that its result has. All files of this folder are
loaded by name when the first result is shown, so that a new result needs its file and no line elsewhere.
"""
