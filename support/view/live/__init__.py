"""Live figures: `live` shows one; each stands in a folder of its own, with its JavaScript beside it."""

from support.view.live.description import LiveFigure
from support.view.live.registry import NAMES, find, scripts_of
from support.view.live.widget import live, widget

__all__ = ["NAMES", "LiveFigure", "find", "live", "scripts_of", "widget"]
