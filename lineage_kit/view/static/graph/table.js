// The same nodes as a table: searched, in step with the selection, and only as many rows in the page as can be seen.

const ROW = 29; // pixels, as graph.css has it
const SPARE = 12; // rows above and below those in view
const COLUMNS = ["Depth", "Hop", "Type", "Id", "Label", "Reached by", "Flags"];

/** A table. `actions`: select(number), open(number). */
function makeTable(actions) {
  const body = element("tbody");
  const head = element("tr", {}, COLUMNS.map((name) => element("th", { scope: "col" }, name)));
  const grid = element("table", { role: "grid", "aria-label": "Nodes" }, element("thead", {}, head), body);
  const frame = element("div", { class: "lk-rows" }, grid);
  const search = element("input", {
    type: "search",
    placeholder: "Search type, id, label, kind, flag",
    "aria-label": "Search the nodes",
  });
  const found = element("span", { class: "lk-note", "aria-live": "polite" });
  const whole = element("section", { class: "lk-table", "aria-label": "Table of the nodes" },
    element("div", { class: "lk-bar" }, search, found), frame);
  let model = null;
  let rows = [];
  let selected = null;

  const haystack = (node) =>
    (node.haystack ??= [node.type, node.id, node.label ?? "", node.kind ?? "", ...flagged(node)]
      .map((text) => text.slice(0, 2000)).join("\n").toLowerCase());

  /** Which nodes are listed; called when the drawing, the filter or the search changed. */
  function sift() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows = model.kept.filter((node) => model.passes(node) && words.every((word) => haystack(node).includes(word)));
    const left = model.data.total - model.data.kept;
    found.textContent = (words.length ? `${counted(rows.length, "node")} found` : counted(rows.length, "node"))
      + (left > 0 ? `; ${number(left)} more are not in this drawing` : "");
    grid.setAttribute("aria-rowcount", rows.length + 1);
    fill();
  }

  /** Puts the rows in view into the page, and room for the others above and below. */
  function fill() {
    const first = Math.max(0, Math.floor(frame.scrollTop / ROW) - SPARE);
    const last = Math.min(rows.length, first + Math.min(200, Math.ceil((frame.clientHeight || 300) / ROW) + 2 * SPARE));
    const room = () =>
      element("tr", { class: "lk-room", "aria-hidden": "true" }, element("td", { colspan: COLUMNS.length }));
    const [above, below] = [room(), room()];
    above.firstChild.style.height = `${first * ROW}px`;
    below.firstChild.style.height = `${(rows.length - last) * ROW}px`;
    const focused = body.contains(document.activeElement);
    const inView = rows.slice(first, last);
    const reachable = inView.find((node) => node.number === selected) ?? inView[Math.min(SPARE, first)];
    body.replaceChildren(above, ...inView.map((node, place) => row(node, first + place, node === reachable)), below);
    if (focused) body.querySelector("[tabindex='0']")?.focus({ preventScroll: true });
  }

  /** One row; only one of them is in the order of the tab key. */
  function row(node, place, reachable) {
    const current = node.number === selected;
    const texts = [short(node.type, 40), short(node.id, 80), short(node.label ?? "", 120)];
    const cells = [node.depth, node.hop, ...texts, reachedBy(node), flagged(node).join(", ")];
    const replaced = node.flags.includes("superseded") ? "lk-replaced" : "";
    const outdated = node.flags.includes("outdated_support") ? "lk-outdated" : "";
    return element("tr", {
      "aria-rowindex": place + 2,
      "aria-selected": String(current),
      "data-number": node.number,
      class: `${replaced} ${outdated}`.trim() || null,
      tabindex: reachable ? "0" : "-1",
      onclick: () => actions.select(node.number),
      ondblclick: () => actions.open(node.number),
    }, cells.map((cell) => element("td", {}, String(cell))));
  }

  function reveal(place) {
    const at = rows.findIndex((node) => node.number === place);
    if (at < 0) return;
    const [top, height] = [at * ROW, frame.clientHeight - 2 * ROW];
    if (top < frame.scrollTop) frame.scrollTop = top;
    else if (top > frame.scrollTop + height) frame.scrollTop = top - height;
  }

  body.onkeydown = (event) => {
    const at = rows.findIndex((node) => node.number === Number(event.target.dataset.number));
    const far = rows.length;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -far, End: far };
    const step = steps[event.key];
    if (event.key === "Enter") actions.open(rows[at].number);
    else if (event.key === " ") actions.select(rows[at].number);
    else if (step === undefined) return;
    else actions.select(rows[Math.min(rows.length - 1, Math.max(0, at + step))].number);
    event.preventDefault();
  };
  frame.onscroll = fill;
  search.oninput = () => {
    frame.scrollTop = 0;
    sift();
  };
  search.onkeydown = (event) => {
    if (event.key === "Enter" && rows.length) actions.select(rows[0].number);
  };

  return {
    element: whole,
    setModel(given) {
      model = given;
      selected = null;
      frame.scrollTop = 0;
      sift();
    },
    sift,
    select(place) {
      selected = place;
      reveal(place);
      fill();
    },
  };
}
