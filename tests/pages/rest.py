"""When what moves has come to rest: a glide, a jump, a page above that is laid out."""

# An element (or the whole page) has the same place in the window and in the page for ten frames.
RESTS = """e => new Promise((rests) => { let at = '', still = 0; const look = () => {
  const {x, y} = (e || document.body).getBoundingClientRect();
  const now = `${x} ${y} ${scrollY} ${document.documentElement.scrollHeight}`;
  still = now === at ? still + 1 : 0; at = now;
  if (still < 10) requestAnimationFrame(look); else rests();
}; look(); })"""


def at_rest(element):
    """Wait until an element, or the page of a tab, stands still."""
    element.evaluate(RESTS)
    return element
