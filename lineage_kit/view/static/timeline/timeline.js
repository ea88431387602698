// The page side of SessionExplorer: a session's family, its log as a timeline, one event in detail.
//
// Only the rows in the window are in the document; stretches of the log are asked for as they come into sight. Every
// text from Python is spelt out there and goes into the page as text, never as markup. Nothing is asked of any host.
// lines.js and pane.js stand before this file in the same module.

const TALLEST = 8_000_000; // pixels a browser surely scrolls; a longer log is scrolled in proportion
const KEPT = 60; // stretches held at once
const PATIENCE = 15_000; // milliseconds before a silent Python is mentioned

let views = 0; // ids of elements, told apart from those of other views on the page

function render({ model, el }) {
  const id = `lk-session-${(views += 1)}`;
  const timeline = () => model.get("timeline") ?? {};
  const details = () => model.get("details") ?? {};
  let stretches = new Map();
  let asked = new Map(); // what Python has not answered yet, and since when
  let hits = { hits: [], total: 0 };
  let at = -1; // the event whose surface is shown; runs ahead of the model while the slider is moved
  let cursor = 0; // the row the keys move
  let hit = -1;
  let frame = 0;
  const serial = { sessions: 0, find: 0 }; // of the last search; answers to earlier ones are dropped
  let height = 0; // of the window on the log; read once when it changes, not while scrolling

  // ---- the parts of the page

  const title = element("h3", { class: "lk-title" });
  const banner = element("div", { class: "lk-banner", role: "alert" });
  const status = element("span", { class: "lk-soft", role: "status" });
  const tools = element("div", { class: "lk-tools" },
    button("Reload", "Read the sessions and the log again", () => ask("reload")),
    button("CSV", "Download the events with their state as CSV", () => ask("csv")),
    button("Parquet", "Download the events with their state as Parquet", () => ask("parquet")));

  const pick = element("input", { type: "search", placeholder: "Find a session", "aria-label": "Find a session by id or title" });
  const picked = element("ul", { class: "lk-picked", hidden: true, "aria-label": "Sessions found" });
  const family = element("div", { class: "lk-family" });
  const left = element("nav", { class: "lk-left", "aria-label": "Sessions" }, pick, picked, family);

  const slider = element("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": "Surface after event" });
  const numeric = (label, more = {}) =>
    element("input", { type: "number", min: 0, step: 1, class: "lk-number", "aria-label": label, ...more });
  const exact = numeric("Surface after event number");
  const standing = element("p", { class: "lk-standing", "aria-live": "polite" });
  const search = element("input",
    { type: "search", placeholder: "Find in the texts", "aria-label": "Find in the texts of the events" });
  const everywhere = element("input", { type: "checkbox", id: `${id}-all` });
  const found = element("span", { class: "lk-soft", role: "status" });
  const list = element("ol", { class: "lk-hits", hidden: true, "aria-label": "Events found" });
  const jump = numeric("Go to event number", { placeholder: "#" });
  const controls = element("div", { class: "lk-controls" },
    element("div", { class: "lk-bar" }, element("label", {}, "Surface after event ", exact), slider,
      button("To the end", "The surface after the last event", () => setAt(timeline().count - 1))),
    standing,
    element("div", { class: "lk-bar" }, search,
      element("label", { for: `${id}-all` }, everywhere, " in all sessions"),
      button("‹", "Previous hit", () => stepHit(-1), { "aria-label": "Previous hit" }),
      button("›", "Next hit", () => stepHit(1), { "aria-label": "Next hit" }), found),
    list,
    element("div", { class: "lk-bar" },
      element("label", {}, "Go to ", jump),
      button("First", "The first event", () => go(0)),
      button("Last", "The last event", () => go(timeline().count - 1)),
      button("‹ Replacement", "The replacement before", () => ask("beside", { place: cursor, step: -1 })),
      button("Replacement ›", "The next replacement", () => ask("beside", { place: cursor, step: 1 })), status));

  const above = element("div", { class: "lk-edge" });
  const below = element("div", { class: "lk-edge" });
  const wires = drawn("svg", { class: "lk-wires", "aria-hidden": "true" });
  const labels = element("div", { class: "lk-labels" });
  const rows = element("div", { class: "lk-rows", tabindex: 0, role: "listbox", "aria-label": "Events of the session" });
  const stage = element("div", { class: "lk-stage" }, rows, wires, labels);
  const spacer = element("div", {});
  const scroller = element("div", { class: "lk-scroll", tabindex: -1 }, stage, spacer);
  const strip = drawn("svg", { class: "lk-strip", preserveAspectRatio: "none", "aria-hidden": "true" });
  const track = element("div", { class: "lk-timeline" }, element("div", { class: "lk-window" }, scroller, strip));
  const word = (shape, text) => element("li", {}, shape, text);
  const legend = element("ul", { class: "lk-legend", "aria-label": "Legend" },
    word(mark("current"), "current: on the surface"), word(mark("shadowed"), "SHADOWED: replaced"),
    word(mark("log-only"), "log-only: never on the surface"), word(mark("later"), "later: not logged yet"),
    word(sample("bracket"), "what a replacement covers"), word(sample("replaced"), "replaced by"),
    word(sample("cites"), "cites"));
  const middle = element("div", { class: "lk-middle" }, controls, above, track, below, legend);
  const pane = makePane({ choose: (place) => choose(place), setAt: (place) => setAt(place), ask });
  const whole = element("div", { class: "lk-session", "data-lm-suppress-shortcuts": "true" },
    element("header", { class: "lk-head" }, title, tools), banner,
    element("div", { class: "lk-main" }, left, middle, pane.element));
  el.append(whole);

  // ---- Python: what is asked, and what comes back

  function ask(what, more = {}) {
    const key = `${what} ${what === "stretch" ? more.number : ""}`;
    asked.set(key, setTimeout(() => (status.textContent = "Python has not answered yet: is the kernel running?"), PATIENCE));
    model.send({ ask: what, ...more });
  }

  const answers = {
    stretch(told) {
      keep(told);
      redraw();
    },
    payload: (told) => pane.payload(told.number, told.text),
    beside: (told) => (told.place === null ? (status.textContent = "There is no replacement further on.") : choose(told.place)),
    find: showHits,
    sessions: showPicked,
    csv: (told, buffers) => save(told.name, buffers[0], "text/csv"),
    parquet: (told, buffers) => save(told.name, buffers[0], "application/vnd.apache.parquet"),
  };

  function onMessage(told, buffers) {
    const key = `${told.ask} ${told.ask === "stretch" ? told.number : ""}`;
    clearTimeout(asked.get(key));
    asked.delete(key);
    status.textContent = "";
    if (told.load === timeline().load && !told.failed) answers[told.ask]?.(told, buffers ?? []);
  }

  function keep(stretch) {
    stretches.delete(stretch.number);
    stretches.set(stretch.number, stretch);
    if (stretches.size > KEPT) stretches.delete(stretches.keys().next().value);
  }

  const soon = (wait, work) => {
    let timer = 0;
    return (...how) => {
      clearTimeout(timer);
      timer = setTimeout(() => work(...how), wait);
    };
  };

  // ---- sessions

  const soft = (...text) => element("span", { class: "lk-soft" }, ...text);
  const sessionButton = (session, more) =>
    button([element("b", {}, session.title || session.shown), session.title ? soft(session.shown) : "",
      soft([session.created?.slice(0, 16).replace("T", " "), session.origin].filter(Boolean).join(" · ")),
      session.orphan ? element("em", {}, "parent NOT THERE") : ""], session.shown,
    () => { picked.hidden = true; pick.value = ""; ask("open", { session: session.id }); }, { class: "lk-choice", ...more });

  function showPicked(told) {
    if (told.number !== serial.sessions || document.activeElement !== pick && !pick.value) return;
    picked.hidden = false;
    const all = counted(told.total, "session");
    const said = told.sessions.length < told.total ? `${told.sessions.length} of ${all}: type more to narrow it` : all;
    picked.replaceChildren(...told.sessions.map((session) => element("li", {}, sessionButton(session))),
      element("li", {}, soft(said)));
  }

  const pickSoon = soon(120, () => ask("sessions", { text: pick.value, number: (serial.sessions += 1) }));
  pick.oninput = pickSoon;
  pick.onfocus = pickSoon;
  left.onfocusout = (event) => { if (!left.contains(event.relatedTarget)) picked.hidden = true; };

  function showFamily() {
    const { rows: kin, total, note } = timeline().family ?? { rows: [], total: 0, note: "" };
    const least = Math.min(...kin.map((session) => session.depth));
    const indent = (session) => clamp(session.depth - least, 0, 8) * 14;
    const shown = `${number(kin.length)} of ${counted(total, "session")} shown, those around it`;
    const line = (session) =>
      element("li", { style: `margin-left:${indent(session)}px`, class: session.depth > least && "lk-child" },
        element("span", { class: "lk-relation" }, session.relation),
        session.missing ? element("p", { class: "lk-missing" }, element("b", {}, session.shown), element("em", {}, "NOT THERE"))
          : sessionButton(session, { "aria-current": session.relation === "this session" ? "true" : null }));
    family.replaceChildren(element("h4", {}, "Family"), note ? element("p", { class: "lk-wrong" }, note) : "",
      element("ul", {}, kin.map(line)),
      kin.length < total ? element("p", {}, soft(shown)) : "",
      total === 1 ? element("p", {}, soft("It has no parent and no children.")) : "",
      element("p", {}, soft(`${counted(timeline().sessions ?? 0, "session")} in the corpus`)));
  }

  // ---- the surface at an event

  function setAt(place, send = true) {
    const last = (timeline().count ?? 0) - 1;
    at = last < 0 ? -1 : clamp(Math.round(place), 0, last);
    slider.value = at;
    exact.value = at < 0 ? "" : at;
    pane.restate(timeline(), details(), at);
    if (send) sendAt();
    redraw();
  }

  const sendAt = soon(100, () => { model.set("surface_at", at < 0 ? null : at); model.save_changes(); });
  slider.oninput = () => setAt(Number(slider.value));
  exact.onchange = () => exact.value !== "" && setAt(Number(exact.value));

  function showStanding() {
    const { counts, at: of } = model.get("overview") ?? {};
    const words = counts ? STATES.slice(0, 4).map((state, place) =>
      [mark(state), element("b", {}, number(counts[place])), ` ${state === "shadowed" ? "SHADOWED" : state}`]) : [];
    standing.replaceChildren(...(counts ? [`After event #${of}: `, ...words.map((one) => element("span", {}, one))]
      : [timeline().count ? "The surface of this log is not known." : "There are no events."]));
  }

  // ---- the window on the log

  const count = () => timeline().count ?? 0;
  const tall = () => Math.min(count() * ROW, TALLEST);
  const inWindow = () => height / ROW;
  const top = () => {
    const range = tall() - height;
    return range > 0 ? clamp((scroller.scrollTop / range) * (count() - inWindow()), 0, count()) : 0;
  };

  function scrollTo(first) {
    const range = tall() - height;
    scroller.scrollTop = range > 0 ? (clamp(first, 0, count() - inWindow()) / (count() - inWindow())) * range : 0;
    redraw();
  }

  /** Brings a row into the window and puts the cursor on it. */
  function go(place, calmly = false) {
    if (!count()) return;
    cursor = clamp(place, 0, count() - 1);
    const first = top();
    const seen = cursor >= first && cursor + 1 <= first + inWindow();
    if (calmly && !seen) scrollTo(cursor < first ? cursor : cursor + 1 - inWindow());
    else if (!seen) scrollTo(cursor - inWindow() / 3);
    redraw();
  }

  function choose(place) {
    if (place !== null) go(place);
    model.set("selected", place);
    model.save_changes();
  }

  const rowAt = (place) => stretches.get(Math.floor(place / timeline().chunk))?.rows[place % timeline().chunk];

  const wanted = () => {
    const { chunk } = timeline();
    const [from, to] = [Math.floor(top() / chunk), Math.floor(Math.min(count() - 1, top() + inWindow()) / chunk)];
    return Array.from({ length: to - from + 1 }, (_, place) => from + place);
  };

  const askSoon = soon(40, () => {
    for (const one of count() ? wanted() : [])
      if (!stretches.has(one) && !asked.has(`stretch ${one}`)) ask("stretch", { number: one });
  });

  function redraw() {
    if (!frame) frame = requestAnimationFrame(() => { frame = 0; draw(); });
  }

  /** The window on the log, as lines.js takes it. */
  function viewNow() {
    const first = top();
    const { highest = 0 } = timeline();
    const selected = model.get("selected") ?? null;
    const { relations, place } = details();
    const [last, width] = [Math.min(count(), first + inWindow()), stage.clientWidth];
    const label = width < TIGHT ? LABEL.tight : LABEL.wide;
    const view = { first, last, height, width, label, count: count(), highest, at, selected };
    view.gutter = highest ? label + lanesOf(view) + TRUNKS * 11 : 10;
    view.y = (row) => (row - first) * ROW;
    view.relations = selected !== null && place === selected ? relations : null;
    return view;
  }

  function draw() {
    const view = viewNow();
    const [from, to] = [Math.floor(view.first), Math.ceil(view.last)];
    if (count() && wanted().some((one) => !stretches.has(one))) askSoon();
    rows.style.left = `${view.gutter}px`;
    labels.classList.toggle("lk-tight", view.label === LABEL.tight);
    const ties = tiesOf(view);
    const places = Array.from({ length: Math.max(0, to - from) }, (_, place) => from + place);
    rows.replaceChildren(...places.map((place) => drawRow(place, view, ties.get(place) ?? [])));
    if (cursor >= from && cursor < to) rows.setAttribute("aria-activedescendant", `${id}-${cursor}`);
    else rows.removeAttribute("aria-activedescendant");
    const none = timeline().first ? "This session has no events." : "No session is shown.";
    if (!count()) rows.replaceChildren(element("p", { class: "lk-none" }, none));
    const known = new Map();
    for (const one of count() ? wanted() : [])
      for (const bracket of stretches.get(one)?.brackets ?? []) known.set(bracket.seq, bracket);
    const brackets = bracketsIn(view, [...known.values()]);
    wires.replaceChildren(...drawBrackets(view, brackets), ...drawTrunks(view), ...drawArcs(view));
    labels.replaceChildren(...labelsOf(view, brackets).map(({ seq, words, range, row, later }) =>
      button([element("b", {}, `#${seq}`), ` ${words}`], `#${seq} ${words}, ${range}`, () => choose(seq), {
        class: classes("lk-label", later && "lk-dim", seq === view.selected && "lk-chosen"),
        style: `top:${view.y(row)}px`,
        tabindex: -1,
      })));
    strip.setAttribute("viewBox", `0 0 48 ${Math.max(height, 1)}`);
    const here = hits.hits.filter((one) => !one.other).map((one) => one.place);
    strip.replaceChildren(...drawStrip(view, model.get("overview")?.buckets ?? [], here));
    drawEdges(view);
  }

  function drawRow(place, view, ties) {
    const row = rowAt(place);
    const chosen = view.selected === place;
    const shell = {
      role: "option",
      id: `${id}-${place}`,
      style: `top:${view.y(place)}px`,
      "data-place": place,
      "aria-selected": String(chosen),
      "aria-posinset": place + 1,
      "aria-setsize": count(),
    };
    const line = (...parts) => element("div", { class: "lk-line" }, ...parts);
    if (!row) return element("div", { ...shell, class: "lk-row lk-dim" }, line(element("b", {}, `#${place}`), "loading …"));
    const state = stateOf(row, view.at, timeline());
    const facts = Object.entries({ replaces: row.replaces, cites: row.cites, "cited by": row.cited })
      .filter(([, many]) => many).map(([word, many]) => `${word} ${number(many)}`);
    const isHit = hits.hits.some((one, which) => which === hit && one.place === place && !one.other);
    const look = state === "current" ? "lk-stands" : state !== "unknown" && "lk-dim";
    return element("div", { ...shell, class: classes("lk-row", look, place === cursor && "lk-cursor", isHit && "lk-hit") },
      line(
        element("b", { class: "lk-seq" }, `#${place}`, row.seq === place ? "" : ` (says ${row.seq ?? "no seq"})`),
        element("span", { class: `lk-state lk-is-${state}` }, mark(state), stateWords(row, view.at, timeline())),
        element("span", { class: "lk-type" }, row.type), row.error ? element("em", {}, "ERROR") : "",
        element("span", { class: "lk-facts" }, facts.join(" · ")),
        ties.filter((tie) => tie !== `replaced by #${row.until}` || state !== "shadowed")
          .map((tie) => element("span", { class: tie.startsWith("replaced") ? "lk-tie lk-newer" : "lk-tie" }, tie))),
      element("div", { class: row.raw ? "lk-text lk-raw" : "lk-text" }, row.text || "(no text, no payload)"));
  }

  /** What lies above and below the window, and what of it belongs to the selected event. */
  function drawEdges({ first, last: end, relations }) {
    const last = Math.floor(end);
    const named = { chain: "replaced by", replaced: "replaced", cites: "cites", cited: "cited by" };
    const side = (box, arrow, many, is, nearest) => {
      const links = !relations ? [] : Object.entries(named).flatMap(([name, words]) => {
        const there = relations[name].events.filter(is);
        if (!there.length) return [];
        const to = nearest(...there);
        const text = there.length === 1 ? `${words} #${there[0]}` : `${words} ${number(there.length)} of these`;
        return [button(text, `Go to #${to}`, () => go(to), { class: "lk-link" })];
      });
      const size = many > 0 ? counted(many, "event") : "nothing";
      box.replaceChildren(`${arrow} ${size} ${arrow === "▲" ? "above" : "below"}`, ...links);
    };
    side(above, "▲", Math.floor(first + 0.5), (one) => one < first - 0.5, Math.max);
    side(below, "▼", count() - last, (one) => one >= last, Math.min);
  }

  // ---- search

  const findNow = () => {
    hit = -1;
    if (search.value) ask("find", { text: search.value, everywhere: everywhere.checked, number: (serial.find += 1) });
    else showHits({ number: serial.find, hits: [], total: 0 });
  };
  search.oninput = soon(200, findNow);
  everywhere.onchange = findNow;

  function showHits(told) {
    if (told.number !== serial.find) return;
    hits = { ...told, hits: told.hits.map((one) => ({ ...one, other: told.everywhere && one.session !== timeline().id })) };
    hit = -1;
    const all = counted(told.total, "hit");
    const said = told.hits.length < told.total ? `${number(told.hits.length)} of ${all} listed` : all;
    found.textContent = search.value ? said : "";
    list.hidden = !told.hits.length;
    list.replaceChildren(...hits.hits.map((one, which) => element("li", {}, button(
      [element("b", {}, `${told.everywhere ? `${one.shown} ` : ""}#${one.place}`), ` ${one.type} `,
        element("span", {}, one.parts[0], element("mark", {}, one.parts[1]), one.parts[2])],
      "Go to this event", () => openHit(which), { class: "lk-choice" }))));
    redraw();
  }

  function openHit(which) {
    hit = which;
    [...list.children].forEach((line, place) => line.firstChild.setAttribute("aria-current", String(place === which)));
    list.children[which]?.scrollIntoView({ block: "nearest" });
    const one = hits.hits[which];
    if (one.other) ask("open", { session: one.session, place: one.place });
    else choose(one.place);
  }

  function stepHit(step) {
    const many = hits.hits.length;
    if (many) openHit(hit < 0 && step < 0 ? many - 1 : (hit + step + many) % many);
  }

  search.onkeydown = (event) => { if (event.key === "Enter") stepHit(event.shiftKey ? -1 : 1); };

  const showPane = () => pane.show(timeline(), details(), model.get("selected") ?? null, at);

  // ---- keys, clicks, and what changes from outside

  rows.onclick = (event) => {
    const row = event.target.closest("[data-place]");
    if (row) choose(Number(row.dataset.place));
  };
  const page = () => Math.max(1, Math.floor(inWindow()) - 1);
  const moves = {
    ArrowUp: () => cursor - 1,
    ArrowDown: () => cursor + 1,
    PageUp: () => cursor - page(),
    PageDown: () => cursor + page(),
    Home: () => 0,
    End: () => count() - 1,
  };
  rows.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (moves[event.key]) go(moves[event.key](), true);
    else if (event.key === "Enter" || event.key === " ") choose(cursor);
    else if (event.key === "Escape") choose(null);
    else return;
    event.preventDefault();
  };
  whole.onkeydown = (event) => event.stopPropagation(); // the notebook has keys of its own
  jump.onchange = () => jump.value !== "" && go(Number(jump.value));
  strip.onclick = (event) => {
    const box = strip.getBoundingClientRect();
    scrollTo(((event.clientY - box.top) / box.height) * count() - inWindow() / 2);
  };
  scroller.onscroll = redraw;

  function showBanners() {
    const told = model.get("banners") ?? [];
    const dismiss = () => button("Dismiss", "Take this away", () => ask("dismiss"));
    banner.replaceChildren(...told.map(({ kind, text, offers, lasting }) =>
      element("div", { class: "lk-told" },
        element("p", {}, element("b", {}, kind === "error" ? "ERROR " : "NOTE "), text),
        offers.map((session) => sessionButton(session)), lasting ? "" : dismiss())));
  }

  function showStory() {
    const { id: key, session, title: name, first, count: many, sound } = timeline();
    for (const timer of asked.values()) clearTimeout(timer);
    asked = new Map();
    stretches = new Map();
    if (first) keep(first);
    if (hits.everywhere) hits.hits.forEach((one) => (one.other = one.session !== key));
    else hits = { hits: [], total: 0 };
    list.hidden = !hits.hits.length;
    if (list.hidden) search.value = found.textContent = "";
    title.replaceChildren(name || session || "No session", name ? element("span", { class: "lk-soft" }, ` ${session}`) : "");
    slider.max = Math.max(0, many - 1);
    exact.max = jump.max = Math.max(0, many - 1);
    slider.disabled = exact.disabled = !sound || !many;
    spacer.style.height = `${Math.max(0, tall() - height)}px`;
    cursor = model.get("selected") ?? 0;
    setAt(model.get("surface_at") ?? -1, false);
    scrollTo(0);
    showFamily();
    showStanding();
    showPane();
  }

  const heard = {
    "change:timeline": showStory,
    "change:banners": showBanners,
    "change:overview": () => { showStanding(); redraw(); },
    "change:surface_at": () => setAt(model.get("surface_at") ?? -1, false),
    "change:selected": () => {
      if (Number.isInteger(model.get("selected"))) go(model.get("selected"));
      showPane();
      redraw();
    },
    "change:details": () => { showPane(); redraw(); },
    "msg:custom": onMessage,
  };
  for (const [name, work] of Object.entries(heard)) model.on(name, work);

  const dusk = matchMedia("(prefers-color-scheme: dark)");
  /** Light or dark: as JupyterLab says; else as the system says. */
  const paintTheme = () => {
    const lab = document.querySelector("[data-jp-theme-light]")?.dataset.jpThemeLight;
    whole.dataset.theme = (lab === undefined ? dusk.matches : lab === "false") ? "dark" : "light";
  };
  dusk.addEventListener("change", paintTheme);
  const lab = new MutationObserver(paintTheme);
  lab.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  paintTheme();

  const sizes = new ResizeObserver(() => {
    height = scroller.clientHeight;
    stage.style.height = `${height}px`;
    spacer.style.height = `${Math.max(0, tall() - height)}px`;
    redraw();
  });
  sizes.observe(scroller);
  height = scroller.clientHeight;
  showBanners();
  showStory();
  if (Number.isInteger(model.get("selected"))) requestAnimationFrame(() => go(model.get("selected")));

  return () => {
    for (const [name, work] of Object.entries(heard)) model.off(name, work);
    for (const timer of asked.values()) clearTimeout(timer);
    dusk.removeEventListener("change", paintTheme);
    lab.disconnect();
    sizes.disconnect();
    cancelAnimationFrame(frame);
    whole.remove();
  };
}

export default { render };
