"""What stands around the chapters: search, contents, menus, tables, glossary, timeline, scales."""

import json
import re
from itertools import pairwise

import pytest
import search_weights
from bs4 import BeautifulSoup
from rest import at_rest

NEAR = "(what) => Math.abs(document.querySelector(what).getBoundingClientRect().top) < 400"
CHAPTER = "notebooks/11_attention.html"
HITS = """() => [...document.querySelectorAll('#search-results > ul > li')].map(li => ({
  title: li.querySelector('a').innerText.replace(/\\s+/g, ' ').trim(),
  page: li.querySelector('a').pathname.split('/').pop(),
  hash: li.querySelector('a').hash, says: li.querySelector('.context')?.innerText || '', all: li.innerText,
  marked: [...li.querySelectorAll('.highlighted')].map(e => e.innerText.toLowerCase())}))"""
# What stands in the window has its excerpt, or has none in its page (a table, a list of claims).
TOLD = """() => [...document.querySelectorAll('#search-results > ul > li')].every(li =>
  !li.tell || 'told' in li.dataset || li.getBoundingClientRect().top > innerHeight)"""
DEFINED = "() => [...document.querySelectorAll('#search-results .context')].every(p => p.textContent)"
STATUS = "document.querySelector('.search-summary').textContent"


@pytest.fixture
def search(open_tab):
    """What the search shows for a query, from the first to the last."""

    def searched(query, way="http"):
        tab = open_tab(way, f"search.html?q={query.replace(' ', '+')}", loaded="domcontentloaded")
        tab.wait_for_selector("#search-results li a")
        if way == "http":
            tab.wait_for_selector("#search-results li .context")
            tab.wait_for_function(TOLD)
        tab.wait_for_function(DEFINED)
        assert tab.complaints == [] and tab.elsewhere == []
        return tab.evaluate(HITS)

    return searched


@pytest.mark.parametrize("way", ["http", "file"])
def test_a_search_shows_titles_first_the_glossary_once_and_the_package_last(search, way):
    hits = search("attention", way)
    assert hits[0]["title"] == "11 Attention"
    glossary = [k for k, hit in enumerate(hits) if hit["page"] == "glossary.html"]
    assert glossary == [1], "after the chapter that has it as its title"
    [hit] = [hits[k] for k in glossary]
    assert hit["title"] == "Attention" and "Attention head" in hit["all"] and "collects" in hit["says"]
    package = [hit["page"].startswith("api") for hit in hits]
    assert any(package) and package == sorted(package), "the package stands last"
    assert all("\\" not in hit["says"] for hit in hits), "no formula is shown twice"


def test_a_hit_leads_to_the_section_that_has_the_words_and_marks_whole_words(search, open_tab):
    hits = search("hallucination")
    assert hits[0]["title"] == "Hallucination" and hits[0]["page"] == "glossary.html"
    for hit in hits[:4]:
        assert (hit["says"] and hit["marked"]) or hit["page"] == "glossary.html", hit
        assert all(word.startswith("hallucinat") and len(word) > 12 for word in hit["marked"])
    [sampling] = [hit for hit in hits if hit["title"] == "21 Sampling"]
    tab = open_tab("http", f"notebooks/{sampling['page']}{sampling['hash']}")
    place = tab.locator(sampling["hash"])
    assert place.evaluate("e => e.localName") == "section" and "hallucination" in place.inner_text()
    tab.wait_for_function(NEAR, arg=sampling["hash"])


def test_the_word_itself_is_explained_first(search):
    first = search("token")[0]
    assert (first["title"], first["page"]) == ("Token", "glossary.html") and "token" in first["all"]


def test_a_term_with_a_word_that_asks_is_looked_for_as_a_whole(search):
    hits = search("warm-up")
    assert (hits[0]["title"], hits[0]["page"]) == ("Warm-up", "glossary.html")
    assert all("warm" in hit["marked"] for hit in hits[1:3]) and hits[1]["title"] == "18 Training"


def test_a_question_is_not_said_to_be_on_every_page_that_has_its_common_words(open_tab):
    tab = open_tab("http", "search.html?q=why+does+chatgpt+make+things+up", loaded="domcontentloaded")
    tab.wait_for_selector("#search-results li .context")
    told = tab.evaluate(STATUS)
    assert re.fullmatch(r"\d pages have “chatgpt”. Looked for without “why”, .*“make”.*“up”.", told), told
    field = tab.locator("form.bd-search:not(dialog form) input[name=q]")
    field.fill("floccinaucinihilipilification of tokens")  # typed, and looked for at once
    tab.wait_for_function(f"() => {STATUS}.startsWith('No page has “floccinaucinihilipilification”')")
    assert "have “tokens”" in tab.evaluate(STATUS)
    tab.wait_for_selector("#search-results li .context")
    field.fill("transformr")  # (begins like a word of the book, and is none)
    tab.wait_for_function(f"() => {STATUS}.endsWith('Showing results for “transformer”.')")
    text = tab.evaluate("""() => Search.htmlToText(`<main>at <sup>−5</sup> <span class="katex"><math><mrow>
      <msup><mn>10</mn><mrow><mo>−</mo><mn>8</mn></mrow></msup><msup><mi>e</mi><mi>L</mi></msup></mrow></math></span></main>`)""")
    assert text == "at ⁻⁵ 10⁻⁸eᴸ"
    assert tab.complaints == []


