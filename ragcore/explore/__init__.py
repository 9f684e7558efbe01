"""Interactive figures that work on a published page, without a kernel, and in a live notebook."""

from .ask import Ask
from .controls import Menu, Slider
from .figure import Figure, State
from .html import table, tag
from .page import check_page
from .source import source

__all__ = ["Ask", "Figure", "Menu", "Slider", "State", "check_page", "source", "table", "tag"]
