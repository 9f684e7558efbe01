"""The code of the package, shown in a chapter: never typed again, so never out of date."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from textwrap import dedent
from typing import Any


@dataclass(frozen=True)
class Source:
    """Python source that a notebook shows as highlighted code."""

    text: str

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/markdown": f"```python\n{self.text}\n```", "text/plain": self.text}


def source(*functions: Callable[..., Any] | type) -> Source:
    """The source of one or more functions or classes, as it stands in the package."""
    return Source("\n\n".join(dedent(inspect.getsource(function)).rstrip() for function in functions))