def test_an_excerpt_is_of_sentences_and_not_of_the_code_of_claims(search):
    hits = {hit["page"]: hit["says"] for hit in search("rank collapse")}
    says = hits["14_residuals_and_norms.html"]
    assert "rank collapse" in says and len(says) > 60, "more than “This is known as rank collapse.”"
    errata = hits.get("errata.html", "")
    assert not re.search(r"return |import |def |\"\"\"|np\.", errata), errata


def test_an_article_is_not_looked_for(search):
    hits = search("what is an embedding")
    assert any(hit["page"] == "glossary.html" and hit["title"] == "Embedding" for hit in hits[:4])
    assert all(word.startswith("embed") for hit in hits for word in hit["marked"])


# Formulas of the book as an excerpt writes them: nothing is run together, no sign is left that is not seen.
FORMULAS = {
    r"\pi_{\text{ref}}": "π_ref",
    "s_1 = (1, 0)": "s₁ = (1, 0)",
    "s_3 = (-1, 1)": "s₃ = (−1, 1)",
    "e^{s-m}": "eˢ⁻ᵐ",
    r"\beta\ln Z": "β ln Z",
    "W_Q, W_K, W_V": "W_Q, W_K, W_V",
    r"\sqrt{d_k}": "√dₖ",
    r"x \in \mathbb{R}^{T \times d}": "x ∈ R^(T×d)",
    r"W_U = E^{\top}": "W_U = Eᵀ",
    r"d_{\text{ff}} = 4d": "d_ff = 4d",
}
ALL_FORMULAS = """() => Object.fromEntries(
  [...document.querySelectorAll('article .katex:has(math)')].map((e) =>
  [e.querySelector('annotation').textContent, formulas.asText(e.querySelector('math'))]))"""


def test_formulas_of_an_excerpt_can_be_read(search, open_tab):
    [hit] = [hit for hit in search("bisection") if hit["title"] == "26 Preferences"]
    assert "The derivative of the objective is r + βπ_ref/π, and it must be the same number λ" in hit["says"]
    says = [hit["says"] for hit in search("softmax router")]
    assert any("are g = softmax(xWᵣ). If T is" in text for text in says), says
    found = {}
    for page in ("24_real_checkpoints", "26_preferences", "05_memory", "22_kv_cache"):
        tab = open_tab("http", f"notebooks/{page}.html")
        tab.evaluate("fetchScript('formulas.js')")
        found |= tab.evaluate(ALL_FORMULAS)
    assert all(found[math] == text for math, text in FORMULAS.items() if math in found)
    assert len(found.keys() & FORMULAS.keys()) >= 5, found.keys()
    assert not [text for text in found.values() if re.search(r"[\u2061\\]|[_^]$|\bsoftmax[a-z]", text)]


def test_terms_are_titles_in_the_search_but_for_names_that_are_written_small(search, open_tab):
    assert search("KL divergence")[0]["title"] == "KL divergence"
    assert next(hit for hit in search("t-SNE") if hit["page"] == "glossary.html")["title"] == "t-SNE"
    tab = open_tab("http", "book/timeline.html")
    tab.evaluate("fetchScript('titles.js')")
    terms = tab.evaluate("TITLES.filter(([, place]) => place.includes('#term-')).map(([title]) => title)")
    assert {"Softmax", "Log-odds", "Perplexity of t-SNE", "AdamW", "Zipf's law"} <= {*terms}
    assert [title for title in terms if title[0].islower()] == ["n-gram model", "t-SNE"]


def test_every_hit_of_a_word_of_the_quiz_says_something(search):
    for hit in search("rlhf")[:4]:
        assert hit["says"] or hit["page"] == "glossary.html", hit


def test_a_search_finds_a_term_and_the_rules_of_the_game(search):
    hits = search("next token distribution")
    assert "Next-token distribution" in [hit["title"] for hit in hits[:5]]
    assert "21 Sampling" in [hit["title"] for hit in hits[:3]]
    for hit in hits[:5]:
        assert not re.search(r"\\\w|π.*π|\.\.\.", hit["says"]), hit["says"]
    assert search("perde")[0]["title"] == "All live figures"
    assert search("timeline")[0]["page"] == "timeline.html", "a list whose name is asked for"


