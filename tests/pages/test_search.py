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


def test_sections_of_one_name_are_told_apart_by_their_chapter(open_tab):
    tab = open_tab("http", "notebooks/06_vocabulary.html")
    tab.keyboard.press("Control+k")
    tab.locator("form.bd-search input:focus").type("overfitting")
    links = tab.locator(".offers a")
    links.nth(1).wait_for()
    assert links.nth(0).inner_text().replace("\n", " ").startswith("Overfitting")
    told = [link.locator("small").inner_text() for link in links.all()[:2]]
    assert told == ["chapter 2, How it learns", "chapter 18, Training"]
