// Text of unknown origin made fit to show, and the words for what a drawing holds. Nothing here makes HTML of text.

/** What is invisible, reorders its surroundings or breaks lines; the same categories as `text.visible` in Python. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const SHORT = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const JOINER = "\u200d"; // holds emoji together

/**
 * The roles of edges. `out` and `in` name an edge as seen from its source and from its target; `word` is written on
 * the line where the role is not plain from its place. `backward`: in a lineage it is walked from its target.
 */
const ROLES = {
  walk: { name: "rests on", out: "rests on", in: "supports", word: "", dash: [] },
  replacement: {
    name: "replaces",
    out: "replaces",
    in: "is replaced by",
    word: "replaces",
    dash: [8, 5],
    backward: true,
  },
  cites: { name: "cites", out: "cites", in: "is cited by", word: "cites", dash: [1, 4] },
  child: { name: "is a child of", out: "is a child of", in: "is the parent of", word: "", dash: [] },
};
const roleOf = (role) => ROLES[role] ?? { name: role, out: role, in: role, word: role, dash: [5, 3] };

/** What the levels of a drawing are called, by its kind. */
const LEVELS = { lineage: "Depth", impact: "Depth", diff: "Depth" };

function spelt(character) {
  if (character === JOINER) return character;
  if (SHORT[character]) return SHORT[character];
  const code = character.codePointAt(0);
  if (code < 0x100) return "\\x" + code.toString(16).padStart(2, "0");
  if (code < 0x10000) return "\\u" + code.toString(16).padStart(4, "0");
  return "\\U" + code.toString(16).padStart(8, "0");
}

/** The whole text, with everything invisible or reordering spelt out. */
const visible = (text) => String(text).replace(HIDDEN, spelt);

/** The same, cut by an ellipsis; a text of a megabyte costs no more than a short one. */
function short(text, limit) {
  const start = [...String(text).slice(0, 2 * limit)];
  const whole = start.length <= limit && String(text).length <= 2 * limit;
  return whole ? visible(start.join("")) : visible(start.slice(0, limit - 1).join("")) + "…";
}

/** A node in a line: type, id and, if it has one, its label. */
function named(node, limit = 80) {
  const base = `${short(node.type, 40)} ${short(node.id, limit)}`;
  return node.label ? `${base} “${short(node.label, limit)}”` : base;
}

/** Class and confidence of an edge. */
function trust(edge) {
  const sort = short(edge.class ?? "", 30);
  return typeof edge.confidence === "number" ? `${sort} ${edge.confidence.toFixed(2)}`.trim() : sort;
}

/** How a node was reached, in a few words; empty for the anchor. */
const reachedBy = (node) => (node.via < 0 ? "" : [short(node.kind ?? "", 30), trust(node)].filter(Boolean).join(", "));

/** The flags of a node in words, the cut among them. */
const flagged = (node) => node.marks.map((mark) => mark.word);
