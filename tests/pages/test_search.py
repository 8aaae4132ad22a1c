"""What the search offers while one types: the chapter of that name or the term, then sections."""

import re

import pytest

FOUND = "(words) => offers.find(words, TITLES).map(([title, place]) => [title, place])"
# What somebody types → places of which each must be offered; the glossary's entry stands before the sections.
TERMS = {
    "softmax": ["03_scores_to_probabilities.html#softmax", "glossary.html#term-softmax"],
    "perplexity": ["18_training.html", "18_training.html#", "glossary.html#term-perplexity"],
    "tokenizer": ["07_bpe.html#"],
    "tokenisers": ["07_bpe.html#"],
    "BPE": ["07_bpe.html", "glossary.html#term-byte-pair"],
    "attention": ["11_attention.html", "glossary.html#term-attention"],
    "head": ["12_heads.html", "glossary.html#term-"],
    "KV cache": ["22_kv_cache.html", "glossary.html#term-KV-cache"],
    "LayerNorm": ["14_residuals_and_norms.html#layernorm", "glossary.html#term-LayerNorm"],
    "layer norm": ["14_residuals_and_norms.html#layernorm"],
    "RMSNorm": ["14_residuals_and_norms.html#rmsnorm"],
    "RoPE": ["10_positions.html#rope", "glossary.html#term-RoPE"],
    "LoRA": ["25_fine_tuning.html#", "glossary.html#term-LoRA"],
    "DPO": ["26_preferences.html#", "glossary.html#term-DPO"],
    "RLHF": ["26_preferences.html", "glossary.html#term-RLHF"],
    "temperature": ["03_scores_to_probabilities.html#temperature", "glossary.html#term-temperature"],
    "top-p": ["21_sampling.html#", "glossary.html#term-top-p"],
    "nucleus sampling": ["21_sampling.html#", "glossary.html#term-top-p"],
    "embeddings": ["08_embeddings.html", "glossary.html#term-embedding"],
    "residual": ["14_residuals_and_norms.html", "glossary.html#term-residual"],
    "backprop": ["02_learning.html#backpropagation-in-matrices", "glossary.html#term-backpropagation"],
    "Adam": ["18_training.html#adam", "glossary.html#term-AdamW"],
    "cross-entropy": ["03_scores_to_probabilities.html#", "glossary.html#term-cross-entropy"],
    "cross entropy": ["03_scores_to_probabilities.html#", "glossary.html#term-cross-entropy"],
    "gradient": ["02_learning.html#", "glossary.html#term-gradient"],
    "overfitting": ["02_learning.html#overfitting", "18_training.html#overfitting"],
    "quantisation": ["24_real_checkpoints.html", "glossary.html#term-quantisation"],
    "quantization": ["24_real_checkpoints.html", "glossary.html#term-quantisation"],
    "hallucination": ["21_sampling.html#confident-and-wrong", "glossary.html#term-hallucination"],
    "RAG": ["27_tools_and_retrieval.html", "glossary.html#term-RAG"],
    "agent": ["27_tools_and_retrieval.html", "glossary.html#term-agent"],
    "mixture of experts": ["13_feed_forward.html#a-mixture", "glossary.html#term-mixture"],
    "MoE": ["13_feed_forward.html#a-mixture", "glossary.html#term-mixture"],
    "flash attention": ["22_kv_cache.html#"],
    "scaling law": ["20_training_at_scale.html#a-scaling-law", "glossary.html#term-scaling-law"],
}

