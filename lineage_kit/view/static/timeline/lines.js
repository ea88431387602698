// Shapes, brackets and lines of the timeline: what stands beside its rows. The files pane.js and
// timeline.js follow this one in the same module.
//
// `view` is the window on the log: first, last (rows, with fractions), height and width (pixels), y (row to pixels),
// gutter (pixels before the rows), label (of these, pixels for words), count, highest (bracket), at (the event of the
// slider), selected, and relations (of the selected event, or null).

const ROW = 40; // pixels of a row; timeline.css says the same
const LABEL = { wide: 124, tight: 88 }; // pixels for what a bracket says; timeline.css says the same
const TIGHT = 720; // a window on the log narrower than this has the tight ones
const LANES = 84; // pixels for brackets, however deeply nested
const TRUNKS = 4; // replacement lines drawn side by side
const ARCS = 150; // citation lines drawn at once
const SVG = "http://www.w3.org/2000/svg";

const STATES = ["current", "shadowed", "log-only", "later", "unknown"];
const MARKS = {
  current: [["circle", { cx: 6, cy: 6, r: 4.6, class: "lk-full" }]],
  shadowed: [
    ["rect", { x: 1.5, y: 1.5, width: 9, height: 9, class: "lk-open" }],
    ["path", { d: "M1.5 6 6 1.5M1.5 10.5l9-9M6 10.5 10.5 6", class: "lk-open" }],
  ],
  "log-only": [["path", { d: "M1.5 6h9", class: "lk-open" }]],
  later: [["circle", { cx: 6, cy: 6, r: 4.6, class: "lk-open", "stroke-dasharray": "2 2" }]],
  unknown: [["path", { d: "M3.5 4.5a2.5 2.5 0 1 1 2.5 2.5v1M6 10v1", class: "lk-open" }]],
};

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

const classes = (...names) => names.filter(Boolean).join(" ");

const button = (text, title, onclick, more = {}) => element("button", { type: "button", title, onclick, ...more }, text);

const drawn = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

const mark = (state) =>
  drawn("svg", { class: `lk-mark lk-is-${state}`, viewBox: "0 0 12 12", "aria-hidden": "true" },
    MARKS[state].map(([tag, how]) => drawn(tag, how)));

/** A sample of one of the two kinds of line. */
const sample = (kind) =>
  drawn("svg", { class: `lk-sample lk-of-${kind}`, viewBox: `0 0 ${kind === "bracket" ? 16 : 40} 14`, "aria-hidden": "true" },
    kind === "replaced"
      ? [drawn("path", { d: "M5 7H35", class: "lk-trunk" }),
        ...[2, 32].map((x) => drawn("rect", { x, y: 4, width: 6, height: 6, class: "lk-end" }))]
      : kind === "cites"
        ? [drawn("path", { d: "M3 11Q18 -3 33 8", class: "lk-arc" }), drawn("path", { d: "M37 11l-7-2 4-4z", class: "lk-tip" })]
        : [drawn("path", { d: "M12 1.5H6V12.5H12", class: "lk-bracket" })]);