def test_chapters_stand_before_lists_and_short_words_weigh(search):
    pages = [hit["page"] for hit in search("KV cache memory")]
    chapters = [re.match(r"\d\d_", page) is not None for page in pages]
    lists = [page in ("questions.html", "timeline.html", "way.html", "index.html") for page in pages]
    assert any(lists) and chapters.index(True) < 2
    assert max(k for k, is_one in enumerate(chapters) if is_one) < lists.index(True)
    says = [hit["says"] for hit in search("softmax temperature")]
    assert not [text for text in says if re.search(r"[.?!] [^.?!]{1,60}:$", text)]


def test_what_a_result_says_has_the_word_and_is_said_once(search):
    for query in ("temperature", "softmax", "perplexity"):
        for hit in search(query):
            if hit["says"] and hit["page"] != "glossary.html":  # (a definition need not say its term)
                assert re.search(query[:7], hit["says"], re.IGNORECASE), hit
                sentences = re.split(r"(?<=[.?!]) ", hit["says"])
                assert len(set(sentences)) == len(sentences), hit


def test_the_weights_of_the_search_stand_before_its_index(site):
    index = (site / "searchindex.js").read_text(encoding="utf8")
    often, _, rest = index.removeprefix(search_weights.START).partition(";Search.setIndex(")
    names = json.loads(rest.rstrip().removesuffix(")"))["docnames"]
    weights = json.loads(often)
    best = max(weights["perplex"], key=weights["perplex"].get)
    assert names[int(best)].startswith("notebooks/") and len(often) < 200_000
    best = max(weights["kv"], key=weights["kv"].get)
    assert names[int(best)] == "notebooks/22_kv_cache"
    assert min(weight for pages in weights.values() for weight in pages.values()) > 0


IN_VIEW = """(where) => {
  const bar = document.querySelector(where[0]).getBoundingClientRect();
  const entry = document.querySelector(where[1]).getBoundingClientRect();
  const end = Math.min(bar.bottom, innerHeight);
  return entry.height > 0 && entry.top >= bar.top - 1 && entry.bottom <= end + 1;
}"""


RENDERED = """() => [...document.querySelectorAll('.bd-article *')].filter((e) =>
  e.checkVisibility({contentVisibilityAuto: true})).length"""


@pytest.mark.parametrize("page", ["api", "api_model", "api_view", "api_assistant"])
def test_of_a_page_of_the_package_only_what_is_near_is_laid_out_at_first(browser, bases, page):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_init_script("delete window.requestIdleCallback")  # (which lays out the rest later)
    tab = context.new_page()
    tab.goto(f"{bases['http']}book/{page}.html", wait_until="load")
    tab.wait_for_function("() => !document.documentElement.dataset.opening")
    tab.wait_for_timeout(300)
    near, members = tab.evaluate(RENDERED), tab.locator(".bd-article dl.py dl.py")
    first, last = (members.nth(k).evaluate("e => getComputedStyle(e).contentVisibility") for k in (0, -1))
    context.close()
    assert near < 1150 and (first, last) == ("auto", "auto"), near


@pytest.mark.parametrize("page", ["api", "api_model", "api_view", "api_assistant"])
def test_each_entry_of_the_package_shows_its_first_paragraph_and_folds_the_rest(site, page):
    soup = BeautifulSoup((site / "book" / f"{page}.html").read_text(encoding="utf8"), "html.parser")
    entries = [entry for entry in soup.select("dl.py") if not entry.find_parent("dl", class_="py")]
    folds = soup.select("details.api-more")
    assert len(folds) > 0.5 * len(entries) and not any(fold.get("open") for fold in folds)
    for fold in folds:
        before = fold.find_previous_sibling()
        assert before.name == "p" and fold.parent.parent in entries and fold.find_next_sibling() is None
        assert fold.summary.get_text() and len(fold.find_all(recursive=False)) > 1
    outside = [entry for entry in soup.select("dl.py dl.py") if not entry.find_parent("details")]
    assert outside == [], "the members of a class are folded with it"


SEEN = """name => { const place = document.getElementById(name), box = place.getBoundingClientRect();
  const [first] = place.nextElementSibling.children;
  return first.checkVisibility({contentVisibilityAuto: true}) && box.height > 10
    && box.top > 0 && box.top < 400; }"""


