// What is drawn, and where: a drawing's data with a state for each level, a filter and a selection. Knows no DOM.

const BOX = { width: 190, height: 44 }; // fits the grid of the Python layout: 240 across, 62 down
const MORE = { width: 150, height: 34 };
const GAP = 110; // what the Python layout leaves at the right of a level
const QUIET = 150; // with more nodes than this, edges that describe no node are drawn for the selected one only

class Model {
  constructor(data) {
    this.data = data;
    this.nodes = new Map(data.nodes.map((node) => [node.number, node]));
    for (const node of data.nodes) {
      const names = node.cut ? [...node.flags, "cut"] : node.flags;
      node.marks = names.map((name) => ({ name, word: name, tag: name, meaning: "", ...data.flags[name] })); // its flags with their words
    }
    this.kept = data.nodes.filter((node) => node.kept);
    this.types = [...new Set(this.kept.map((node) => node.type))];
    this.edgesOf = new Map();
    this.describing = new Map(); // by the number of the node that the edge reached
    this.reached = new Map(); // the nodes reached from a node
    for (const edge of data.edges) {
      for (const end of edge.source === edge.target ? [edge.source] : [edge.source, edge.target])
        (this.edgesOf.get(end) ?? this.edgesOf.set(end, []).get(end)).push(edge);
      const reached = edge.first ? this.endReached(edge) : null;
      if (reached !== null && !this.describing.has(reached)) this.describing.set(reached, edge);
    }
    for (const node of this.kept)
      if (node.via >= 0) (this.reached.get(node.via) ?? this.reached.set(node.via, []).get(node.via)).push(node.number);
    this.opened = new Set(); // depths of which all kept nodes are drawn
    this.filter = {};
    this.arrange();
  }

  /** Puts the bands of the levels side by side, each in its state, and finds out which nodes are drawn. */
  arrange() {
    this.places = new Map();
    this.more = new Map(); // by depth: where the rest of a level stands
    this.bands = [];
    let left = 0;
    for (const level of this.data.levels) {
      const form = this.opened.has(level.depth) ? level.all : level.few;
      const hidden = level.all.nodes.length - form.nodes.length;
      let drawn = 0;
      form.nodes.forEach((place, at) => {
        if (!this.passes(this.nodes.get(place))) return;
        this.places.set(place, { x: left + form.x[at], y: form.y[at], clear: left + form.x[at] });
        drawn += 1;
      });
      if (form.more) {
        const rest = level.total - form.nodes.length;
        this.more.set(level.depth, { depth: level.depth, x: left + form.more[0], y: form.more[1], rest, hidden });
      }
      const canClose = this.opened.has(level.depth) && level.few.nodes.length < level.all.nodes.length;
      const { depth, total } = level;
      this.bands.push({ depth, total, drawn, hidden, canClose, left: left - GAP / 2, width: form.width });
      left += form.width;
    }
    for (const place of [...this.places.keys()].reverse()) this.clearOf(place);
    const boxes = [...this.places.values(), ...this.more.values()];
    const first = boxes[0]; // there is one always: the anchor
    const reach = (axis, pick) => boxes.reduce((most, box) => pick(most, box[axis]), first[axis]);
    this.bounds = {
      left: reach("x", Math.min) - BOX.width / 2 - 24,
      right: reach("x", Math.max) + BOX.width / 2 + 24,
      top: reach("y", Math.min) - BOX.height - 8,
      bottom: reach("y", Math.max) + BOX.height + 8,
    };
    this.lines = this.data.edges.filter((edge) => this.places.has(edge.source) && this.places.has(edge.target));
    this.lines = this.lines.filter((edge) => this.passesEdge(edge));
    this.stubs = []; // of nodes whose way back runs through a node that is not drawn: from the rest of its level
    for (const [place, at] of this.places) {
      const via = this.nodes.get(this.nodes.get(place).via);
      const rest = via && !this.places.has(via.number) && this.passes(via) ? this.more.get(via.depth) : null;
      if (rest) this.stubs.push({ place, from: rest, to: at });
    }
  }