/** Hands bytes to the browser as a file. */
function save(name, bytes, type) {
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Where an event stood after event `at`; `row` has place, since and until. */
function stateOf(row, at, timeline) {
  if (!timeline.sound) return "unknown";
  if (row.place > at) return "later";
  if (row.since === null) return "log-only";
  return row.until > at ? "current" : "shadowed";
}

function stateWords(row, at, timeline) {
  const state = stateOf(row, at, timeline);
  if (state === "unknown") return "not known";
  if (state === "shadowed") return `SHADOWED by #${row.until}`;
  return state === "current" && row.until < timeline.count ? `current until #${row.until}` : state;
}

/** What rows have to do with the selected event, in words, by row. */
function tiesOf({ relations, selected }) {
  const ties = new Map();
  if (!relations) return ties;
  const tie = (other, words) => (ties.get(other) ?? ties.set(other, []).get(other)).push(words);
  const chain = [selected, ...relations.chain.events];
  chain.slice(1).forEach((other, step) => tie(other, `replaced #${chain[step]}`));
  for (const other of relations.replaced.events) tie(other, `replaced by #${selected}`);
  for (const other of relations.cites.events) tie(other, `cited by #${selected}`);
  for (const other of relations.cited.events) tie(other, `cites #${selected}`);
  return ties;
}

const lanesOf = (view) => Math.min(LANES, view.highest * 12);

/** The brackets that can be seen, from those known; each over the events that its replacement covers. */
const bracketsIn = (view, known) => known.filter((bracket) => bracket.first < view.last && bracket.last + 1 > view.first);

function drawBrackets(view, brackets) {
  const step = lanesOf(view) / Math.max(1, view.highest);
  return brackets.map((bracket) => {
    const x = view.label + lanesOf(view) - (bracket.height - 0.3) * step;
    const tick = x + Math.min(step * 0.6, 6);
    const [start, end] = [Math.max(view.y(bracket.first) + 5, -20), Math.min(view.y(bracket.last + 1) - 5, view.height + 20)];
    const how = `lk-bracket${bracket.seq > view.at ? " lk-later" : ""}${bracket.seq === view.selected ? " lk-chosen" : ""}`;
    return drawn("path", { class: how, "data-seq": bracket.seq, d: `M${tick} ${start}H${x}V${end}H${tick}` });
  });
}

/**
 * What brackets say, and at which row: the first one under each; where that is taken, or above the window, the next
 * free one. Brackets over the same events share a place. Of those that find none the replacing event's own row tells.
 */
function labelsOf(view, brackets) {
  const groups = new Map();
  for (const bracket of brackets) {
    const key = `${bracket.first} ${bracket.last}`;
    (groups.get(key) ?? groups.set(key, []).get(key)).push(bracket);
  }
  const outer = (group) => group[group.length - 1];
  const starts = (group) => group[0].first >= view.first;
  const order = [...groups.values()].map((group) => group.sort((one, other) => one.seq - other.seq));
  order.sort((one, other) =>
    starts(other) - starts(one) || one[0].first - other[0].first || outer(other).height - outer(one).height);
  const taken = new Set();
  return order.flatMap((group) => {
    const [from, to] = [Math.max(group[0].first, Math.ceil(view.first)), Math.min(group[0].last, Math.floor(view.last) - 1)];
    let row = from;
    while (taken.has(row)) row += 1;
    if (row > to && row !== from) return [];
    taken.add(row);
    const { seq, first, last } = outer(group);
    const between = group.slice(1, -1).reverse().slice(0, 3).map((one) => `#${one.seq}, `).join("");
    const whom = group.length > 1 ? `${between}#${group[0].seq}, ` : "";
    const later = seq > view.at;
    const words = `${later ? "will replace" : "replaces"} ${whom}${counted(group[0].replaced, "event")}`;
    return [{ seq, row, later, words, range: `from #${first} to #${last}` }];
  });
}

/** Replacements of the selected event: thick, dashed, square ends, between the brackets and the rows. */
function drawTrunks(view) {
  if (!view.relations) return [];
  const chain = [view.selected, ...view.relations.chain.events].slice(0, TRUNKS);
  const trunks = chain.slice(1).map((by, step) => [[chain[step]], by]);
  if (view.relations.replaced.events.length) trunks.unshift([view.relations.replaced.events, view.selected]);
  const middle = (place) => view.y(place) + ROW / 2;
  return trunks.slice(0, TRUNKS).flatMap(([from, by], which) => {
    const x = view.gutter - 8 - which * 11;
    const ends = [...from, by];
    const [start, end] = [Math.min(...ends), by].map((one) => clamp(middle(one), -30, view.height + 30));
    const stubs = ends.filter((one) => one > view.first - 1 && one < view.last).flatMap((one) => [
      drawn("path", { class: "lk-trunk", d: `M${x} ${middle(one)}H${view.gutter + 1}` }),
      drawn("rect", { class: "lk-end", x: view.gutter - 3, y: middle(one) - 4, width: 8, height: 8 })]);
    const [low, high] = [Math.max(start, 0), Math.min(end, view.height)];
    const turned = `translate(${x - 3} ${(low + high) / 2}) rotate(-90)`;
    const said = drawn("text", { class: "lk-said", transform: turned, "text-anchor": "middle" }, `replaced by #${by}`);
    const trunk = drawn("path", { class: "lk-trunk", "data-by": by, d: `M${x} ${start}V${end}` });
    return high - low > 90 ? [trunk, ...stubs, said] : [trunk, ...stubs];
  });
}

/** Citations of the selected event: thin, curved, an arrow at what is cited, at the right of the rows. */
function drawArcs(view) {
  if (!view.relations) return [];
  const { cites, cited: by } = view.relations;
  const pairs = [...cites.events.map((other) => [view.selected, other]), ...by.events.map((other) => [other, view.selected])];
  const inside = (one) => one > view.first - 1 && one < view.last;
  const seen = pairs.filter(([citing, cited]) => inside(citing) || inside(cited)).slice(0, ARCS);
  const edge = view.width - 92;
  const speaks = seen.filter(([, cited]) => inside(cited)).length <= 14;
  return seen.flatMap(([citing, cited]) => {
    const at = (place, off) => clamp(view.y(place) + ROW / 2 + off, -3 * ROW, view.height + 3 * ROW);
    const [from, to] = [at(citing, -5), at(cited, 5)];
    const bend = edge + clamp(Math.abs(to - from) * 0.35, 26, 110);
    const d = `M${edge} ${from}C${bend} ${from} ${bend} ${to} ${edge + 5} ${to}`;
    const arc = drawn("path", { class: "lk-arc", "data-citing": citing, "data-cited": cited, d });
    const tip = drawn("path", { class: "lk-tip", d: `M${edge} ${to}l9 -4v8z` });
    return speaks ? [arc, tip, drawn("text", { class: "lk-said", x: edge + 12, y: to + 13 }, "cites")] : [arc, tip];
  });
}

/** The whole log in a strip: three lanes of shares, the window, the slider, the selection and the hits. */
function drawStrip(view, buckets, hits) {
  const [size, count] = [Math.max(view.height, 1), Math.max(1, view.count)];
  const tall = size / Math.max(1, buckets.length);
  const bar = (shares, place, lane) => {
    const wide = Math.max(1.5, shares[lane] * 0.12);
    return shares[lane] ? `M${4 + lane * 14} ${(place + 0.1) * tall}h${wide}v${tall * 0.8}h${-wide}z` : "";
  };
  const lanes = STATES.slice(0, 3).map((state, lane) =>
    drawn("path", { class: `lk-lane lk-is-${state}`, d: buckets.map((shares, place) => bar(shares, place, lane)).join("") }));
  const line = (place, how) => drawn("path", { class: how, d: `M0 ${((place + 0.5) / count) * size}H48` });
  if (!view.count) return [];
  const tallHere = Math.max(6, ((view.last - view.first) / count) * size);
  const here = { class: "lk-here", x: 0.75, width: 46.5, y: (view.first / count) * size, height: tallHere };
  return [...lanes, ...hits.map((place) => line(place, "lk-at-hit")), view.at >= 0 ? line(view.at, "lk-at") : "",
    view.selected === null ? "" : line(view.selected, "lk-at-chosen"), drawn("rect", here)];
}