# What stands in no title as it is typed → the first that is offered, and another one.
QUESTIONS = {
    "why does attention scale": ("11_attention.html", "11_attention.html"),
    "how are tokens sampled?": ("21_sampling.html", "glossary.html#term-sampling"),
    "atention": ("11_attention.html", "glossary.html#term-attention"),
    "softmax temprature": ("playground.html#softmax", "03_scores_to_probabilities.html#temperature"),
    "learning rate decay": ("18_training.html#weight-decay", "glossary.html#term-learning-rate"),
    "what is a logit": ("glossary.html#term-logit", "23_inside_the_model.html#a-logit-is-a-sum"),
    "What’s an embedding?": ("glossary.html#term-embedding", "08_embeddings.html"),
    "what does perplexity mean": ("glossary.html#term-perplexity", "18_training.html"),
    "what is RLHF": ("glossary.html#term-RLHF", "26_preferences.html"),
    "why is softmax used": ("03_scores_to_probabilities.html#softmax", "03_scores_to_probabilities.html"),
    "why are there several heads": ("12_heads.html", "12_heads.html#"),
    "why do models hallucinate": ("glossary.html#term-hallucination", "21_sampling.html#confident-and-wrong"),
    "how does a model use tools": ("27_tools_and_retrieval.html", "27_tools_and_retrieval.html#"),
    "why does the loss become nan": (
        "19_when_training_fails.html#deeper-where-a-nan",
        "19_when_training_fails",
    ),
    "how does backprop work": ("glossary.html#term-backpropagation", "02_learning.html#backpropagation-in"),
    "how does a transformer work": ("glossary.html#term-transformer", "15_the_whole_model.html"),
    "difference between BERT and GPT": ("glossary.html#term-BERT", "glossary.html#term-GPT"),
    "tokeniser": ("glossary.html#term-tokenizer", "07_bpe.html#real-tokenizers"),
    "why do we divide by the square root": ("11_attention.html#why-divide", "11_attention.html#why-divide"),
}


@pytest.fixture(scope="module")
def titles(visits):
    """A page with the list of titles."""
    tab = visits("http", "notebooks/06_vocabulary.html")
    tab.evaluate("fetchScript('titles.js')")
    yield tab
    visits.close()


@pytest.mark.parametrize("typed", TERMS)
def test_a_term_leads_to_where_the_book_treats_it(titles, typed):
    places = [place for _, place in titles.evaluate(FOUND, typed)]
    *treating, last = TERMS[typed]
    first = [last] if last.startswith("glossary") else []
    at = -1
    for wanted in treating if first else TERMS[typed]:
        at = next((k for k, place in enumerate(places) if k > at and wanted in place), None)
        assert at is not None, (wanted, places)
    assert all(any(wanted in place for place in places) for wanted in first), places
    assert 1 <= len(places) <= 10 and len(set(places)) == len(places)


# What somebody types → the first that is offered, which Enter opens, and the second.
FIRST = {
    "softmax": ("glossary.html#term-softmax", "03_scores_to_probabilities.html#softmax"),
    "temperature": ("glossary.html#term-temperature", "03_scores_to_probabilities.html#temperature"),
    "learning rate": ("glossary.html#term-learning-rate", "18_training.html#which-learning-rate"),
    "BPE": ("glossary.html#term-byte-pair", "07_bpe.html"),
    "perpl": ("glossary.html#term-perplexity", "notebooks/"),
    "attention": ("11_attention.html", "glossary.html#term-attention"),
    "embeddings": ("08_embeddings.html", "glossary.html#term-embedding"),
    "KV cache": ("22_kv_cache.html", "glossary.html#term-KV-cache"),
    "heads": ("12_heads.html", ""),
    "how it learns": ("02_learning.html", ""),
}


@pytest.mark.parametrize("typed", FIRST)
def test_the_definition_of_a_term_or_the_chapter_of_a_title_stands_first(titles, typed):
    places = [place for _, place in titles.evaluate(FOUND, typed)]
    for place, wanted in zip(places, FIRST[typed], strict=False):
        assert wanted in place, places


@pytest.mark.parametrize(
    ("typed", "place"),
    [
        ("temperature", "21_sampling.html#four-decoding-strategies"),
        ("softmax", "03_scores_to_probabilities.html#softmax"),
    ],
)
def test_what_treats_a_term_stands_before_what_goes_deeper(titles, typed, place):
    found = titles.evaluate(FOUND, typed)
    deeper = [k for k, (title, _) in enumerate(found) if title.startswith("Deeper")]
    at = next(k for k, (_, there) in enumerate(found) if place in there)
    assert at < 4 and deeper and at < min(deeper), found


@pytest.mark.parametrize("typed", ["why", "does", "up", "of", "in"])
def test_a_word_that_only_asks_finds_no_title_that_merely_has_it(titles, typed):
    found = titles.evaluate(FOUND, typed)
    assert [title for title, _ in found if re.search(rf"(?<!^)\b{typed}\b", title.lower())] == []


