"""What a reader can choose: a slider over values with an order, a menu over values with names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class Control:
    """One choice: its name (an argument of `draw`), the values it can have, where it starts, how it reads.

    Raises ValueError for no values, for one twice, for a default that is not among them, and for labels that
    are not as many as the values.
    """

    name: str
    values: Sequence[Any]
    default: Any = None
    label: str = ""
    labels: Sequence[str] = ()
    kind: ClassVar[str]

    def __post_init__(self) -> None:
        values = list(self.values)
        if not values:
            raise ValueError(f"control {self.name!r} has no values")
        if len(set(map(str, values))) < len(values):
            raise ValueError(f"control {self.name!r} has a value twice: {values}")
        default = values[0] if self.default is None else self.default
        if default not in values:
            raise ValueError(f"the default {default!r} of control {self.name!r} is not on its grid {values}")
        labels = list(self.labels) or [str(value) for value in values]
        if not all(isinstance(label, str) for label in labels):
            raise TypeError(f"the labels of control {self.name!r} must be texts: {labels}")
        if len(labels) != len(values):
            raise ValueError(f"control {self.name!r} has {len(values)} values and {len(labels)} labels")
        for field, value in (("values", values), ("default", default), ("labels", labels)):
            object.__setattr__(self, field, value)
        object.__setattr__(self, "label", self.label or self.name)

    @property
    def start(self) -> int:
        """The place of the default among the values."""
        return list(self.values).index(self.default)


class Slider(Control):
    """A control whose values have an order: `Slider("k1", [0, 0.6, 1.2, 2], default=1.2, label="k₁")`."""

    kind = "slider"


class Menu(Control):
    """A control whose values are names: `Menu("question", {"q1": "What is induction?", …})`, or a plain list."""

    kind = "menu"

    def __init__(self, name: str, options: Mapping[str, str] | Sequence[Any], default: Any = None, label: str = ""):
        labels = list(options.values()) if isinstance(options, Mapping) else ()
        super().__init__(name, list(options), default, label, labels)