@pytest.mark.parametrize(
    "name", ["support.model.GPT", "support.model.GPT.read", "support.generation.generate"]
)
@pytest.mark.parametrize("width", [390, 1280])
def test_a_link_to_an_entry_of_the_package_arrives_and_opens_it(open_tab, name, width):
    tab = open_tab("http", f"book/api_model.html#{name}", width=width, loaded="domcontentloaded")
    tab.wait_for_function(SEEN, arg=name)
    tab.wait_for_function(
        "name => document.getElementById(name).closest('dl.py:not(dl.py dl)')"
        ".querySelector('.api-more').open",
        arg=name,
    )
    assert tab.locator("details.api-more[open]").count() == 1


@pytest.mark.parametrize("name", ["support.model.GPT", "support.model.GPT.read"])
def test_without_a_script_nothing_of_the_package_is_folded_and_a_link_arrives(browser, bases, name):
    context = browser.new_context(viewport={"width": 390, "height": 800}, java_script_enabled=False)
    tab = context.new_page()
    tab.goto(f"{bases['http']}book/api_model.html#{name}", wait_until="load")
    place = tab.locator(f"[id='{name}']")
    place.wait_for(state="visible")
    assert -1 <= place.bounding_box()["y"] < 400
    assert tab.locator("[id='support.model.GPT'] + dd .doctest").first.is_visible()
    context.close()


@pytest.mark.parametrize("page", ["api", "api_model", "api_view", "api_assistant"])
def test_no_name_of_the_package_leaves_the_list_of_contents(open_tab, page):
    tab = open_tab("file", f"book/{page}.html", built=False)
    tab.set_viewport_size({"width": 1280, "height": 800})
    ends = """() => [...document.querySelectorAll('#pst-page-toc-nav :is(a, code)')]
      .flatMap((name) => [...name.getClientRects()]).map(({right}) => right)"""
    assert 1200 < max(tab.evaluate(ends)) < 1270


def test_the_sidebar_shows_where_one_is_under_the_search(open_tab, bases):
    tab = open_tab("http", "notebooks/01_neuron.html", built=False)
    tab.set_viewport_size({"width": 1280, "height": 800})
    bar, here = "#pst-primary-sidebar", ".bd-docs-nav .current.active > a"
    field = [bar, ".search-button-field"]
    for page in ("notebooks/16_one_step_every_number", "book/api_view", "notebooks/27_tools_and_retrieval"):
        tab.goto(f"{bases['http']}{page}.html")
        tab.wait_for_function(IN_VIEW, arg=[bar, here])
        assert tab.evaluate(IN_VIEW, field) and tab.evaluate(IN_VIEW, [bar, ".navbar-brand"])
    kept = tab.evaluate("document.querySelector('#pst-primary-sidebar').scrollTop")
    tab.goto(f"{bases['http']}notebooks/26_preferences.html")  # its entry is in view there already
    tab.wait_for_function(
        "kept => document.querySelector('#pst-primary-sidebar').scrollTop === kept", arg=kept
    )
    tab.goto(f"{bases['http']}book/index.html")
    tab.wait_for_function(IN_VIEW, arg=[bar, here])
    assert tab.evaluate(IN_VIEW, field)


def test_the_entry_of_what_one_reads_is_in_view_beside_the_text(open_tab):
    tab = open_tab("file", "notebooks/16_one_step_every_number.html", built=False)
    tab.set_viewport_size({"width": 1280, "height": 800})
    panel, entry = "#pst-secondary-sidebar", "#pst-page-toc-nav a[aria-current]"
    for name in ("quiz", "check-yourself", "the-picture"):
        tab.evaluate(
            "name => { location.hash = name; document.getElementById(name).scrollIntoView(); }", name
        )
        tab.wait_for_function(f"() => document.querySelector('{entry}')?.hash === '#{name}'")
        tab.wait_for_function(IN_VIEW, arg=[panel, entry])
    assert tab.locator(panel).bounding_box()["height"] <= 800
    assert tab.locator(panel).evaluate("e => getComputedStyle(e).maskImage") != "none", (
        "it fades, and is not cut"
    )


def test_what_goes_deeper_is_one_line_of_the_contents_until_one_reads_there(open_tab):
    tab = open_tab("file", "notebooks/26_preferences.html", built=False)
    part = "#pst-page-toc-nav > ul > li:has(> a[href='#experiment'])"
    fold = tab.locator(f"{part} .deeper-entries > details")
    links = fold.locator("a[href^='#deeper-']")
    many = links.count()
    said = fold.locator("summary").inner_text()
    titles = [" ".join(title.split()) for title in links.all_text_contents()]
    assert many >= 5 and said.startswith(f"Deeper ({many}) ") and titles[0].lower() in said.lower()
    assert said.count(" · ") >= 2 or sum(map(len, titles[:3])) > 90
    assert not fold.evaluate("e => e.open") and not links.first.is_visible()
    assert not [words for words in links.all_text_contents() if words.startswith("Deeper")]
    assert tab.locator("#experiment section[id^='deeper-']").count() == many
    go = "id => document.getElementById(id).scrollIntoView()"
    read = links.nth(1).get_attribute("href")
    tab.locator(f"{read} summary").click()
    tab.evaluate(go, read[1:])
    tab.wait_for_function("part => document.querySelector(part).open", arg=f"{part} details")
    tab.evaluate(go, "quiz")
    tab.wait_for_function("part => !document.querySelector(part).open", arg=f"{part} details")