@pytest.mark.parametrize("typed", QUESTIONS)
def test_a_question_or_a_misspelt_word_is_offered_what_is_near_it(titles, typed):
    places = [place for _, place in titles.evaluate(FOUND, typed)]
    first, other = QUESTIONS[typed]
    assert first in places[0] and any(other in place for place in places) and len(places) <= 10, places


# What people ask in words of their own → where it is treated.
ASKED = {
    "how does it know the order of words": "10_positions.html",
    "how does a model know which order the words are in": "10_positions.html",
    "can I run this on my laptop": "how_to_use.html#run-it",
    "do I need a GPU": "how_to_use.html#run-it",
    "why is the GPU needed for training": "how_to_use.html#run-it",
    "GPU": "how_to_use.html#run-it",
    "colab": "how_to_use.html#run-it",
    "how do I run this on Colab": "how_to_use.html#run-it",
    "what is an LLM": "glossary.html#term-language-model",
    "mistakes in the sources": "errata.html",
    "what did the book find wrong in its sources": "errata.html",
    "king": "09_maps.html#a-plane-of-your-own-choice",  # (no title has it; it was taken for “kind”)
    "king queen": "09_maps.html#a-plane-of-your-own-choice",
    "how much memory does a model need": "20_training_at_scale.html#what-has-to-be-in-memory",
    "GPU memory": "20_training_at_scale.html#what-has-to-be-in-memory",
    "how much memory do I need for 8B": "24_real_checkpoints.html#deeper-counting-published-models",
    "llama 3 8b": "24_real_checkpoints.html#deeper-counting-published-models",
    "how does ChatGPT know when to stop": "glossary.html#term-special-token",
    "how does a model stop writing?": "glossary.html#term-special-token",
    "when does it stop": "glossary.html#term-special-token",
}


@pytest.mark.parametrize("asked", ASKED)
def test_what_people_ask_in_words_of_their_own_leads_to_its_place(titles, asked):
    places = titles.evaluate(FOUND.replace("find(words", "find(asking.inTerms(words)"), asked)
    assert ASKED[asked] in places[0][1], places


@pytest.mark.parametrize("typed", ["error", "Errors"])
def test_errors_may_be_those_that_are_measured_or_those_of_the_sources(titles, typed):
    places = [place for _, place in titles.evaluate(FOUND, typed)]
    assert "book/errata.html" in places[:3] and "error" in places[0], places
    assert len(places) == len(set(places)) <= 10


RUN_IT = "book/how_to_use.html#run-it"
# What somebody types → the place that the page of the search has first, or among the first three.
LED = {
    "colab": (RUN_IT, 1),
    "how do I run this on Colab": (RUN_IT, 1),
    "can I run this on my laptop": (RUN_IT, 1),
    "do I need a GPU": (RUN_IT, 1),
    "mistakes": ("book/errata.html", 1),
    "errors": ("book/errata.html", 3),
    "gpu memory": ("notebooks/20_training_at_scale.html#what-has-to-be-in-memory", 1),
    "how much memory do I need for 8B": (
        "notebooks/24_real_checkpoints.html#deeper-counting-published-models",
        1,
    ),
}


@pytest.mark.parametrize("typed", LED)
def test_the_page_of_the_search_keeps_the_readers_words_and_leads_to_their_place(open_tab, typed):
    place, among = LED[typed]
    tab = open_tab("http", "book/timeline.html", loaded="domcontentloaded")
    tab.keyboard.press("Control+k")
    tab.locator("form.bd-search input:focus").fill(typed)
    tab.locator(f".offers a[href$='{place}']").wait_for()
    tab.locator(".offers-go").click()
    tab.wait_for_url("**/search.html?q=*")
    tab.locator("#search-results > ul > li").nth(2).wait_for()
    tab.wait_for_function("() => 'told' in document.querySelector('#search-results > ul > li').dataset")
    found = [
        link.get_attribute("href") for link in tab.locator("#search-results > ul > li > a").all()[:among]
    ]
    assert place in [href.removesuffix("#") for href in found] and len(set(found)) == len(found), found
    assert tab.locator("form.bd-search:not(dialog form) input[name=q]").input_value() == typed
    assert "Looked for “" not in tab.locator("#search-results").inner_text()
    if place == RUN_IT:
        hit = tab.locator("#search-results > ul > li").first
        text, marked = hit.inner_text(), [it.lower() for it in hit.locator(".highlighted").all_inner_texts()]
        assert text.startswith("How to use this book") and "Run it" in text
        assert set(marked) & {"colab", "laptop", "gpu"} and tab.complaints == []


