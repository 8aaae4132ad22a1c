"""What a chapter shows: figures, tables, source, checks, and the numbers that its prose is bound to."""

from support.view import diagram, style
from support.view.bound import bind
from support.view.dots import plot_dots
from support.view.ends import name_lines
from support.view.exercise import check
from support.view.figure import show
from support.view.grids import plot_attention, plot_heatmap
from support.view.history import plot_history
from support.view.listing import source
from support.view.live import live
from support.view.maps import plot_map, plot_path
from support.view.notes import name_at, note
from support.view.plots import plot_bars, plot_lines, plot_points
from support.view.quiz import quiz
from support.view.tables import matrix, power_of_ten, table
from support.view.words import plot_merges, plot_words

__all__ = [
    "bind",
    "check",
    "diagram",
    "live",
    "matrix",
    "name_at",
    "name_lines",
    "note",
    "plot_attention",
    "plot_bars",
    "plot_dots",
    "plot_heatmap",
    "plot_history",
    "plot_lines",
    "plot_map",
    "plot_merges",
    "plot_path",
    "plot_points",
    "plot_words",
    "power_of_ten",
    "quiz",
    "show",
    "source",
    "style",
    "table",
]
