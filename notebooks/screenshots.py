"""Take the pictures of README and docs anew: the explorers of the notebooks, as JupyterLab shows them in Chromium."""

import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.browser import running  # noqa: E402
from support.lab import LabPage, serving  # noqa: E402

NOTEBOOK = ROOT / "notebooks" / "04_explore.ipynb"
PICTURES = ROOT / "docs"
SETTINGS = {"viewport": {"width": 1500, "height": 1400}, "device_scale_factor": 1, "color_scheme": "light"}
# By picture: the code cell whose output is taken, and what to do in Python first.
SHOTS = {
    "lineage_explorer.png": ("look-explorer", "explorer.selected = ('evidence', 'ev-7f3a91c2')"),
    "session_explorer.png": ("sessions-explorer", "sessions.selected = 51"),
}


def main() -> None:
    """Run the notebook and take every picture."""
    import nbformat

    names = [cell.id for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code"]
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        folder, home = Path(place) / "folder", Path(place) / "home"
        for made in (folder, home):
            made.mkdir()
        shutil.copy(NOTEBOOK, folder)
        with (
            serving(folder, home) as lab,
            running() as browser,
            LabPage.opened(browser, lab, NOTEBOOK.name, **SETTINGS) as page,
        ):
            page.run_all()
            for picture, (cell, first) in SHOTS.items():
                page.python(first)
                output = page.output(names.index(cell))
                output.locator(".lk-graph canvas, .lk-session .lk-row").first.wait_for()
                page.page.wait_for_timeout(800)  # the picture moves to what was selected
                page.screenshot(PICTURES / picture, output)
                print(picture)


if __name__ == "__main__":
    main()