def test_who_asks_for_colab_is_shown_the_word(open_tab):
    tab = open_tab("http", "book/timeline.html", loaded="domcontentloaded")
    tab.keyboard.press("Control+k")
    tab.locator("form.bd-search input:focus").fill("colab")
    first = tab.locator(".offers a").first
    tab.locator(f".offers a[href$='{RUN_IT}']").wait_for()
    assert first.get_attribute("href").endswith(RUN_IT) and "Colab" in first.locator("span").inner_text()


def test_escape_closes_the_popup_whatever_is_typed(open_tab):
    tab = open_tab("http", "book/timeline.html")
    popup = tab.locator("#pst-search-dialog")
    for typed in ("", "softmax"):
        tab.keyboard.press("Control+k")
        popup.wait_for(state="visible")
        tab.keyboard.type(typed)
        tab.keyboard.press("Escape")
        popup.wait_for(state="hidden")


@pytest.mark.parametrize("by_key", [True, False])
def test_the_popup_closes_when_a_place_of_the_same_page_is_chosen(open_tab, by_key):
    tab = open_tab("http", "notebooks/02_learning.html", loaded="domcontentloaded")
    tab.keyboard.press("Control+k")
    tab.keyboard.type("mini-batches")
    here = tab.locator(".offers a[href$='02_learning.html#mini-batches']")
    here.wait_for()
    if by_key:
        while here.get_attribute("aria-selected") != "true":
            tab.keyboard.press("ArrowDown")
        tab.keyboard.press("Enter")
    else:
        here.click()
    tab.locator("#pst-search-dialog").wait_for(state="hidden")
    near = "() => Math.abs(document.querySelector('#mini-batches').getBoundingClientRect().top) < 200"
    tab.wait_for_function(near)
    assert tab.url.endswith("#mini-batches") and tab.complaints == []


def test_a_title_that_many_chapters_have_says_whose_it_is(open_tab):
    tab = open_tab("http", "notebooks/11_attention.html", loaded="domcontentloaded")
    tab.keyboard.press("Control+k")
    tab.keyboard.type("attention")
    picture = tab.locator(".offers a[href$='11_attention.html#the-picture']")
    picture.wait_for()
    assert picture.inner_text().startswith("Attention: the picture")


def test_the_popup_shows_offers_while_one_types_and_says_so_if_there_are_none(open_tab):
    tab = open_tab("http", "book/timeline.html")
    tab.locator(".bd-sidebar-primary .search-button__button").click()
    offered = tab.locator(".offers li")
    for typed in ("why does attention scale", "residual conection", "how does it lea"):
        tab.locator("form.bd-search input:focus").fill("")
        tab.keyboard.type(typed)
        tab.wait_for_function("() => document.querySelectorAll('.offers a').length > 0")
        assert offered.first.is_visible()
    tab.locator("form.bd-search input:focus").fill("xyzzy")
    tab.wait_for_function("() => !document.querySelector('.offers a')")
    assert "No title has these words" in tab.locator(".offers-none").inner_text()
    tab.locator("form.bd-search input:focus").fill("why does")
    tab.wait_for_function("() => document.querySelector('.offers-none').textContent.startsWith('Such words')")
    assert not tab.locator(".offers-go").is_visible()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("diffusion model", "Nothing here is about “diffusion”, only about “model”."),
        ("mamba state space", "Nothing here is about “mamba”, only about “state” and “space”."),
        ("softmax temprature", ""),
        ("why do llms hallucinate", ""),
        ("attention", ""),
    ],
)
def test_who_asks_about_what_the_book_does_not_treat_is_told_so(open_tab, typed, told):
    tab = open_tab("http", "book/timeline.html", loaded="domcontentloaded")
    tab.keyboard.press("Control+k")
    tab.locator("form.bd-search input:focus").fill(typed)
    tab.locator(".offers a").first.wait_for()
    assert tab.locator(".offers-none").inner_text() == told