@pytest.mark.parametrize("page", ["search.html", "book/way.html", "book/timeline.html", "book/scale.html"])
def test_a_page_without_contents_uses_their_room(open_tab, page):
    tab = open_tab("http", page, loaded="domcontentloaded")
    assert tab.locator("#pst-secondary-sidebar").count() == 0
    article = tab.locator(".bd-article, .bd-search-container").first.bounding_box()
    assert article["x"] + article["width"] > 1180
    lines = "all => Math.max(0, ...all.map(e => e.getBoundingClientRect().width))"
    assert tab.locator(".bd-article > section > p").evaluate_all(lines) < 800


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("page", ["book/references.html", "notebooks/12_heads.html"])
def test_a_heading_is_smaller_than_the_one_above_it(open_tab, page, width):
    tab = open_tab("file", page, width=width, built=False)
    first = "all => all.slice(0, 1).map(e => parseFloat(getComputedStyle(e).fontSize))"
    kinds = ("h1", "section > h2", "section > h3")
    found = [size for kind in kinds for size in tab.locator(f".bd-article {kind}").evaluate_all(first)]
    assert len(found) >= 2 and all(a > 1.15 * b for a, b in pairwise(found)), found


def test_the_list_of_figures_is_open_where_no_contents_stand_beside_the_text(open_tab):
    tab = open_tab("file", "book/playground.html", width=390, built=False)
    links = tab.locator(".all-figures a")
    assert links.first.is_visible() and links.count() > 20
    sections = tab.locator(".bd-article > section > section").evaluate_all("all => all.map((e) => e.id)")
    assert sorted(links.evaluate_all("all => all.map((e) => e.hash.slice(1))")) == sorted(sections)
    third = tab.locator(".all-figures details", has_text="III. The transformer")
    assert not third.locator("a").first.is_visible()
    third.locator("summary").click()
    assert "Three families" in third.locator("ul").inner_text()
    assert tab.locator(".bd-article h2 > a:not(.headerlink)").count() == 0, "headings are no links"
    tab.set_viewport_size({"width": 1280, "height": 900})
    assert not links.first.is_visible() and tab.locator("#pst-page-toc-nav a").first.is_visible()


@pytest.mark.parametrize("dark", [False, True])
def test_each_section_of_the_long_page_has_a_small_picture(open_tab, dark):
    tab = open_tab("file", "book/playground.html", dark=dark, built=False)
    gallery = tab.locator(".figure-gallery")
    sections = tab.locator(".bd-article > section > section").evaluate_all("all => all.map((e) => e.id)")
    assert gallery.locator("a").evaluate_all("all => all.map((e) => e.hash.slice(1))") == sections
    pictures = gallery.locator("img")
    assert pictures.count() == len(sections)
    for picture in pictures.all():
        picture.scroll_into_view_if_needed()
        tab.wait_for_function("e => e.complete && e.naturalWidth > 60", arg=picture.element_handle())
    tab.set_viewport_size({"width": 390, "height": 844})
    assert not gallery.is_visible() and tab.locator(".all-figures details[open] img").first.is_visible()


def test_a_phone_folds_the_figures_of_the_long_page_and_a_desk_does_not(open_tab):
    tab = open_tab("file", "book/playground.html", width=390, built=False)
    folds = tab.locator("details.on-phone")
    assert folds.count() > 20 and tab.locator("details.on-phone[open]").count() == 0
    assert tab.evaluate("() => document.documentElement.scrollHeight") < 15_000
    losses = tab.locator("#three-losses")
    assert not losses.locator("live-figure").is_visible()
    losses.locator("details.on-phone > summary").click()
    losses.locator(".live-panel").wait_for()
    tab.evaluate("() => { location.hash = 'softmax-and-temperature'; }")
    tab.locator("#softmax-and-temperature .live-panel").wait_for()
    desk = open_tab("file", "book/playground.html", built=False)
    assert not desk.locator("details.on-phone > summary").first.is_visible()
    for name in ("three-losses", "norms-on-and-off"):
        desk.locator(f"#{name}").scroll_into_view_if_needed()
        desk.locator(f"#{name} .live-panel").wait_for()


