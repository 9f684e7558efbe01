"""The face in a live kernel: the same controls as ipywidgets, every move draws anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .html import tag, write

if TYPE_CHECKING:
    from .figure import Figure


def widget(figure: Figure) -> Any:
    """A figure as one ipywidgets box; the picture is replaced in one piece, so it does not flicker."""
    try:
        import ipywidgets
    except ModuleNotFoundError:
        raise ModuleNotFoundError("interactive figures need ipywidgets: pip install 'ragcore[figures]'") from None
    css = (Path(__file__).parent / "player.css").read_text(encoding="utf-8")
    inputs = {}
    for control in figure.controls:
        kind = ipywidgets.Dropdown if control.kind == "menu" else ipywidgets.SelectionSlider
        inputs[control.name] = kind(
            options=list(zip(control.labels, control.values, strict=True)),
            index=control.start,
            description=control.label,
            style={"description_width": "initial"},
            layout={"width": "min(32rem, 95%)"},
        )
    view = ipywidgets.HTML()

    def show(_: Any = None) -> None:
        try:
            state = figure.view(**{name: chosen.value for name, chosen in inputs.items()})
        except ValueError as error:  # an impossible combination says why
            state = tag("p", str(error), class_="explore-sentence explore-invalid")
        view.value = f'<style>{css}</style><div class="explore">{write(state)}</div>'

    for chosen in inputs.values():
        chosen.observe(show, names="value")
    show()
    return ipywidgets.VBox([*inputs.values(), view, ipywidgets.HTML(write(tag("em", figure.caption)))])
