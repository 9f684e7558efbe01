"""Run every notebook in a fresh kernel and keep its outputs: `make notebooks`.

What is kept is what nbval can compare: no times, no machine paths, no version of the machine's Python.
An unchanged notebook that is run again does not change by a byte.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parent.parent
QUIET = {"extra_arguments": ["--IPKernelApp.log_level=ERROR"]}
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def notebooks() -> list[Path]:
    return [ROOT / "index.ipynb", *sorted((ROOT / "chapters").glob("*.ipynb"))]


def run(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    here = {"metadata": {"path": path.parent}}
    NotebookClient(
        notebook, timeout=120, record_timing=False, coalesce_streams=True, resources=here, **QUIET
    ).execute()
    notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    nbformat.write(notebook, path)


if __name__ == "__main__":
    chosen = [Path(name).resolve() for name in sys.argv[1:]] or notebooks()
    for path in chosen:
        print(path.relative_to(ROOT), flush=True)
        run(path)
