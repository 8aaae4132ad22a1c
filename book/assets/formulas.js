// A formula in a line of text, for the excerpts of the search (find.js asks for this script): what is raised or lowered stays so, and
// a sign between two things has room. A matrix is left out.
window.formulas = (() => {
  "use strict";
  const signs = (those) => Object.fromEntries([...those].map((sign) => [sign.normalize("NFKC"), sign]));
  const HIGH = {...signs("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ"), "-": "⁻", "⊤": "ᵀ", "′": "′", "∗": "*"};
  const LOW = signs("₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"), OVER = {"^": "\u0302", "~": "\u0303", "ˉ": "\u0304", "‾": "\u0304"};
  const ENDS = "\u2061"; // (a sign that is not seen, after the name of a function: “log 2”)
  const shifted = (inner, those, mark) => {
    const text = inner.replaceAll(ENDS, ""), word = /^\p{L}{3,}$/u.test(text); // (“d_model” is easier to read with a line than with small letters)
    if (!word && [...text].every((sign) => those[sign])) return [...text].map((sign) => those[sign]).join("");
    return mark + (text.length < 2 || (mark === "_" && /^[\p{L}\p{N}]+$/u.test(text)) ? text + ENDS : `(${text})`);
  };
  const raised = (text) => shifted(text, HIGH, "^"), lowered = (text) => shifted(text, LOW, "_"), whole = (text) => /[ /]/.test(text) ? `(${text})` : text;
  const ending = (base) => /[∑∏\u2061]/.test(base) ? ENDS : "";
  const PARTS = {
    msup: (base, high) => base + raised(high), msubsup: (base, low, high = "") => base.replace(ENDS, "") + lowered(low) + raised(high) + ending(base),
    mfrac: (above, below) => `${whole(above)}/${whole(below)}`, msqrt: (...inner) => `√${whole(inner.join(""))}`, mover: (base, sign) => base + (OVER[sign] || ""), mtable: () => "…", mspace: () => " ", annotation: () => "",
  };
  PARTS.msub = PARTS.munder = PARTS.munderover = PARTS.msubsup;
  function asText(math) {
    const said = (node, close) => {
      const inner = [...node.children || []], tight = close || /^(m(su|und)|annotation)/.test(node.localName), parts = inner.map((part, k) => said(part, tight && (k > 0 || close)));
      if (PARTS[node.localName]) return PARTS[node.localName](...parts);
      if (!inner.length) return node.textContent;
      const opens = (k) => /(^|[([{⟨,;:=<>≤≥≈≠∈∝→+−×·⋅/])\s*$/.test(parts.slice(0, k).join("")); // (what comes then is the sign of a number)
      return parts.map((part, k) => tight || inner[k].localName !== "mo" || k === parts.length - 1 ? part : part === "," ? ", " : /^[−=+·⋅×÷±<>≤≥≈≠∈∼∝→←⊙∘≫⟹]$/.test(part) && !opens(k) ? ` ${part} ` : part).join("");
    };
    return said(math, false).replace(/(?<=[\p{L}\p{N}])(?=(?:ln|log|sin|cos|exp)\u2061)/gu, " ").replace(/\u2061(?=[\p{L}\p{N}√])/gu, " ").replaceAll(ENDS, "");
  }
  return {asText, raised: (text) => raised(text).replaceAll(ENDS, "")};
})();