def test_the_page_of_the_search_says_when_it_counts_other_forms_of_a_word(open_tab):
    tab = open_tab("http", "search.html?q=diffusion", loaded="domcontentloaded")
    summary = tab.locator(".search-summary")
    told = "One page has it, or forms of it."  # “diffuse”
    tab.wait_for_function("told => document.querySelector('.search-summary')?.innerText === told", arg=told)
    assert summary.is_visible()


def test_on_a_phone_an_offer_has_its_title_above_its_chapter(open_tab):
    tab = open_tab("http", "notebooks/06_vocabulary.html", width=390)
    tab.keyboard.press("Control+k")
    tab.locator("form.bd-search input:focus").type("absolute error")
    link = tab.locator(".offers a", has_text="the squared and the absolute error").first
    link.wait_for()
    box, below = link.bounding_box(), link.locator("small").bounding_box()
    title = link.evaluate("""e => {
      const words = document.createRange();
      words.selectNode(e.firstChild);
      const {width, height, bottom} = words.getBoundingClientRect();
      return [width, height, bottom];
    }""")
    assert title[0] > 0.6 * box["width"] and title[1] < 60 and below["y"] >= title[2] - 4


def test_sections_of_one_name_are_told_apart_by_their_chapter(open_tab):
    tab = open_tab("http", "notebooks/06_vocabulary.html")
    tab.keyboard.press("Control+k")
    tab.locator("form.bd-search input:focus").type("overfitting")
    links = tab.locator(".offers a")
    links.nth(2).wait_for()
    assert links.nth(1).inner_text().replace("\n", " ").startswith("Overfitting")
    told = [link.locator("small").inner_text() for link in links.all()[:3]]
    assert told == ["glossary", "chapter 2, How it learns", "chapter 18, Training"]


@pytest.mark.parametrize(
    "typed", ["why does it make things up", "making stuff up", "it makes up facts", "why does ChatGPT lie"]
)
def test_what_people_call_a_thing_leads_to_its_term(open_tab, typed):
    tab = open_tab("http", "book/timeline.html")
    tab.locator(".bd-sidebar-primary .search-button__button").click()
    tab.locator("form.bd-search input:focus").fill(typed)
    tab.locator(".offers a[href$='#term-hallucination']").wait_for()
    assert "hallucination" in tab.locator(".offers-go").get_attribute("href")


# Names that stand in no title, only in the text or code of chapters → the first that is offered.
NAMES = {
    "GradScaler": "20_training_at_scale.html#in-code",
    "clip_grad_norm_": "18_training.html#in-code",
    "torch.compile": "22_kv_cache.html#deeper-times",
    "tiktoken": "api.html#support.text.BPETokenizer.from_tiktoken",
    "safetensors": "24_real_checkpoints.html#",
    "SentencePiece": "07_bpe.html#deeper-other-recipes",
    "bfloat16": "20_training_at_scale.html#a-ruler",
    "scaled_dot_product_attention": "12_heads.html#deeper-grouped-query",
}


@pytest.fixture(scope="module")
def names(titles):
    """A page with the list of names, too."""
    titles.evaluate("fetchScript('names.js')")
    return titles


@pytest.mark.parametrize("typed", NAMES)
def test_a_name_of_the_text_or_code_leads_to_where_it_stands(names, typed):
    places = [place for _, place in names.evaluate(FOUND, typed)]
    assert NAMES[typed] in places[0] and len(set(places)) == len(places) <= 10, places


@pytest.mark.parametrize(("typed", "term"), [("AdamW", "AdamW"), ("LayerNorm", "LayerNorm")])
def test_a_name_that_is_a_term_leads_to_its_definition_first(names, typed, term):
    assert f"#term-{term}" in names.evaluate(FOUND, typed)[0][1]


@pytest.mark.parametrize("asked", ["where is the code of the sampling function", "sampling code"])
def test_who_asks_for_the_code_that_samples_is_led_to_its_entry(names, asked):
    places = names.evaluate(FOUND.replace("find(words", "find(asking.inTerms(words)"), asked)
    assert places[0][1].endswith("#support.generation.next_token"), places


