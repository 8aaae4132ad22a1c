"""What a change of a live figure costs the browser: it styles the figure again, and not the page."""

import json

import pytest

CHANGE = """async e => {
  const input = e.querySelector('.live-control :is(input, select)');
  for (const text of ['5 chiama 2', 'Pietro chiama Paolo']) {
    if (input.type === 'text') input.value = text;
    else if (input.type === 'range') input.value = +input.value === +input.max ? input.min : input.max;
    else input.checked = !input.checked;
    input.dispatchEvent(new Event('input', {bubbles: true}));
    e.getBoundingClientRect();
    await new Promise((goesOn) => setTimeout(goesOn, 120));
  }
}"""

LAID_OUT = "() => far && !far.length && document.querySelector('.laid-out')"  # all that is far


@pytest.mark.parametrize(
    "page, keys",
    [
        ("notebooks/11_attention.html", ["attention", "attention_steps"]),
        ("notebooks/13_feed_forward.html", ["units"]),
        ("notebooks/23_inside_the_model.html", ["ablation", "lens"]),
    ],
)
def test_a_change_of_a_figure_leaves_the_style_of_the_page_alone(browser, bases, tmp_path, page, keys):
    """A rule with :has() that a part of the figure meets had thousands of elements styled."""
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(bases["http"] + page)
    tab.evaluate("document.querySelectorAll('details.deeper').forEach((fold) => { fold.open = true; })")
    whole = tab.evaluate("document.querySelectorAll('*').length")
    for key in keys:
        figure = tab.locator(f"live-figure[data-key={key}]")
        figure.scroll_into_view_if_needed()
        figure.locator(".live-panel").wait_for(state="attached")
        tab.wait_for_function(LAID_OUT)
        tab.wait_for_timeout(1000)
        trace = tmp_path / f"{key}.json"
        browser.start_tracing(page=tab, path=trace, categories=["devtools.timeline"])
        figure.evaluate(CHANGE)
        browser.stop_tracing()
        events = json.loads(trace.read_text(encoding="utf8"))["traceEvents"]
        recalculated = [event["args"] for event in events if event["name"] == "UpdateLayoutTree"]
        styled = [counts.get("elementCount", 0) for counts in recalculated]
        own = figure.evaluate("e => e.querySelectorAll('*').length")
        print(
            f"{key}: {sum(styled)} elements styled in two changes; {own} in the figure, {whole} on the page"
        )
        assert 0 < sum(styled) < 2 * own + whole / 20
    context.close()