  /** Tells how far the replacements beside a node reach: what leads on from the node goes around them, not behind. */
  clearOf(place) {
    const at = this.places.get(place);
    for (const next of this.reached.get(place) ?? []) {
      const beside = this.nodes.get(next).hop ? this.places.get(next) : null;
      if (beside && beside.y === at.y && beside.x > at.x) at.clear = Math.max(at.clear, beside.clear);
    }
  }

  /** The end of an edge that was reached from its other end: a lineage goes from sources, an impact from targets. */
  endReached({ source, target }) {
    if (this.nodes.get(target)?.via === source) return target;
    return this.nodes.get(source)?.via === target ? source : null;
  }

  /** Whether a node is let through by the filter; the anchor always is. */
  passes(node) {
    if (node.number === this.data.anchor) return true;
    if (node.flags.some((flag) => this.filter[flag] === false)) return false;
    const described = this.describing.get(node.number);
    return this.passesEdge(described ?? { ...node, role: node.hop ? "replacement" : "walk" });
  }

  /** Kinds are those that were walked: replacements are not chosen by kind. An unknown confidence is none. */
  passesEdge(edge) {
    const { kinds, classes, minConfidence, invalidated } = this.filter;
    if (kinds && !roleOf(edge.role).backward && !kinds.includes(edge.kind)) return false;
    if (classes && !classes.includes(edge.class)) return false;
    if (minConfidence && !((edge.confidence ?? 0) >= minConfidence)) return false;
    return !(invalidated === false && edge.invalidated);
  }

  setFilter(filter) {
    this.filter = filter ?? {};
    this.arrange();
  }

  /** Draws all kept nodes of a level, or only the first ones again. */
  open(depth, whole) {
    if (whole) this.opened.add(depth);
    else this.opened.delete(depth);
    this.arrange();
  }

  /** The numbers from the anchor to a node. */
  chain(place) {
    const steps = [];
    for (let node = this.nodes.get(place); node && steps.length <= this.nodes.size; node = this.nodes.get(node.via))
      steps.push(node.number);
    return steps.reverse();
  }

  /** The node or the rest of a level at a point of the drawing. */
  at(x, y) {
    const inside = (box, size) => Math.abs(box.x - x) <= size.width / 2 && Math.abs(box.y - y) <= size.height / 2;
    for (const [place, box] of this.places) if (inside(box, BOX)) return { place };
    for (const rest of this.more.values()) if (inside(rest, MORE)) return { rest };
    return {};
  }

  /** Where the arrow keys lead from a node; null where they lead nowhere. */
  beside(place, key) {
    const node = this.nodes.get(place);
    if (!this.places.has(place)) return this.data.anchor;
    if (key === "ArrowLeft") return this.nodes.get(node.via)?.kept ? node.via : null;
    const order = (numbers) =>
      numbers
        .filter((number) => this.places.has(number))
        .map((number) => ({ number, ...this.places.get(number) }))
        .sort((a, b) => a.x - b.x || a.y - b.y)
        .map((found) => found.number);
    if (key === "ArrowRight") return order(this.reached.get(place) ?? [])[0] ?? null;
    const level = order(this.kept.filter((other) => other.depth === node.depth).map((other) => other.number));
    return level[level.indexOf(place) + (key === "ArrowDown" ? 1 : -1)] ?? null;
  }

  /** The line that says how much of the lineage is in the picture. */
  extent() {
    const drawn = this.places.size;
    const filtered = this.kept.filter((node) => !this.passes(node)).length;
    const total = counted(this.data.total, "node");
    const said = drawn === this.data.total ? `All ${total} shown` : `${number(drawn)} of ${total} shown`;
    const one = this.data.total === 1 ? "1 node shown" : said;
    return filtered ? `${one} · ${number(filtered)} hidden by the filter` : one;
  }
}