@pytest.fixture(scope="module")
def entries(names):
    """Module and name of each entry of the package's reference."""
    return [(module, name) for module, name, _ in names.evaluate("NAMES.objects")]


@pytest.fixture(scope="module")
def called(names):
    """What the glossary and the pages call something, in small letters; articles left out."""
    heads = names.evaluate(
        """TITLES.filter(([, place]) => place.includes('#term-') || !place.includes('#'))
          .flatMap(([title, place, more]) => [title, ...place.includes('#term-') ? more : []])"""
    )
    return {re.sub(r"^(the|an?) ", "", head.lower()) for head in heads}


def test_the_exact_name_of_a_function_or_class_leads_to_its_entry_first(names, entries, called):
    """Of all of them; one that the glossary or a page calls exactly so stands behind that, and not far."""
    plain = [(module, name) for module, name in entries if "." not in name]
    assert len(plain) > 300
    late = []
    found = names.evaluate(f"all => all.map({FOUND})", [name for _, name in plain])
    for (module, name), offered in zip(plain, found, strict=True):
        places = [place for _, place in offered]
        mine = [k for k, place in enumerate(places) if place.endswith(f"#support.{module}.{name}")]
        others = sum(other == name for _, other in plain)
        if not mine or mine[0] >= (4 if name.lower() in called else others):
            late.append((name, places[:3]))
    sure = ("generate", "run_with_cache", "GPTConfig", "next_token", "direct_logit_attribution", "train")
    assert not {name for name, _ in late} & set(sure)
    assert late == []


@pytest.mark.parametrize(
    ("typed", "place"),
    [
        ("generate()", "#support.generation.generate"),
        ("support.model.GPT", "#support.model.GPT"),
        ("GPT.forward", "#support.model.GPT.forward"),
        ("inside.run_with_cache", "#support.inside.run_with_cache"),
        ("encode", "#support.text.BPETokenizer.encode"),
    ],
)
def test_a_name_may_be_typed_as_in_code(names, typed, place):
    assert names.evaluate(FOUND, typed)[0][1].endswith(place)


def test_a_term_typed_exactly_keeps_its_place_before_the_package(names):
    terms = names.evaluate("TITLES.filter(([, place]) => place.includes('#term-')).map(([title]) => title)")
    without = FOUND.replace("TITLES)", "TITLES, {...NAMES, objects: []})")
    moved = []
    found = names.evaluate(f"all => all.map((words) => [{FOUND}, {without}].map((how) => how(words)))", terms)
    for term, both in zip(terms, found, strict=True):
        with_it, before = ([place for _, place in offered][:2] for offered in both)
        if with_it[0] != before[0]:
            moved.append((term, with_it, before))
    assert len(terms) > 250 and moved == []


def test_an_offer_does_not_begin_with_what_the_sources_print(names):
    says = names.evaluate("NAMES.says")
    of_sources = [place for place, text in says.items() if "workbench" in text.lower()]
    assert says["notebooks/21_sampling.html#deeper-printed-temperatures-recomputed"]
    assert len(of_sources) < 0.03 * len(says), of_sources


def test_an_offer_says_something_of_what_it_is_offered_for(names):
    says = names.evaluate("NAMES.says")
    assert "RLHF" in says["notebooks/26_preferences.html#what-the-sources-say"]
    assert "KL divergence" in says["notebooks/26_preferences.html#the-picture"], "and no dog in a park"


def test_an_offer_says_what_its_place_says_in_readable_text(names):
    says = names.evaluate("NAMES.says")
    assert len(says) > 1000
    raw = re.compile(r"[\\\x00{}^$]|^[a-z]")
    assert [text for place, text in says.items() if raw.search(text) and "book/api" not in place] == []
    assert max(map(len, says.values())) <= 145
    told = {place for place in says if place.startswith("notebooks/")}
    sections = names.evaluate("TITLES.map(([, place]) => place).filter((p) => p.startsWith('notebooks/'))")
    assert sum(place in told for place in sections) > 0.94 * len(sections)


