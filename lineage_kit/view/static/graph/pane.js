// The details beside the picture: of the whole at first, then of the node that is selected.

const LISTED = 60; // entries of a list before the rest is asked for
const GLANCED = 6; // the same, where several lists stand below each other

/** A pane. `actions`: select(number), open(number), can(number): whether a node can be selected. */
function makePane(actions) {
  const pane = element("aside", { class: "lk-pane", "aria-label": "Details" });

  /** A node's name; a button where it can be gone to. */
  const link = (node, text = named(node)) =>
    node.kept
      ? element("button", { type: "button", class: "lk-link", onclick: () => actions.select(node.number) }, text)
      : element("span", { class: "lk-absent" }, `${text} (not in this picture)`);

  /** A list of which a long rest is shown when asked for. */
  function list(tag, items, make, attributes = {}, limit = LISTED) {
    const made = element(tag, attributes, items.slice(0, limit).map(make));
    const rest = items.slice(limit);
    if (rest.length) {
      const button = element("button", { type: "button", class: "lk-small" }, `${number(rest.length)} more`);
      const last = element("li", { class: "lk-rest" }, button);
      button.onclick = () => last.replaceWith(...rest.map(make));
      made.append(last);
    }
    return made;
  }

  const section = (title, ...content) => element("section", {}, element("h4", {}, title), content);
  const note = (...content) => element("span", { class: "lk-note" }, ...content);
  const invalid = (model) => element("strong", { class: "lk-wrong" }, ` · ${model.data.flags.invalidated.word}`);
  const swatch = (types, type) =>
    element("i", { class: "lk-swatch", "data-type": Math.min(types.indexOf(type), TYPES), "aria-hidden": "true" });

  /** Nothing is selected: what the lineage holds, and what does not stand. */
  function overview(model) {
    const facts = model.data.facts.map((fact) => element("p", {}, visible(fact)));
    const first = ["worse", "added", "removed"]; // what differs is what a diff was asked for
    const told = Object.entries(model.data.flags).filter(([, flag]) => flag.meaning)
      .sort(([a], [b]) => first.includes(b) - first.includes(a));
    const groups = told.map(([name, flag]) => [
      flag,
      model.kept.filter((node) => node.marks.some((mark) => mark.name === name)),
    ]);
    const fallen = groups.filter(([, nodes]) => nodes.length).map(([flag, nodes]) =>
      section(`${flag.word} (${number(nodes.length)})`,
        element("p", { class: "lk-note" }, flag.meaning),
        list("ul", nodes, (node) => element("li", {}, link(node)), { class: "lk-list" }, GLANCED)));
    const types = model.types.map((type) =>
      element("li", {}, swatch(model.types, type), `${short(type, 60)} `,
        element("span", { class: "lk-note" }, number(model.kept.filter((node) => node.type === type).length))));
    pane.replaceChildren(
      element("h3", {}, "At a glance"),
      ...facts,
      element("p", { class: "lk-note lk-hint" },
        "Choose a node to see what it is, how it was reached and what it touches."),
      ...fallen,
      section("Types", element("ul", { class: "lk-list" }, types)),
    );
    pane.scrollTop = 0;
  }

  function show(model, place) {
    const node = model.nodes.get(place);
    const level = LEVELS[model.data.kind] ?? "Level";
    const where = place === model.data.anchor ? "The anchor: where the walk began"
      : `${level} ${node.depth}` + (node.hop ? `, ${counted(node.hop, "replacement")} on` : "");
    const says = node.marks.map((mark) =>
      element("li", {}, element("strong", {}, mark.word), " ", mark.meaning));
    pane.replaceChildren(
      element("p", { class: "lk-kind" }, swatch(model.types, node.type), visible(node.type)),
      element("h3", { class: node.flags.includes("superseded") ? "lk-name lk-struck" : "lk-name" },
        visible(node.label || node.id)),
      element("dl", {},
        element("dt", {}, "Id"), element("dd", { class: "lk-whole" }, visible(node.id)),
        element("dt", {}, "Where"), element("dd", {}, where)),
      says.length ? element("ul", { class: "lk-flags" }, says) : "",
      ...reached(model, node),
      ...touching(model, node),
      node.elsewhere ? element("p", { class: "lk-note lk-elsewhere" },
        `${counted(node.elsewhere, "more edge")} of this node, to nodes that are not in this drawing.`) : "",
    );
    pane.scrollTop = 0;
  }

  /** The edge that reached a node, and the way to it from the anchor. */
  function reached(model, node) {
    if (node.via < 0) return [];
    const via = model.nodes.get(node.via);
    const edge = model.describing.get(node.number);
    const role = roleOf(edge?.role ?? (node.hop ? "replacement" : "walk"));
    const steps = model.chain(node.number).map((place) => model.nodes.get(place));
    const step = (each, place) =>
      element("li", place === steps.length - 1 ? { "aria-current": "true" } : {},
        place === steps.length - 1 ? named(each) : link(each),
        place ? note(`${short(each.kind ?? "", 40)}${each.hop ? " (replacement)" : ""}`) : "");
    return [
      section("Reached by",
        link(via),
        note(element("b", {}, (edge ? edge.source === node.number : role.backward) ? `which it ${role.out}` : `which ${role.out} it`),
          ` · ${reachedBy(node)}`,
          edge?.invalidated || node.flags.includes("invalidated") ? invalid(model) : "")),
      section(`Path from the anchor (${counted(steps.length - 1, "step")})`,
        list("ol", steps, step, { class: "lk-path" })),
    ];
  }

  /** All other edges of a node, by direction. */
  function touching(model, node) {
    const others = (model.edgesOf.get(node.number) ?? []).filter((edge) => edge !== model.describing.get(node.number));
    const entry = (edge, out) => {
      const role = roleOf(edge.role);
      return element("li", {},
        note(element("b", {}, out ? role.out : role.in), ` · ${short(edge.kind, 40)}, ${trust(edge)}`,
          edge.invalidated ? invalid(model) : ""),
        link(model.nodes.get(out ? edge.target : edge.source)));
    };
    return [["Outgoing", true], ["Incoming", false]].map(([title, out]) => {
      const edges = others.filter((edge) => (out ? edge.source : edge.target) === node.number);
      return section(`${title} (${number(edges.length)} other${edges.length === 1 ? "" : "s"})`,
        edges.length ? list("ul", edges, (edge) => entry(edge, out), { class: "lk-list" })
          : element("p", { class: "lk-note" }, "None in this drawing."));
    });
  }

  return { element: pane, show: (model, place) => (place === null ? overview(model) : show(model, place)) };
}
