// What the search offers for an empty field: a chapter that was begun, the one that comes next, and the pages where one looks things up.
const readsOn = (titles) => {
  const kept = (name) => { try { return localStorage.getItem(name) || ""; } catch { return ""; } }; // (reading.js keeps them)
  const here = document.body.dataset.chapter, names = [...document.querySelectorAll(".bd-docs-nav a[data-chapter]")].map((link) => link.dataset.chapter);
  const read = kept("read").split(" "), begun = names.filter((name) => name !== here && kept(`seen-${name}`) && !read.includes(name)).slice(-2);
  const next = names.slice(names.indexOf(here) + 1).find((name) => !read.includes(name) && !begun.includes(name));
  const of = (is, why) => titles.filter(([, place]) => is.test(place)).map(([title, place]) => [title, place, {}, "", why]);
  const chapter = (name, why) => of(RegExp(`^notebooks/${name}_[^#]*$`), why), page = (name) => of(RegExp(`^book/${name}.html$`), "");
  return [...begun.flatMap((name) => chapter(name, "begun")), ...chapter(next, here ? "the next" : read[0] ? "not read yet" : "the first"),
    ...["glossary", "notation", "playground"].flatMap(page), ["The package", "book/api.html", {}, "", ""]];
};
