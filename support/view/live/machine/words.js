// What a pass of the machine view says in words: a row for each part, an opened part, and what the model says next.
(() => {
  "use strict";
  const {Reader, softmax, BOS, EOS, after, surely, exactly, placed} = window.ModelText;
  const NOTHING = "nothing", LISTED = 9; // candidates, the most probable first
  const goesFrom = (alike) => alike > LISTED ? `; the ${LISTED} listed go` : ","; // (a word that is named is listed)
  const ranked = (numbers) => window.ModelText.ranked(Array.from(numbers, (x) => Math.round(x * 1e12))); // equal but for rounding is equal
  const best = (numbers) => {
    let at = 0, top = -Infinity;
    for (let i = 0; i < numbers.length; i++) {
      const value = Math.round(numbers[i] * 1e12);
      if (value > top) [at, top] = [i, value];
    }
    return at;
  };
  const norm = (numbers) => Math.sqrt(numbers.reduce((sum, x) => sum + x * x, 0));

  // A row for each part: what it does for the chosen word, how much, and what the model would say then.
  function rows(held, answers, words, here, off, {fill, shown}) {
    const {reader, model: {config: c}, tokens} = held;
    const row = (part, does, size, stage) => {
      const item = {key: part, part, does, size, answer: "", sure: ""};
      if (stage === undefined) return item;
      const first = best(answers[stage]);
      return {...item, answer: tokens[first], sure: surely(shown, answers[stage][first])};
    };
    const found = [row("embedding", `row ${held.ids.get(words[here])} of the embedding, plus position ${here + 1}`, norm(reader.stream(0, here)), 0)];
    for (let i = 0; i < c.n_layers; i++) {
      for (let h = 0; h < c.n_heads; h++) {
        const weights = reader.pattern(i, h, here), most = best(weights);
        const does = off.includes(`h${i}${h}`) ? "switched off" : fill("attends most to {w} ({p:.0%})", {w: placed(words, most), p: weights[most]});
        found.push(row(`head ${i}.${h}`, does, norm(reader.head(i, h, here))));
      }
      const write = (array) => norm(array[i].subarray(here * c.d_model, (here + 1) * c.d_model));
      found.push(row(`attention ${i}`, "adds the outputs of its heads", write(reader.attention), 2 * i + 1));
      const active = reader.activations(i, here).filter((a) => a > 0).length;
      found.push(row(`feed-forward ${i}`, off.includes(`m${i}`) ? "switched off" : `${active} units are active`, write(reader.feedForward), 2 * i + 2));
    }
    return found;
  }

  // One plain sentence or two: what an opened part does here, with the words at hand.
  function inWords(part, held, words, here, parts, off, {fill}) {
    const {reader, model: {config: c}} = held, [kind, place = ""] = part.split(" "), [i, h] = place.split(".").map(Number);
    const about = {word: words[here], d: c.d_model, place: here + 1, heads: c.n_heads, units: c.d_ff};
    if (kind === NOTHING) return "";
    if (kind === "embedding") return fill("“{word}” is looked up in a table: its own row of {d} numbers, plus the row of its position, {place} (counted from 1).", about);
    if (kind === "head") {
      const from = sources(reader.pattern(i, h, here), words, here, fill), begins = here && from.includes(`“${BOS}”`);
      const said = off.includes(`h${i}${h}`) ? "This head is off; on, it lets “{word}” collect from {sources}." : "This head lets “{word}” collect information from {sources}.";
      return fill(said, {...about, sources: from}) + (begins ? ` Weights add up to 100%: what does not lie on the words of this text lies on “${BOS}”, which begins every text.` : "");
    }
    const answers = parts.filter((row) => row.answer), {answer: last, sure: certain} = answers.at(-1);
    if (kind === "logits") return fill("The numbers of “{word}” are compared with the row of every word in the vocabulary: the better they fit, the more probable is the word. The most probable is “{last}” ({certain}).", {...about, last, certain});
    const at = answers.findIndex((row) => row.key === part), changed = ` If the pass stopped before it, the guess would be “${answers[at - 1].answer}” (${answers[at - 1].sure}); ${at < answers.length - 1
      ? `after it, “${answers[at].answer}” (${answers[at].sure}). Neither is an answer yet: the later parts read what this one writes.`
      : `with it, the answer is “${answers[at].answer}” (${answers[at].sure}).`}`;
    if (kind === "attention") {
      const again = i ? fill(" They read the numbers as block {before} left them: each word brings along what it collected there.", {before: i - 1}) : "";
      return fill("What the heads have collected is added to the numbers of “{word}”.", about) + again + changed;
    }
    if (off.includes(`m${i}`)) return fill("This network is switched off: it adds nothing to “{word}”.", about);
    const active = reader.activations(i, here).filter((a) => a > 0).length;
    return fill("This network works on “{word}” alone: {active} of its {units} units are active, and what they write is added to its numbers.", {...about, active}) + changed;
  }
  // From where a head collects, the most first: at most three words, and what is left for the others.
  function sources(weights, words, here, fill) {
    const most = ranked(weights).slice(0, 3).filter((k, n) => !n || weights[k] >= 0.05);
    const said = most.map((k) => fill("{from} ({p:.0%})", {from: k === here ? "itself" : placed(words, k), p: weights[k]}));
    const rest = 1 - most.reduce((sum, k) => sum + weights[k], 0);
    const left = 1 - most.reduce((sum, k) => sum + Math.round(100 * weights[k]), 0) / 100; // what is told adds up to 100%
    if (rest >= 0.05) said.push(fill("others ({p:.0%})", {p: left}));
    return said.length === 1 ? said[0] : `${said.slice(0, -1).join(", ")} and ${said.at(-1)}`;
  }

  // What the model says with all its parts; kept as long as the text is the same.
  function intact(held, here, shown) {
    const {reader, model, tokens} = held;
    held.intact ||= new Reader(model);
    const row = softmax(held.intact.read(reader.ids).logitsAt(here)), i = best(row);
    return {other: tokens[i], sure: exactly(shown, row[i])};
  }

  // What the sliders make of it: how many words are left, and the share of the most probable one, if it is another.
  function inTheDraw({word, p, plain}, left, count, shown) {
    const other = Math.abs(p - plain) > 5e-4 && left > 1, gives = `gives “${word}” ${exactly(shown, p)}`;
    if (left === count) return other ? ` The draw ${gives}.` : "";
    return ` The draw is between ${left === 1 ? "one word" : `${left} words`}${other ? ` and ${gives}` : ""}.`;
  }
  function finding(held, {left, alike, least, low}, words, here, found, first, {fill, shown, speed}) { // (while it plays, a stage is told so that it is soon read)
    const {reader, tokens, model: {config: c}} = held, [part, layer] = found.step_name.split(" "), i = Number(layer);
    const about = {word: words[here], place: here + 1, d: c.d_model, units: c.d_ff, best: first.word, p: exactly(shown, first.plain), layer,
      after: after(words.slice(held.begins, here + 1).join(" "))};
    if (found.chosen?.opens) return fill("No word stands out, so Play puts in “{word}” itself: a title will follow.", found.chosen);
    if (part === "choice" && !found.over) return fill(speed ? "“{best}” is chosen, with {p}." : `The most probable word, “{best}” with {p}, is chosen${words.length < c.context ? ": “Step” appends it." : ", but the text is as long as the model can read."}`, about);
    if (part === "prediction" || part === "choice") {
      if (found.over) return `The text has ended: nothing follows ${EOS}. Press “Play” to begin again, or “Back” to take the last word back.`;
      const drawn = inTheDraw(first, left, tokens.length - c.masked_ids.length, shown);
      const off = found.off.length ? fill(" With all parts it would be “{other}” with {sure}.", intact(held, here, shown)) : "";
      const said = alike > 3 ? "{after} {alike} words are about equally probable{listed} from “{best}” with {p} to “{least}” with {low}." : "{after} the most probable next word is “{best}” with {p}.";
      return fill(said, {...about, alike, least, low, listed: goesFrom(alike)}) + drawn + off; // (a tie has no winner)
    }
    if (part === "embedding") return fill(`“{word}” becomes {d} numbers${speed ? "" : ": its embedding plus that of position {place}"}.`, about);
    if (part === "attention") {
      if (!here) return fill("Attention {layer}: “{word}” has no word before it to collect information from.", about);
      let head = -1, key = -1, weight = -1;
      const begins = Math.min(held.begins, here - 1); // <BOS> counts only where no other stands before it
      for (let h = 0; h < c.n_heads; h++) {
        if (found.off.includes(`h${i}${h}`)) continue;
        reader.pattern(i, h, here).slice(begins, here).forEach((p, k) => { if (p > weight) [head, key, weight] = [h, k + begins, p]; });
      }
      if (head < 0) return fill("Attention {layer}: all heads are switched off.", about);
      if (speed) found.told = `head ${layer}.${head}`; // (it is lit)
      const said = speed ? "Attention {layer}: head {layer}.{head} takes {weight:.0%} from {other}." : here === held.begins ? "Attention {layer}: only {other} stands before “{word}”, which collects most from it through head {layer}.{head} ({weight:.0%})."
        : "Attention {layer}: “{word}” collects information from the words before it, most from {other} (head {layer}.{head}, {weight:.0%}).";
      return fill(said, {...about, head, weight, other: placed(words, key)});
    }
    if (found.off.includes(`m${layer}`)) return fill("Feed-forward {layer} is switched off.", about);
    const active = reader.activations(i, here).filter((a) => a > 0).length;
    return fill(speed ? "Feed-forward {layer}: {active} units light up." : "Feed-forward {layer} works on each word alone: {active} of its {units} units are active for “{word}”.", {...about, active});
  }
  // The answer where there is room for a line or two, and the text stands above.
  function brief(held, {left, alike, least, low}, {words, here, over, off, step_name: step, finding}, first, {shown}) {
    if (step !== "prediction" && !over) return finding;
    if (over) return "The text has ended. “Play” begins again, “Back” takes the last word back.";
    const drawn = inTheDraw(first, left, held.tokens.length - held.model.config.masked_ids.length, shown);
    const best = `“${first.word}” with ${exactly(shown, first.plain)}`, place = here < words.length - 1 ? `After “${words[here]}”: ` : "";
    if (alike > 3) return `${place}${alike} words are about equally probable${goesFrom(alike)} from ${best} to “${least}” with ${low}.${drawn}`;
    const {other, sure} = off.length ? intact(held, here, shown) : {};
    return `${place || "Next: "}${best}${other ? `; with all parts “${other}” with ${sure}` : ""}.${drawn}`;
  }

  window.MachineWords = {NOTHING, LISTED, best, ranked, norm, rows, inWords, finding, brief};
})();