@pytest.mark.parametrize("width", [360, 390])
@pytest.mark.parametrize(
    "page",
    ["notebooks/03_scores_to_probabilities.html", "book/api_model.html", "book/for_users.html"],
)
def test_the_bar_of_a_phone_shows_a_long_title_whole(open_tab, page, width):
    tab = open_tab("file", page, width=width, built=False)
    tab.evaluate("scrollTo(0, 3000)")
    tab.wait_for_selector(".here.here-shown")
    title, inside = tab.evaluate("""() => {
      const find = (part) => document.querySelector(part), title = find('.here a');
      const [outer, inner] = ['.bd-header-article', '.here'].map((e) => find(e).getBoundingClientRect());
      return [[title.scrollWidth - title.clientWidth, title.scrollHeight - title.clientHeight],
        inner.top >= outer.top && inner.bottom <= outer.bottom];
    }""")
    assert max(title) <= 1 and inside, (title, inside)


# Boxes of code whose lines are cut at the right, and for how many letters the first of them has room.
CUT = """() => {
  for (const fold of document.querySelectorAll('article details')) fold.open = true;
  const codes = [...document.querySelectorAll('article .highlight pre, article dt.sig')];
  const cut = codes.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent.slice(0, 60));
  const probe = Object.assign(document.createElement('span'), {textContent: 'x'.repeat(10)});
  const line = document.querySelector('article .highlight pre .code-line');
  line.prepend(probe);
  const room = 10 * line.getBoundingClientRect().width / probe.getBoundingClientRect().width;
  probe.remove();
  return [cut, room];
}"""


@pytest.mark.parametrize("width", [360, 390])
@pytest.mark.parametrize(
    "page", ["notebooks/16_one_step_every_number.html", "notebooks/22_kv_cache.html", "book/api_model.html"]
)
def test_no_line_of_code_is_cut_on_a_phone(open_tab, page, width):
    tab = open_tab("file", page, width=width, built=False)
    tab.add_style_tag(content=".bd-article * { content-visibility: visible !important; }")
    cut, room = tab.evaluate(CUT)
    assert cut == [] and room >= width / 8.6


@pytest.mark.parametrize("page, least", [("errata", 7), ("scale", 7), ("status", 5)])
def test_on_a_phone_the_rows_of_a_wide_table_are_cards(open_tab, page, least):
    tab = open_tab("file", f"book/{page}.html", width=390)
    table = tab.locator("table.cards").first
    assert table.evaluate("e => e.parentElement.scrollWidth <= e.parentElement.clientWidth + 1")
    heads = table.locator("thead th").all_text_contents()[1:]
    names = table.locator("tbody tr").first.locator("td").evaluate_all("all => all.map(e => e.dataset.name)")
    assert names == heads and len(heads) >= least
    right = table.locator("td").evaluate_all(
        "all => Math.max(...all.map(e => e.getBoundingClientRect().right))"
    )
    assert right <= 390


