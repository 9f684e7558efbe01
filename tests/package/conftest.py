"""What all tests of the package share."""

import contextlib
import io
import signal
from pathlib import Path
from typing import Any

import nbformat
from hypothesis import HealthCheck, settings

# a busy machine is no fault of the code: properties are not timed
settings.register_profile("book", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("book")

# whoever starts the tests in the background has Ctrl-C ignored, and the programs that they start would inherit that
signal.signal(signal.SIGINT, signal.default_int_handler)

CHAPTERS = Path(__file__).parents[2] / "chapters"


def names_in(chapter: str, figure: str = "") -> dict[str, Any]:
    """The names that a chapter's cells define when they are run: all of them, or those up to one of its figures."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in nbformat.read(CHAPTERS / f"{chapter}.ipynb", as_version=4).cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, "cell", "exec"), names)
                if figure and f'Figure("{figure}"' in cell.source:
                    return names
    if figure:
        raise ValueError(f"chapter {chapter} has no figure {figure!r}")
    return names
