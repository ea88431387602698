// The interactive picture of a lineage: banner, picture, details, legend and table, all under one element.
//
// The parts of this folder are joined into one ES module (see `assets.module`); this one comes last and has the
// only export. Nothing global is read or written, no ids are given out, so a document can hold many pictures.

const NOT_WHOLE = ["truncated", "unknown_anchor"]; // kinds of notices that stand out

/**
 * Draws `data` (see `GraphData` in Python) under `root` with the vis-network given as `vis`.
 *
 * options: onSelect(number or null), onOpen(number), onExpand(depth), onError(error); theme: auto, light or dark. They
 * are called when a reader does something, never for calls of the handle. What they throw, or a promise of theirs that
 * fails, is shown in the banner.
 *
 * Returns a handle: select(number or null), setData(data), setFilter({kinds, classes, minConfidence, and by
 * the name of a flag whether nodes with it are shown}), theme(name), fit(), png() (a promise of a Blob), at(number) (where the middle of a node is in
 * the viewport, or null), selected(), fail(error), destroy().
 */
export function draw(root, vis, data, options = {}) {
  let model = null;
  let selected = null;
  let styled = false;
  const stops = new AbortController();
  const button = (text, label, onclick) =>
    element("button", { type: "button", "aria-label": label, title: label, onclick: () => guard(onclick) }, text);

  // ---- the parts
  const title = element("h2", { class: "lk-title" });
  const warnings = element("ul", { class: "lk-warnings", role: "status" });
  const extent = element("p", { class: "lk-extent", role: "status" });
  const trouble = element("div", { class: "lk-error", role: "alert", hidden: true });
  const notice = element("p", { class: "lk-notice", role: "status", hidden: true });
  const themes = element("select", { "aria-label": "Theme" },
    ["auto", "light", "dark"].map((name) =>
      element("option", { value: name }, `${name[0].toUpperCase()}${name.slice(1)}`)));
  const tools = element("div", { class: "lk-tools", role: "toolbar", "aria-label": "Picture" },
    button("−", "Zoom out", () => picture.zoom(1 / 1.3)),
    button("+", "Zoom in", () => picture.zoom(1.3)),
    button("Fit", "Show the whole picture", () => picture.fit(true)),
    button("PNG", "Save the picture as PNG", save),
    themes);
  const canvas = element("div", { class: "lk-canvas" });
  const levels = element("div", { class: "lk-levels" });
  const tip = element("div", { class: "lk-tip", hidden: true });
  const told = element("div", { class: "lk-told", "aria-live": "polite" });
  const stage = element("div", {
    class: "lk-stage",
    tabindex: "0",
    role: "application",
    "aria-label": "Picture of the nodes. Arrow keys move along edges and within a level, Enter opens, plus and minus "
      + "zoom, f fits, Escape clears.",
  }, canvas, levels, tip);
  const legend = element("ul", { class: "lk-legend", "aria-label": "Legend" });
  const pane = makePane({ select: (place) => guard(() => choose(place)) });
  const table = makeTable({ select: (place) => guard(() => choose(place)), open: (place) => guard(() => open(place)) });
  const whole = element("div", { class: "lk-graph" },
    element("header", { class: "lk-banner" },
      element("div", { class: "lk-head" }, title, tools), trouble,
      element("div", { class: "lk-said" }, warnings, extent), notice),
    element("div", { class: "lk-main" }, element("div", { class: "lk-left" }, stage, legend), pane.element),
    table.element, told);
  root.replaceChildren(whole);
  const picture = makePicture(vis, canvas, tip, {
    guard,
    open,
    select: (place) => choose(place),
    expand: (depth) => expand(depth, true),
  });
  let painted = null; // when the picture first stood in the page, in milliseconds
  picture.afterDraw(() => {
    if (styled) painted ??= Date.now();
    nameLevels();
  });

  // ---- what readers do
  /** Calls something; what it throws, now or later, is shown where the reader looks. */
  function guard(call) {
    try {
      const result = call();
      if (result instanceof Promise) result.catch(fail);
      return result;
    } catch (error) {
      fail(error);
    }
  }

  function fail(error) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const hide = () => (trouble.hidden = true);
    const close = element("button", { type: "button", class: "lk-small", onclick: hide }, "Dismiss");
    trouble.replaceChildren(element("strong", {}, "Something went wrong. "), short(text, 2000), " ", close);
    trouble.hidden = false;
    if (options.onError && error !== fail.last) {
      fail.last = error; // an onError that throws the same again is not asked twice
      options.onError(error);
    }
  }

  /** Selects a node; the level of one that is not drawn yet is opened. */
  function select(place) {
    const node = model.nodes.get(place);
    if (place !== null && !node?.kept) return false;
    if (node && !model.places.has(place) && model.passes(node)) expand(node.depth, false);
    selected = place;
    picture.select(place);
    pane.show(model, place);
    table.select(place);
    told.textContent = node ? `${named(node)}. ${flagged(node).join(", ")}` : "";
    return true;
  }

  function choose(place) {
    if (place === selected || !select(place)) return;
    if (options.onSelect) guard(() => options.onSelect(place));
  }

  function open(place) {
    if (options.onOpen) guard(() => options.onOpen(place));
    else {
      choose(place);
      picture.centre(place);
    }
  }

  /** Draws all nodes of a level that the drawing holds. */
  function expand(depth, byReader) {
    const band = model.bands.find((each) => each.depth === depth);
    if (byReader && options.onExpand) guard(() => options.onExpand(depth));
    if (band.hidden) {
      model.open(depth, true);
      refresh();
    } else if (byReader) {
      const rest = counted(model.more.get(depth).rest, "node");
      note(`${rest} of this level are not in this drawing, which holds ${number(model.data.kept)}. `
        + "Trace from a node nearer to them.");
    }
  }

  /** Draws only the first nodes of a level again. */
  function fold(depth) {
    model.open(depth, false);
    if (selected !== null && !model.places.has(selected)) choose(null);
    refresh();
  }

  function note(text) {
    notice.textContent = text;
    notice.hidden = !text;
  }

  /** The picture again, after levels were opened or a filter was set. */
  function refresh() {
    picture.setModel(model, true);
    extent.textContent = model.extent();
    fillLegend(legend, model, look);
  }

  stage.addEventListener("keydown", (event) => guard(() => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== stage) return;
    const acts = {
      "+": () => picture.zoom(1.3),
      "=": () => picture.zoom(1.3),
      "-": () => picture.zoom(1 / 1.3),
      f: () => picture.fit(true),
      Home: () => choose(model.data.anchor),
      Escape: () => choose(null),
      Enter: () => selected !== null && open(selected),
    };
    if (event.key.startsWith("Arrow")) {
      const next = selected === null ? model.data.anchor : model.beside(selected, event.key);
      if (next !== null) choose(next);
    } else if (acts[event.key]) acts[event.key]();
    else return;
    event.preventDefault();
  }));
  stage.addEventListener("pointerdown", () => stage.focus({ preventScroll: true }));
  // The wheel scrolls the document until the picture has been chosen: a picture must not trap who only reads past it.
  stage.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && !stage.contains(document.activeElement)) event.stopPropagation();
  }, { capture: true });

  async function save() {
    const address = URL.createObjectURL(await picture.png());
    const anchor = model.nodes.get(model.data.anchor);
    const name = `${model.data.kind}-${String(anchor?.id ?? "").replace(/[^\w.-]+/g, "-").slice(0, 60)}.png`;
    element("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  // ---- the strip above the picture
  const names = [];
  /** The names of the levels follow the picture; each is kept in the part of its band that is in view. */
  function nameLevels() {
    if (!model) return;
    const width = stage.clientWidth;
    model.bands.forEach((band, place) => {
      let [from, to] = picture.span(band).map((x) => Math.max(0, Math.min(width, x)));
      if (place === 0) from = 0;
      if (place === model.bands.length - 1) to = width;
      const name = names[place];
      name.hidden = to - from < 22;
      name.style.transform = `translateX(${Math.round(from)}px)`;
      name.style.width = `${Math.round(to - from)}px`;
      const can = band.hidden ? `show all ${number(band.drawn + band.hidden)}` : band.canClose ? "fewer" : "";
      if (name.lastChild.textContent !== can) name.lastChild.textContent = can;
      name.lastChild.hidden = !can || to - from < 170;
      const text = bandName(model, band, to - from - (name.lastChild.hidden ? 0 : 105));
      if (name.firstChild.textContent !== text) name.firstChild.textContent = text;
    });
  }

  function stripOf(band) {
    const hidden = () => model.bands.find((each) => each.depth === band.depth).hidden;
    const change = () => guard(() => (hidden() ? expand(band.depth, true) : fold(band.depth)));
    const changer = element("button", { type: "button", class: "lk-small", onclick: change });
    return element("div", { class: "lk-level" }, element("span"), changer);
  }

  // ---- data and theme
  function setData(given) {
    const filter = model?.filter;
    model = new Model(given);
    if (filter) model.setFilter(filter);
    selected = null;
    note("");
    title.textContent = visible(given.title);
    warnings.replaceChildren(...given.notices.map(({ kind, text }) =>
      element("li", { class: NOT_WHOLE.includes(kind) ? "lk-cut" : null }, visible(text))));
    extent.textContent = model.extent();
    fillLegend(legend, model, look);
    names.splice(0, names.length, ...model.bands.map(stripOf));
    levels.replaceChildren(...names);
    picture.setModel(model, false);
    picture.select(null);
    pane.show(model, null);
    table.setModel(model);
  }

  let look = null;
  const dusk = matchMedia("(prefers-color-scheme: dark)");
  /** Light or dark: as chosen; else as JupyterLab says; else as the system says. */
  function paintTheme() {
    const lab = document.querySelector("[data-jp-theme-light]")?.dataset.jpThemeLight;
    const automatic = lab === undefined ? dusk.matches : lab === "false";
    const dark = themes.value === "auto" ? automatic : themes.value === "dark";
    whole.dataset.theme = dark ? "dark" : "light";
    look = lookOf(whole);
    picture.setLook(look);
    if (model) fillLegend(legend, model, look);
  }

  themes.onchange = () => guard(paintTheme);
  dusk.addEventListener("change", paintTheme, { signal: stops.signal });
  const lab = new MutationObserver(paintTheme);
  lab.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  styled = whole.isConnected;
  const size = new ResizeObserver(() => guard(() => {
    if (!styled && whole.isConnected) {
      styled = true; // a notebook draws before its output is in the page, where the colours come from
      paintTheme();
    }
    if (model) picture.resized();
  }));
  size.observe(stage);

  themes.value = options.theme ?? "auto";
  paintTheme();
  setData(data);

  return {
    select: (place) => guard(() => select(place)),
    selected: () => selected,
    painted: () => painted,
    setData: (given) => guard(() => setData(given)),
    setFilter: (filter) => guard(() => {
      model.setFilter(filter);
      if (selected !== null && !model.passes(model.nodes.get(selected))) select(null);
      refresh();
      table.sift();
    }),
    theme: (name) => {
      themes.value = name;
      paintTheme();
    },
    fit: () => picture.fit(true),
    png: () => picture.png(),
    at: (place) => (model.places.has(place) ? picture.toViewport(model.places.get(place)) : null),
    rest: (depth) => (model.more.has(depth) ? picture.toViewport(model.more.get(depth)) : null),
    fail,
    destroy() {
      stops.abort();
      lab.disconnect();
      size.disconnect();
      picture.destroy();
      whole.remove();
    },
  };
}
