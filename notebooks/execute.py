"""Run the notebooks anew and keep their outputs, without anything that differs between two runs."""

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent
WIDGET = "application/vnd.jupyter.widget-view+json"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def executed(path: Path) -> nbformat.NotebookNode:
    """The notebook as a fresh kernel, started in an empty folder, runs it; an error in a cell is raised."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            record_timing=False,
            coalesce_streams=True,
            extra_arguments=["--log-level=ERROR"],  # the kernel warns that it listens on this machine
        )
        client.execute()
    return plain(notebook)


def plain(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook with the metadata of METADATA and no other, and without the random names of widgets."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = nbformat.NotebookNode()
        for output in cell.get("outputs", []):
            if "metadata" in output:
                output.metadata = nbformat.NotebookNode()
            output.get("data", {}).pop(WIDGET, None)
    return notebook


def main(names: list[str]) -> None:
    for path in [FOLDER / name for name in names] or sorted(FOLDER.glob("*.ipynb")):
        nbformat.write(executed(path), path)
        print(path.name)


if __name__ == "__main__":
    main(sys.argv[1:])
