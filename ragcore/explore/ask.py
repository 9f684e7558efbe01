"""A box for the reader's own question: one object, two faces, like a `Figure`.

    Ask("own-question", language="cs", analyzer="stems")

In a live notebook the kernel answers. On the published page no Python runs until the reader wants it: then `ask.js`
starts `ask-worker.js`, which loads Python and this package from the site itself. Both faces show what
`ragcore.figures.asking.answer` gives.

The book's build puts Python beside the pages (`book/runtime.py`) and tells the box where it is; if it has none, it
takes the box out of the page.
"""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from ..analysis import ANALYZERS
from .controls import Menu
from .html import tag, write

LANGUAGES = {"cs": "Czech", "en": "English"}
LABEL = "Your question"
WITHOUT_SCRIPTS = "Here is a box for a question of your own. It needs scripts, or a running notebook."


class Ask:
    """A box that ranks the corpus for a question that the reader types; evaluating it in a notebook shows it.

    name: small letters, digits and hyphens, unique on its page. language, analyzer: where its menus start.
    Raises ValueError for another name, for a language without a corpus, for an analyzer that is not the book's.
    """

    def __init__(self, name: str, language: str = "cs", analyzer: str = "stems"):
        if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
            raise ValueError(f"name of a box {name!r}: use small letters, digits and hyphens, a letter first")
        self.name = name
        self.menus = [
            Menu("analyzer", list(ANALYZERS), analyzer, "Terms"),
            Menu("language", LANGUAGES, language, "Corpus"),
        ]

    @cached_property
    def html(self) -> str:
        """The face on a page: a form (hidden until `ask.js` is there), a sentence, a place for the answer."""
        key = f"{self.name}.question"
        box = tag("input", type="text", id=key, name="question", enterkeyhint="search", spellcheck="false")
        question = tag("div", tag("label", LABEL, for_=key), box, class_="explore-field explore-question")
        form = tag("form", question, *map(self._field, self.menus), tag("button", "Ask"),
                   class_="explore-controls", hidden="hidden", autocomplete="off")  # fmt: skip
        status = tag("p", WITHOUT_SCRIPTS, class_="explore-status", role="status", aria_live="polite")
        answer = tag("div", class_="explore-body")
        return write(tag("figure", form, status, answer, class_="explore explore-ask", id=self.name))

    def _field(self, menu: Menu) -> Element:
        key = f"{self.name}.{menu.name}"
        options = [tag("option", label, value=value) for label, value in zip(menu.labels, menu.values, strict=True)]
        options[menu.start].set("selected", "selected")
        select = tag("select", *options, id=key, name=menu.name)
        return tag("div", tag("label", menu.label, for_=key), select, class_="explore-field")

    def widget(self) -> Any:
        """The face in a live kernel: Enter asks, and so does a choice in a menu."""
        try:
            import ipywidgets
        except ModuleNotFoundError:
            raise ModuleNotFoundError("the box needs ipywidgets: pip install 'ragcore[figures]'") from None
        from ..figures.asking import answer  # figures are made with this package, so not at its import

        wide = {"style": {"description_width": "initial"}, "layout": {"width": "min(32rem, 95%)"}}
        question = ipywidgets.Text(description=LABEL, continuous_update=False, **wide)
        menus = [
            ipywidgets.Dropdown(
                options=list(zip(menu.labels, menu.values, strict=True)),
                index=menu.start,
                description=menu.label,
                **wide,
            )
            for menu in self.menus
        ]
        css = (Path(__file__).parent / "player.css").read_text(encoding="utf-8")
        view = ipywidgets.HTML()

        def show(_: Any = None) -> None:
            chosen = {menu.name: field.value for menu, field in zip(self.menus, menus, strict=True)}
            body = f'<div class="explore-body">{answer(question.value, **chosen)}</div>'
            view.value = f'<style>{css}</style><div class="explore explore-ask">{body}</div>'

        for field in (question, *menus):
            field.observe(show, names="value")
        show()
        return ipywidgets.VBox([question, *menus, view])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if os.environ.get("RAGCORE_FIGURES") == "page":
            return {"text/html": self.html, "text/plain": repr(self)}
        bundle: dict[str, Any] = self.widget()._repr_mimebundle_()
        return bundle

    def __repr__(self) -> str:
        start = ", ".join(f"{menu.label.lower()} {menu.labels[menu.start]}" for menu in self.menus)
        return f"Ask {self.name}: {start}"
