// Plain questions in the search.  Sphinx lists a page only where it has every word of a question, "how" and "need" too.
// Here pages are ordered by the words that they share with it, rare words counting more, and words in a title, in a line
// that sends readers to a page, or in a heading more than those of the text; a glossary's terms are places of their own.
document.addEventListener("DOMContentLoaded", () => {
  const PLAIN = new Set(
    ("a about all am an and any are as at be been being by can could did do does doing enough few find for from get getting give "
    + "good had has have having how i if in is it its just like make many may me mean means more most much my need needed needs "
    + "no not of on or our out please should so some take tell than that the their them then there these they this those to "
    + "too up us use using want was way we well were what when where whether which while who whom whose why will with without "
    + "would you your").split(" "),
  );
  const ALSO = { // words of newcomers, and those of the pages; from one to the other only
    accuracy: "check", accurate: "check", annotator: "assessor", annotators: "assessors", bad: "errors", best: "better", budget: "plan",
    changed: "difference", chance: "significance", ci: "gate", compare: "better verdict", comparing: "better verdict", comparison: "better verdict",
    cost: "plan buy", costs: "plan buy", crowdsourcing: "crowd", crowdsource: "crowd", dataframe: "frames", dataframes: "frames",
    evaluators: "judge", evaluator: "judge", gpt: "llm judge", hallucination: "faithfulness claims", hallucinations: "faithfulness claims", grader: "judge", imperfect: "errors judge check", improvement: "better",
    improved: "better", incorrect: "errors", incomplete: "unjudged", missing: "unjudged missing", metric: "measure",
    metrics: "measures", noise: "errors", noisy: "errors judge check", openai: "llm judge", pool: "unjudged pool", power: "plan many", queries: "topics",
    query: "topics", questions: "topics", raters: "assessors", regression: "gate", reliable: "check agreement", sample: "topics sample",
    ship: "better gate", significant: "significance", size: "many", systems: "systems runs", trust: "check", trustworthy: "check",
    unlabeled: "unjudged", unlabelled: "unjudged", winner: "better", wrong: "errors",
  };
  const PHRASES = [ // what is asked by several words
    [/how (many|much|large|big)|sample size|enough (topics|labels|queries|data)/, "plan many"],
    [/\bgood enough\b|how good|can i (trust|use|rely)/, "check"],
    [/\ba\/b\b|which (one |system |model )?is better|\bwins?\b/, "better verdict"],
    [/\bnext\b/, "labels buy"],
    [/multiple (comparison|test)|family-?wise/, "significance tests many systems"],
  ];
  const DEFINED = /^(what|whats|what's) (is|are|does|do)\b|\bmeaning\b|\bmeans?\b|^define\b|definition/;
  const FIELDS = { title: 6, hint: 4, heading: 3, text: 1 };
  const ALIKE = 0.7; // of a word that is meant, beside the word itself
  const MOST = 12;
  const PARTS = [ // how likely a newcomer wants it
    [/^start\//, 1.2], [/^howto\/coming-from\//, 0.7], [/^howto\/(?!index)/, 1.25], [/^tutorials\/(?!index)/, 1.05],
    [/^explanation\/(?!index|errata)/, 1.05], [/^reference\/(measures|formats|glossary|python|study-file)/, 1.1],
    [/^reference\/commands\/(?!index)/, 0.9], [/^reference\/api/, 0.7], [/^reference\/errors/, 0.45], [/^evidence\//, 0.7],
    [/^about\/(changelog|contributing)/, 0.25], [/index$/, 0.5],
  ];

  const stemmer = new Stemmer();
  const words = (text) => text.toLowerCase().replaceAll("’", "'").match(/[a-z0-9][a-z0-9_@'+-]*/g) || [];
  const stems = (text) => new Set(words(text).flatMap((w) => [w, ...w.split(/[-_']/)]).filter((w) => w).map((w) => stemmer.stemWord(w)));

  let made = null; // places that can be found, from Sphinx's index and QUESTIONS
  const places = () => {
    if (made) return made;
    const index = Search._index;
    const pages = index.docnames.map((name, i) => ({
      file: i, name, anchor: "", title: index.titles[i], shown: index.titles[i], titled: stems(index.titles[i]), hints: new Set(), about: null,
      headings: [], part: (PARTS.find(([of]) => of.test(name)) || [null, 1])[1], term: false,
    }));
    for (const [title, at] of Object.entries(index.alltitles))
      for (const [file, anchor] of at) if (anchor !== null) pages[file].headings.push([title, `#${anchor}`, stems(title)]);
    const of = new Map(pages.map((page) => [page.name, page]));
    const terms = [];
    for (const [name, anchor, text, kind, about] of QUESTIONS) {
      const page = of.get(name);
      if (!page) continue;
      if (kind === "term")
        terms.push({ ...page, anchor: `#${anchor}`, shown: `${page.title} > ${text}`, titled: stems(text), headings: [], hints: new Set(), about, term: true });
      else {
        stems(text).forEach((stem) => page.hints.add(stem));
        page.about = page.about || about || null;
      }
    }
    const having = (table, stem) => (Object.hasOwn(table, stem) ? [table[stem]].flat() : []);
    const pagesWith = (stem) => new Set([...having(index.terms, stem), ...having(index.titleterms, stem)]);
    made = { all: [...pages, ...terms], pagesWith, count: pages.length };
    return made;
  };

  const asked = (query) => { // groups of stems; one of each group is looked for
    const text = query.toLowerCase();
    const plain = words(text).filter((word) => !PLAIN.has(word));
    const more = PHRASES.filter(([of]) => of.test(text)).flatMap(([, others]) => others.split(" "));
    const groups = plain.map((word) => [[word, 1], ...(ALSO[word] || "").split(" ").filter((w) => w).map((w) => [w, ALIKE])]);
    groups.push(...more.filter((word) => !plain.includes(word)).map((word) => [[word, ALIKE]]));
    return groups.map((group) => group.map(([word, weight]) => [stemmer.stemWord(word), weight]));
  };

  const ranked = (query) => {
    const groups = asked(query);
    if (!groups.length) return [];
    const { all, pagesWith, count } = places();
    const known = new Map(groups.flat().map(([stem]) => [stem, pagesWith(stem)]));
    const rare = (stem) => Math.log(1 + count / Math.max(1, known.get(stem).size));
    const defined = DEFINED.test(query.toLowerCase());
    const value = (place) => {
      let sum = 0;
      let met = 0;
      let whole = 0;
      let heading = [0, ""];
      for (const group of groups) {
        const most = Math.max(...group.map(([stem, weight]) => weight * rare(stem)));
        const best = Math.max(...group.map(([stem, weight]) => {
          const field = place.titled.has(stem) ? FIELDS.title : place.hints.has(stem) ? FIELDS.hint
            : place.headings.some(([, , s]) => s.has(stem)) ? FIELDS.heading
              : !place.term && known.get(stem).has(place.file) ? FIELDS.text : 0;
          return field * weight * rare(stem);
        }));
        sum += best;
        met += best > 0 ? most : 0;
        whole += most;
      }
      if (!sum) return null;
      for (const [title, anchor, has] of place.headings) {
        const shared = groups.reduce((total, group) => total + Math.max(...group.map(([stem, w]) => (has.has(stem) ? w * rare(stem) : 0))), 0);
        if (shared / Math.sqrt(1 + has.size) > heading[0]) heading = [shared / Math.sqrt(1 + has.size), anchor, title, shared];
      }
      const titled = groups.reduce((total, group) => total + Math.max(...group.map(([stem, w]) => (place.titled.has(stem) ? w * rare(stem) : 0))), 0);
      const at = heading[1] && heading[3] > titled ? heading : null;
      const short = 1 / Math.sqrt(1 + 0.08 * place.titled.size);
      const score = sum * (met / whole) * place.part * short * (place.term && defined ? 1.6 : 1);
      return [place.name, at ? `${place.title} > ${at[2]}` : place.shown, at ? at[1] : place.anchor, at ? null : place.about, score, place.file, titled > 0];
    };
    return all.map(value).filter((one) => one).sort((a, b) => b[4] - a[4])
      .filter((one, i, rows) => one[4] > 0.25 * rows[0][4]).slice(0, MOST)
      .map((one) => [...one.slice(0, 5), Search._index.filenames[one[5]], "text", one[6]]);
  };

  const perform = Search._performSearch;
  if (!perform) return; // a Sphinx that searches otherwise
  Search._performSearch = (query, ...others) => {
    const theirs = perform(query, ...others);
    if (query.trim().startsWith("-")) return theirs; // an option
    const ours = ranked(query);
    const seen = new Set(ours.map((one) => one[0] + one[2]));
    const rest = theirs.filter((one) => !seen.has(one[0] + one[2]));
    const named = /^\w+([_.]\w+)+$/.test(query.trim()) && !(ours.length && ours[0][7]) // a name of Python, and of no page
      ? rest.filter((one) => one[6] === "object") : [];
    return [...rest.filter((one) => !named.includes(one)), ...ours.map((one) => one.slice(0, 7)).reverse(), ...named]; // last first
  };
});