def test_an_empty_field_offers_where_one_reads_on(browser, bases, open_tab):
    # A reader of its own: a tab of other tests that is still open would keep what it has read.
    context = browser.new_context()
    tab = type(open_tab)(browser, context, bases)(
        "http", "notebooks/11_attention.html", loaded="domcontentloaded"
    )
    tab.evaluate("localStorage.setItem('seen-03', 'softmax')")
    tab.keyboard.press("Control+k")
    offered = tab.locator(".offers a")
    offered.nth(5).wait_for()
    places = [link.get_attribute("href").rsplit("/", 1)[1] for link in offered.all()]
    assert places[:2] == ["03_scores_to_probabilities.html", "12_heads.html"]
    assert places[2:] == ["glossary.html", "notation.html", "playground.html", "api.html"]
    told = [link.locator("small").inner_text() for link in offered.all()[:2]]
    assert told == ["chapter 3, begun", "chapter 12, the next"]
    assert not tab.locator(".offers-go").is_visible() and "?" in offered.nth(1).inner_text()
    tab.keyboard.type("softmax")
    tab.locator(".offers a[href$='#term-softmax']").wait_for()
    assert tab.locator(".offers-go").is_visible()
    tab.locator("form.bd-search input:focus").fill("")
    tab.locator(".offers a[href$='api.html']").wait_for()
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/12_heads.html")
    assert tab.complaints == []
    context.close()


def test_the_page_of_the_search_leads_to_what_treats_the_word_and_not_to_what_goes_deeper(open_tab):
    tab = open_tab("http", "search.html?q=temperature", loaded="domcontentloaded")
    hit = tab.locator("#search-results > ul > li", has_text="Sampling").first
    hit.locator(".context").first.wait_for()
    assert "deeper" not in hit.locator("a").first.get_attribute("href")
    assert "workbench" not in hit.inner_text().lower() and tab.complaints == []


def test_the_page_of_the_search_sets_code_as_code_and_one_line_of_it(open_tab):
    tab = open_tab("http", "search.html?q=scaled_dot_product", loaded="domcontentloaded")
    code = tab.locator("#search-results .context > code:has(> .highlighted)").first
    code.wait_for()
    line = code.inner_text()
    assert "scaled_dot_product" in line and line.count(" import ") <= 1 and len(line) < 200
    for text in tab.locator("#search-results .context:not(:has(> code))").all_inner_texts():
        assert " import " not in text, text


def test_the_page_of_the_search_marks_no_letter_by_itself(open_tab):
    tab = open_tab("http", "search.html?q=top+k", loaded="domcontentloaded")
    tab.locator("#search-results .context .highlighted", has_text="k").first.wait_for()
    lone = """() => {
      const near = (gap, other) => gap && gap.textContent.length < 2 && other?.className === 'highlighted';
      return [...document.querySelectorAll('#search-results .context .highlighted')]
        .filter((e) => e.textContent.length === 1)
        .filter((e) => !near(e.previousSibling, e.previousElementSibling))
        .filter((e) => !near(e.nextSibling, e.nextElementSibling)).map((e) => e.parentElement.textContent);
    }"""
    assert tab.evaluate(lone) == []


def test_a_letter_by_itself_does_not_outweigh_a_heading_with_all_other_words(open_tab):
    tab = open_tab("http", "search.html?q=why+divide+by+square+root+of+d", loaded="domcontentloaded")
    first = tab.locator("#search-results > ul > li > a").first
    first.wait_for()
    assert "11_attention.html" in first.get_attribute("href")


def test_who_asks_how_a_model_knows_when_to_stop_finds_the_token_that_ends_a_text(open_tab):
    tab = open_tab("http", "search.html?q=how+does+chatgpt+know+when+to+stop", loaded="domcontentloaded")
    tab.locator("#search-results > ul > li").nth(1).wait_for()
    found = [a.get_attribute("href") for a in tab.locator("#search-results > ul > li > a").all()[:2]]
    assert "#term-special-token" in found[0] and "06_vocabulary" in found[1], found
    assert "Looked for “special token”" in tab.locator("#search-results").inner_text()


def test_the_page_of_the_search_knows_what_people_call_a_thing(open_tab):
    tab = open_tab("http", "search.html?q=why+does+it+make+things+up", loaded="domcontentloaded")
    tab.locator("#search-results li a[href$='#term-hallucination']").wait_for()
    assert "Looked for “hallucination”" in tab.locator("#search-results").inner_text()
    size = tab.locator(".bd-search-container > h1").evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert size <= 32
