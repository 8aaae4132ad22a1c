"""What the search offers while one types: chapters, then sections that treat the term, then the glossary."""

import pytest

FOUND = "(words) => offers.find(words, TITLES).map(([title, place]) => [title, place])"
# What somebody types → places of which each must be offered, in this order.
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
    "learning rate decay": ("glossary.html#term-learning-rate", "18_training.html#weight-decay"),
    "what is a logit": ("glossary.html#term-logit", "23_inside_the_model.html#a-logit-is-a-sum"),
    "What’s an embedding?": ("glossary.html#term-embedding", "08_embeddings.html"),
    "what does perplexity mean": ("glossary.html#term-perplexity", "18_training.html"),
    "what is RLHF": ("glossary.html#term-RLHF", "26_preferences.html"),
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
    at = -1
    for wanted in TERMS[typed]:
        at = next((k for k, place in enumerate(places) if k > at and wanted in place), None)
        assert at is not None, (wanted, places)
    assert 1 <= len(places) <= 10 and len(set(places)) == len(places)
    glossary = [place.startswith("book/glossary") for place in places]
    sections = [place.startswith("notebooks/") and "#" in place for place in places]
    if any(glossary) and any(sections):
        assert sections.index(True) < glossary.index(True), (
            "a section that treats it stands before the glossary"
        )


@pytest.mark.parametrize("typed", QUESTIONS)
def test_a_question_or_a_misspelt_word_is_offered_what_is_near_it(titles, typed):
    places = [place for _, place in titles.evaluate(FOUND, typed)]
    first, other = QUESTIONS[typed]
    assert first in places[0] and any(other in place for place in places) and len(places) <= 10, places


def test_the_popup_shows_offers_while_one_types_and_says_so_if_there_are_none(open_tab):
    tab = open_tab("http", "book/timeline.html")
    tab.locator(".bd-sidebar-primary .search-button__button").click()
    offered = tab.locator(".offers li")
    for typed in ("why does attention scale", "residual conection", "how does it lea"):
        tab.locator("form.bd-search input:focus").fill("")
        tab.keyboard.type(typed)
        tab.wait_for_function("document.querySelectorAll('.offers a').length > 0")
        assert offered.first.is_visible()
    tab.locator("form.bd-search input:focus").fill("xyzzy")
    tab.wait_for_function("!document.querySelector('.offers a')")
    assert "No title has these words" in offered.inner_text()


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
    links.nth(1).wait_for()
    assert links.nth(0).inner_text().replace("\n", " ").startswith("Overfitting")
    told = [link.locator("small").inner_text() for link in links.all()[:2]]
    assert told == ["chapter 2, How it learns", "chapter 18, Training"]
