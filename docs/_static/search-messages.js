// Error messages in the search.  Sphinx lists a page only where it has every word, and a message that was pasted has
// words of its own case: files, values, numbers.  So messages are held against it by the words that they share, rare
// words counting more, and the best stand before all other results.
document.addEventListener("DOMContentLoaded", () => {
  // which is asked for before searchtools.js, and so runs before its search
  const FEWEST = 4; // words of messages that have to be pasted, else it is a search by words
  const SHORTEST = 3; // words of a message that is known by what is wrong; of a shorter one what to do counts, too
  const COVERED = 0.75; // of a message, by weight, that has to stand in what was pasted
  const MOST = 3;
  const words = (text) => // --min-effect on the command line is min_effect in Python
    new Set((text.toLowerCase().match(/[a-z][a-z'_-]+/g) || []).map((word) => word.replaceAll("-", "_")));

  const longest = (problem) => // what stands between two values
    problem.toLowerCase().split("...").map((x) => x.replace(/^[^a-z]+|[^a-z]+$/g, "")).sort((a, b) => b.length - a.length)[0];

  const messages = MESSAGES.map(([page, place, problem, remedy, bare]) => ({
    page, place, problem, remedy, words: words(bare), all: words(`${bare} ${remedy}`), longest: longest(problem),
  }));
  messages.forEach((m) => { // each is enough; several remedies are for a case each
    m.known_by = m.words.size < SHORTEST ? m.remedy.split("; or ").map((x) => words([...m.words, x].join(" "))) : [m.words];
  });
  const seen = new Map();
  messages.forEach((m) => m.all.forEach((word) => seen.set(word, (seen.get(word) || 0) + 1)));
  const weight = (word) => Math.log(1 + messages.length / (seen.get(word) || 1));
  const total = (some) => [...some].reduce((sum, word) => sum + weight(word), 0);
  const shared = (some, others) => new Set([...some].filter((word) => others.has(word)));

  const found = (query) => {
    const pasted = words(query);
    const known = new Set([...pasted].filter((word) => seen.has(word)));
    const text = query.toLowerCase();
    const verbatim = (m) => m.words.size > 1 && m.longest.includes(" ") && total(m.words) <= total(shared(m.words, known))
      && text.includes(m.longest);
    const covered = (m) => known.size >= FEWEST && m.words.size
      && m.known_by.some((some) => total(shared(some, known)) >= COVERED * total(some));
    return messages
      .filter((m) => covered(m) || verbatim(m))
      .map((m) => ({ ...m, score: total(shared(m.all, known)) - 0.5 * total([...m.words].filter((w) => !known.has(w))) }))
      .sort((a, b) => b.score - a.score)
      .filter((m, i, all) => all.findIndex((other) => other.problem === m.problem) === i)
      .slice(0, MOST);
  };

  const perform = Search._performSearch;
  if (!perform) return; // a Sphinx that searches otherwise
  Search._performSearch = (query, ...others) => [
    ...perform(query, ...others),
    ...found(query)
      .map((m) => [m.page, m.problem, `#${m.place}`, m.remedy || null, m.score, `${m.page}.md`, "text"])
      .reverse(), // the last is shown first
  ];
});