# Until the page has kept its height for a second.
STANDS_STILL = """() => new Promise((done) => {
  let high = 0, since = 0;
  const look = (now) => {
    const is = document.documentElement.scrollHeight;
    if (is !== high) [high, since] = [is, now];
    if (now - since > 1000) done(); else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""


@pytest.mark.parametrize("width", [390, 1280])
def test_the_contents_follow_and_the_end_is_the_end(open_tab, width):
    tab = open_tab("file", CHAPTER, width=width, built=False)
    here = "document.querySelector('#pst-page-toc-nav a[aria-current]')?.hash"
    tab.keyboard.press("End")
    tab.wait_for_function(
        f"() => document.documentElement.scrollHeight - innerHeight - scrollY < 3 && {here} === '#references'"
    )
    tab.evaluate(STANDS_STILL)
    assert tab.evaluate("document.documentElement.scrollHeight - innerHeight - scrollY") < 3
    tab.keyboard.press("Home")
    tab.wait_for_function("() => scrollY === 0")
    tab.mouse.move(width / 2, 400)
    read = """() => [...document.querySelectorAll('.bd-article section[id]')].filter(s => s.checkVisibility()
      && s.querySelector('h2, h3') && s.getBoundingClientRect().top < 60 + innerHeight / 4).at(-1)?.id"""
    for _ in range(6):
        tab.mouse.wheel(0, 1700)
        at_rest(tab)
        tab.evaluate(STANDS_STILL)  # (a figure that is made on the way moves what is below it)
        marked, place = tab.evaluate(f"() => [{here}, ({read})()]")
        assert marked == (f"#{place}" if place and place != "attention" else None)


def test_the_drawer_of_contents_closes_when_an_entry_is_pressed(open_tab):
    tab = open_tab("file", CHAPTER, width=390, built=False)
    tab.locator(".secondary-toggle").click()
    drawer = tab.locator("#pst-secondary-sidebar-modal")
    drawer.locator("a[href='#quiz']").click()
    tab.wait_for_function(NEAR, arg="#quiz")
    drawer.wait_for(state="hidden")  # what it holds goes back a moment after it was closed
    assert tab.evaluate("location.hash") == "#quiz"
    tab.locator(".secondary-toggle").click()  # and opens again, with its entries
    assert drawer.locator("a[href='#quiz']").is_visible()
    tab.keyboard.press("Escape")
    tab.wait_for_function("() => document.activeElement.matches('.secondary-toggle')")  # told by an event
    tab.mouse.wheel(0, -900)
    tab.wait_for_timeout(300)
    assert not tab.locator("#pst-back-to-top").is_visible(), "nothing covers the text"


@pytest.mark.parametrize("page", [CHAPTER, "book/index.html"])
def test_the_menu_at_the_head_says_what_it_offers(open_tab, page):
    tab = open_tab("file", page, width=390, built=False)
    tab.get_by_role("button", name="Keep, run or print").click()
    menu = tab.locator(".dropdown-download-buttons .dropdown-menu")
    words = menu.inner_text()
    for offered in ("offline", "as notebooks", "archive", "PDF"):
        assert offered in words
    assert ("This chapter" in words) == (page == CHAPTER)
    where = menu.locator("a").evaluate_all("all => all.map(a => a.getAttribute('href').split('/').pop())")
    assert {"how_to_use.html#run-it", "how_to_use.html#read-it"} <= set(where)
    box, bar = menu.bounding_box(), tab.locator(".bd-header-article").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert 0 <= box["y"] - bar["y"] - bar["height"] < 6, "it opens below the bar"
    rows = [item.bounding_box()["height"] for item in menu.locator(".dropdown-item").all()]
    assert len(rows) > 3 and min(rows) >= 44, "room for a finger"


def test_the_glossary_opens_with_its_terms_from_a_to_z(open_tab):
    tab = open_tab("file", "book/glossary.html", width=390)
    assert "announced" not in tab.locator("article").inner_text()
    letters = tab.locator(".a-z summary")
    assert letters.first.inner_text() == "A" and letters.count() > 15
    letters.nth(1).click()
    letters.first.click()
    assert tab.locator(".a-z details[open]").count() == 1
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.locator(".a-z a", has_text="attention head").click()
    tab.wait_for_function(NEAR, arg="#term-attention-head")
    links = tab.locator(".a-z a").evaluate_all(
        "all => all.filter(a => !document.querySelector(a.hash)).length"
    )
    assert links == 0


ALIGNED = """() => [...document.querySelectorAll('.bd-article table.table')].flatMap((table) => {
  const rows = [...table.querySelectorAll('tr')].map((row) => [...row.cells]);
  return [...(rows.at(-1) || []).keys()].flatMap((k) => {
    const column = rows.map((row) => row[k]).filter((cell) => cell && cell.innerText.trim());
    const bodies = column.filter((cell) => cell.localName === 'td').map((cell) => cell.innerText.trim());
    const sides = new Set(column.map((cell) => getComputedStyle(cell).textAlign));
    const numbers = bodies.length && bodies.every((text) => /^−?[\\d.,]+$/.test(text));
    const words = bodies.length && bodies.every((text) => /^[a-z ]{4,}$/i.test(text));
    if (!numbers && !words || innerWidth < 600 && table.matches('.cards')) return [];
    return sides.size === 1 && sides.has(numbers ? 'right' : 'left') ? [] : [bodies.join(' | ')];
  });
})"""
NARROW = """() => {
  const all = [...document.querySelectorAll('section > .cell table.table')].filter((e) => e.offsetWidth);
  return all.filter((e) => e.offsetWidth < 0.8 * e.parentElement.offsetWidth).length / all.length;
}"""


@pytest.mark.parametrize("width", [390, 1280])
def test_tables_keep_to_the_column_of_the_text_unless_they_need_more(open_tab, width):
    for page in ("book/scale.html", "book/how_to_use.html", "notebooks/12_heads.html"):
        tab = open_tab("file", page, width=width, dark=True)
        boxes = ".pst-scrollable-table-container, .cell:not(.live-cell) > .cell_output.with-table"
        wide = """(boxes) => [...document.querySelectorAll(boxes)]
          .filter((box) => {
            const text = document.querySelector('.bd-article > section').getBoundingClientRect();
            const here = box.getBoundingClientRect();
            const table = box.querySelector('table');
            if (!here.width || (here.left >= text.left - 1 && here.right <= text.right + 1)) return false;
            const was = table.style.width;
            table.style.width = 'min-content';
            const needs = table.offsetWidth;
            table.style.width = was;
            return needs <= text.width;
          }).map((box) => box.innerText.slice(0, 60))"""
        assert tab.evaluate(wide, boxes) == []
        # Numbers stand to the right and words to the left, each with its heading, in every table.
        assert tab.evaluate(ALIGNED) == []
        if width > 600 and "heads" in page:
            assert tab.evaluate(NARROW) > 0.5, "a table is as wide as what it holds"
        if "scale" in page:
            links = tab.locator("table.scales a").evaluate_all(
                "all => [...new Set(all.map(e => getComputedStyle(e).color))]"
            )
            assert links == ["rgb(127, 196, 240)"], "as all links"
            dots = tab.locator(".scale-dot").evaluate_all("all => all.map(e => getComputedStyle(e).fill)")
            assert set(dots) == {"rgb(127, 196, 240)", "rgb(242, 185, 92)"}, "strong enough in the dark"
            text = tab.locator("article").inner_text()
            assert "our model of the semantic world" in text and "our semantic:" not in text
            assert "the guide's model" not in text and "a power of ten" not in text


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        ("03_scores_to_probabilities", ".bd-article div.math"),
        ("13_feed_forward", ".bd-article .pst-scrollable-table-container, .bd-article .cell_output"),
    ],
)
def test_what_goes_on_to_the_right_fades_there_formulas_and_live_tables_too(open_tab, page, kind):
    """Formulas: those that are too wide before they are near, when they are made to fit."""
    tab = open_tab("file", f"notebooks/{page}.html", width=390)
    fades = """(kind) => {
      for (const s of document.querySelectorAll('.bd-article :is(section, .cell, .math)')) {
        s.style.contentVisibility = 'visible';
      }
      const all = [...document.querySelectorAll(kind)].filter((e) => e.checkVisibility());
      const boxes = all.filter((e) => e.scrollWidth > e.clientWidth + 1);
      const mask = (e) => getComputedStyle(e).maskImage !== 'none';
      const fits = all.filter((e) => e.scrollWidth <= e.clientWidth);
      const before = boxes.map((e) => { e.scrollLeft = 0; return e; });
      return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
        const faded = before.filter(mask).length;
        for (const e of boxes) e.scrollLeft = 99999;
        requestAnimationFrame(() => requestAnimationFrame(() =>
          done([boxes.length, faded, boxes.filter(mask).length, fits.filter(mask).length])));
      })));
    }"""
    wide, faded, at_end, fit = tab.evaluate(fades, kind)
    assert wide and faded == wide and at_end == 0 and fit == 0, (kind, wide, faded, at_end, fit)


def test_every_sidebar_has_the_numbers_of_the_chapters(site):
    """Of pages that Sphinx makes by itself, the index and the search, too."""
    pages = [
        path for path in site.rglob("*.html") if "_static" not in path.parts and path.parent != site / "take"
    ]
    bare = re.compile(r'<a class="reference internal" href="[^"#]*?\d\d_\w+\.html">')
    for path in pages:
        text = path.read_text(encoding="utf8")
        if 'class="bd-links' not in text:
            assert path == site / "index.html", path.name
            continue
        bar = text.partition('class="bd-links')[2].partition("</nav>")[0]
        assert len(re.findall(r'data-chapter="\d\d"><span class="chapter-number">', bar)) == 27, path.name
        assert not bare.search(bar), path.name


def test_the_page_of_the_search_says_what_one_can_ask_and_only_asking_finds_nothing(open_tab):
    tab = open_tab("http", "search.html", loaded="domcontentloaded")
    hint = tab.locator(".search-hint")
    assert hint.locator("a").count() == 3
    field = tab.locator("form.bd-search:not(dialog form) input[name=q]")
    field.fill("why does")
    tab.wait_for_function(f"() => {STATUS.replace(').', ')?.')}.includes('stand on every page')")
    assert hint.count() == 0 and tab.locator("#search-results li").count() == 0
    field.fill("why does the loss become nan")
    tab.wait_for_selector("#search-results li .context")
    first = tab.locator("#search-results li a").first
    tab.wait_for_function(
        "() => document.querySelector('#search-results li a').hash.startsWith('#deeper-where')"
    )
    assert "When training fails" in first.inner_text() and tab.complaints == []


@pytest.mark.parametrize("width", [1280, 390])
def test_the_keyboard_is_seen_on_every_button_of_the_bar(open_tab, width):
    tab = open_tab("file", "notebooks/01_neuron.html", width=width)
    bar = tab.locator(".bd-header-article button:visible")
    assert bar.count() >= 3
    tab.keyboard.press("Tab")  # (what is focused from now on is focused by a keyboard)
    for button in bar.all():
        button.focus()
        shown = "e => [e.matches(':focus-visible'), getComputedStyle(e).outlineStyle]"
        assert button.evaluate(shown) == [True, "solid"], button.get_attribute("title")
