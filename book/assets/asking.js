// What somebody asks, before anything is looked for: its words, those that only ask, and what people call a thing that the book calls by
// its term. offers.js and find.js (the page of the search) know it from here.
const asking = (() => {
  "use strict";
  // A title as words that compare: British spelling, no plural, no capitals. ("KV-caches" is "kv cache".)
  const AMERICAN = /(?<=[a-z]{2}[iy])z(?=(?:e|ed|es|er|ers|ing|ation|ations)\b)/g, OR = /\b(behavi|col|fav|neighb)or/g;
  const wordsOf = (text) => (text.toLowerCase().replace(AMERICAN, "s").replace(OR, "$1our").match(/[\p{L}\p{N}]+/gu) || [])
    .map((word) => word.length > 3 ? word.replace(/([^s])s$/, "$1") : word);
  // Words that ask, and are not what somebody asks about (find.js knows them, too), and words that only join or count others.
  const ASKING = "about can cannot could did do does ever get gets give had happen happens has have how i its just kind know llm llms made make makes making may me might must my need needed needs our say should so some stop tell than them thing things up us use used uses using want we what when where which who why work works would you your";
  const JOINING = "a an and are as at be become becomes been being between but by difference for from if in into is it many more much no not of on one or such that the their then there they this to too was were will with";
  const quiet = new Set(wordsOf(`${ASKING} ${JOINING}`));
  const onlyAsks = (text) => wordsOf(text).every((word) => quiet.has(word));
  // What people call a thing that the book calls by its term, or that a place is about. (The page of the search knows it, too.)
  const RUN = "book/how_to_use.html#run-it", ERRATA = "book/errata.html";
  const COUNTED = "notebooks/24_real_checkpoints.html#deeper-counting-published-models", IN_MEMORY = "notebooks/20_training_at_scale.html#what-has-to-be-in-memory";
  const CALLED = [
    [/\b(?:mak(?:e|es|ing)\s+(?:things?|stuff|facts?|up)\s+(?:up|things?|stuff|facts?)|l(?:ie|ies|ying)\s+to\s+(?:me|us|you)|(?:chat\s?gpt|it|they|models?)\s+l(?:ie|ies|ying))\b/i, "hallucination"],
    [/\b(?:choos|pick|select)(?:e|es|ing|s)?\s+(?:the\s+|its\s+|a\s+)?(?:next\s+)?(?:word|token)s?\b/i, "sampling"],
    [/\bforget(?:s|ting)?\s+(?:what\s+(?:i|we|you)\s+(?:said|say|told|wrote)(?:\s+it)?|the\s+(?:beginning|start))\b/i, "context window"],
    [/(?:\b(?:chat[- ]?(?:gpt|bots?)|(?:an?\s+|the\s+)?(?:assistant|ai))\s+)?\bknows?\s+when\s+to\s+stop(?:\s+(?:writing|talking|generating|answering))?\W*$|\b(?:when|how)\s+do(?:es)?\s+(?:it|they|chat[- ]?(?:gpt|bots?)|(?:an?\s+|the\s+)?(?:assistants?|ai|llms?|(?:language\s+)?models?))\s+stop(?:\s+(?:writing|talking|generating|answering))?\W*$/i, "special token"],
    [/\bchat[- ]?(?:bots?|gpt)\b/i, "assistant"],
    [/\bguess(?:es|ing)?\s+the\s+next\s+(?:word|token)s?\b/i, "next-token distribution"],
    [/^\s*(?:what\s+(?:is|are)\s+)?(?:an?\s+)?llms?\W*$/i, "language model"],
    [/\bword\s+vectors?\b/i, "embedding"],
    [/\b(?:creativity|how\s+creative|randomness)\b/i, "temperature"],
    [/\blook(?:s|ing)?\s+things?\s+up\b/i, "retrieval"],
    [/\b(?:know(?:s|ing)?\s+)?(?:(?:the\s+)?(?:word\s+order|order\s+of\s+(?:the\s+|its\s+)?(?:words|tokens))|(?:in\s+)?(?:which|what)\s+order\s+(?:the\s+)?(?:words|tokens)\s+(?:are|come|stand)(?:\s+in)?)\b/i, "positions"],
    [/\b(?:run|try|use)\s+(?:this|it|(?:the|this)\s+(?:book|code)|the\s+notebooks?)\s+on\s+(?:my|a|your)\s+(?:own\s+)?(?:laptop|computer|machine|pc|mac)\b/i, "run it", RUN],
    [/\b(?:(?:i|you|we)\s+)?needs?\s+(?:a\s+|the\s+)?(?:gpu|graphics\s+card)s?\b|\bgpus?\s+needed(?:\s+(?:for|in)\s+training)?\b|^\s*(?:gpu|graphics\s+card)s?\s*$/i, "run it", RUN],
    [/^\s*(?:(?:how|where)\s+)?(?:(?:do|can|to)\s+)?(?:(?:i|you|we)\s+)?(?:(?:run|open|try|use)\s+)?(?:(?:it|this|(?:the|this)\s+(?:book|code|notebooks?|chapters?))\s+)?(?:(?:on|in|with)\s+)?(?:google\s+)?colab\W*$/i, "run it", RUN],
    [/\b(?:(?:code|source)\s+(?:of|for)\s+)?(?:the\s+)?sampling\s+(?:function|code)\b|\bcode\s+(?:of|for)\s+sampling\b/i, "next_token"],
    [/^\s*(?:mistakes?|corrections?|(?:errors?|mistakes?|corrections?)\s+(?:in|of)\s+(?:the\s+|its\s+)?(?:sources?|texts?|papers?)|what\s+(?:did|does|has)\s+(?:the|this)\s+book\s+f(?:i|ou)nd\s+wrong.*|(?:what\s+is\s+)?wrong\s+in\s+(?:its|the)\s+sources)\W*$/i, "errata", ERRATA],
    [/^\s*(?:how\s+much\s+(?:gpu\s+)?(?:memory|v?ram)\s.*?\b)?(?:for\s+)?(?:an?\s+|the\s+)?(?:llama|mistral|gemma|qwen)?[-\s]*[\d.]*[-\s]*\b\d+\s?b\b(?:\s+models?)?(?:\s+needs?)?\W*$/i, "counting published models", COUNTED],
    [/\bhow\s+much\s+(?:gpu\s+)?(?:memory|v?ram)\s+(?:(?:does|do|is|are)\s+)?(?:(?:i|you|we|it|(?:an?\s+|the\s+)?(?:models?|llms?|training))\s+)?need(?:s|ed)?\b|^\s*(?:gpu\s+memory|v?ram)\W*$/i, "what has to be in memory", IN_MEMORY],
  ];
  const calledIn = (text) => CALLED.find(([words]) => words.test(text));
  const alone = (text) => { // of a question that has nothing else in it
    const called = calledIn(text);
    return called && onlyAsks(text.replace(called[0], "").replace(/\bmodels?\b/i, "")) ? called : [];
  };
  const termOf = (text) => alone(text)[2] ? null : alone(text)[1];
  // The place that a question is led to, and how many come before it. (“Errors” are measured, too.)
  const placeOf = (text) => /^\s*errors?\s*$/i.test(text) ? [ERRATA, 2] : [alone(text)[2], 0];
  const inTerms = (text) => alone(text)[1] ?? (calledIn(text) ? text.replace(...calledIn(text)) : text);
  const quoted = (words) => words.map((word) => `“${word}”`).join(", ").replace(/, (?=[^,]*$)/, " and ");
  return {quoted, wordsOf, quiet, onlyAsks, alone, termOf, placeOf, inTerms, QUIET: `${ASKING} ${JOINING}`};
})();
