"""What a figure would draw, written down instead of rastered."""

from matplotlib.backend_bases import RendererBase


class Recorder(RendererBase):
    """Writes down each path, picture and word with its place; Agg spends half of its time on letters."""

    def __init__(self, fig):
        super().__init__()
        self.size, self.drawn = fig.bbox.size, []

    def get_canvas_width_height(self):
        """Width and height in pixels."""
        return self.size

    def get_text_width_height_descent(self, s, prop, ismath):
        """As if all letters were equally wide."""
        return len(s) * prop.get_size_in_points() / 2, prop.get_size_in_points(), 0

    def draw_path(self, gc, path, transform, rgbFace=None):
        """A line or an area, with its colours."""
        place = transform.transform_path(path).vertices.round(2).tobytes()
        self.drawn.append((place, gc.get_rgb(), gc.get_linewidth(), rgbFace and tuple(rgbFace)))

    def draw_image(self, gc, x, y, im, transform=None):
        """A picture, pixel by pixel."""
        self.drawn.append((x, y, im.tobytes()))

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        """Words at a place."""
        self.drawn.append((x, y, s, gc.get_rgb(), angle))


def drawn(fig):
    """All that a figure draws, without its own layout, which takes most of the time."""
    fig.set_layout_engine("none")
    fig.set_dpi(40)
    recorder = Recorder(fig)
    fig.draw(recorder)
    return tuple(recorder.drawn)
