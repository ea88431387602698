"""From `show()` to the first paint, in real JupyterLab in headless Chromium."""

import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks.results import Section, shown

ROOT = Path(__file__).resolve().parents[1]
SIZES = (50, 500, 5_000, 50_000)
# A lineage of any size: levels that widen, each node resting on two of the next level.
SETUP = """
import time
import polars as pl
import lineage_kit

nodes, levels = {size}, 8
widths = [max(1, nodes * (level + 1) // sum(range(1, levels + 1))) for level in range(levels)]
edges = [("decision", "d", "claim", f"0-{{place}}") for place in range(widths[0])]
for level in range(1, levels):
    above, width = widths[level - 1], widths[level]
    edges += [("claim", f"{{level - 1}}-{{place % above}}", "claim", f"{{level}}-{{place}}") for place in range(width)]
    edges += [("claim", f"{{level - 1}}-{{7 * n % above}}", "claim", f"{{level}}-{{n}}") for n in range(width)]
frame = pl.DataFrame(edges, schema=["source_type", "source_id", "target_type", "target_id"], orient="row")
trace = lineage_kit.trace_lineage(frame.with_columns(relation_kind=pl.lit("depends_on")), "decision", "d", levels)
trace.show()._esm is None, trace.nodes.height  # what is read once in a process has been read
"""
SHOW = "began = time.time()\ntrace.show()"


def pictures(runs: int) -> Section:
    """Each size in a page of its own, `runs` times."""
    sys.path.insert(0, str(ROOT / "tests"))
    import nbformat
    from browser import running
    from lab import LabPage, serving

    section = Section("Pictures")
    section.note(
        "From the moment `trace.show()` is called in a cell of JupyterLab until the picture has been painted in "
        "headless Chromium, without a graphics card; at most 500 nodes are drawn at first."
    )
    rows = []
    with tempfile.TemporaryDirectory() as place, running() as browser:
        folder, home = Path(place) / "folder", Path(place) / "home"
        for made in (folder, home):
            made.mkdir()
        with serving(folder, home) as lab:
            for size in SIZES:
                seconds, drawn, total = [], 0, 0
                for run in range(runs):
                    cells = [nbformat.v4.new_code_cell(text) for text in (SETUP.format(size=size), SHOW)]
                    notebook = nbformat.v4.new_notebook(cells=cells)
                    notebook.metadata.kernelspec = {"display_name": "Python 3", "language": "python", "name": "python3"}
                    name = f"{size}-{run}.ipynb"
                    nbformat.write(notebook, folder / name)
                    with LabPage.opened(browser, lab, name) as page:
                        page.run_all()
                        found = page.output(1).locator(".lk-graph")
                        found.locator("canvas").first.wait_for()
                        handle = "root => root.parentElement.lineage"
                        page.page.wait_for_function(
                            "() => document.querySelector('.lk-graph')?.parentElement.lineage.painted()"
                        )
                        painted = found.evaluate(f"root => ({handle})(root).painted()") / 1000
                        seconds.append(painted - page.value("began"))
                        total = page.value("trace.nodes.height + 1")
                        drawn = page.value(
                            "sum(len(level['few']['nodes']) for level in trace.show().drawing['levels'])"
                        )
                target = "2 s or less" if size == 500 else ""
                rows.append((f"{total:,} nodes", f"{drawn:,}", shown(statistics.median(seconds)), target))
    section.table("From show() to the first paint", ("lineage", "drawn", "median", "target"), rows)
    return section
