// One event in detail: its state, its relations in words, its whole text, its payload when that is opened.

const FIRST = 6; // entries of a relation that show their text; the others are numbers
const OPEN = 30; // further numbers that are shown without a click
const READING = "Reading …";

/** A pane. `actions`: choose(place or null), setAt(place), ask(what, more). */
function makePane(actions) {
  const pane = element("aside", { class: "lk-pane", "aria-label": "Event", tabindex: -1 });
  const soft = (...text) => element("p", { class: "lk-soft" }, ...text);
  const link = (place) => button(`#${place}`, `Go to #${place}`, () => actions.choose(place), { class: "lk-link" });

  /** A relation as a list: the first ones with their text, the others as numbers, the rest counted. */
  function related(words, kind, { total, events, named }, more = "") {
    if (!total) return "";
    const chain = more !== "";
    const shown = chain ? named : named.slice(0, FIRST);
    const type = (one) => element("span", { class: "lk-soft" }, ` ${one.type} `);
    const items = shown.map((one) => element("li", {}, link(one.place), type(one), one.text));
    const others = events.slice(shown.length);
    const rest = element("details", { open: others.length <= OPEN },
      element("summary", {}, `${number(others.length)} more`), others.flatMap((one) => [link(one), " "]));
    return element("section", {},
      element("h4", {}, sample(kind), `${words} ${counted(total, "event")}${total > 1 ? more : ""}`),
      element(chain ? "ol" : "ul", {}, items), others.length ? rest : "",
      events.length < total ? soft(`${number(events.length)} of ${number(total)} listed, and drawn`) : "");
  }

  function showNone(timeline) {
    const many = timeline.count ?? 0;
    const said = [counted(many, "event"), counted(timeline.replacements ?? 0, "replacement")];
    if (timeline.highest > 1) said.push(`nested ${number(timeline.highest)} deep`);
    pane.replaceChildren(element("h3", {}, "No event selected"),
      element("p", {}, many
        ? "Click an event, or move with the arrow keys and press Enter, to see what replaced it, what it replaced, " +
          "what it cites and who cites it."
        : "There is nothing to select."),
      many ? soft(said.join(", ")) : "");
  }

  function payloadOf(timeline, told) {
    if (timeline.sound && told.payload === null) return soft("It has no payload.");
    const box = element("pre", { "data-payload": told.place }, READING);
    const title = timeline.sound ? `Payload (${counted(told.payload, "character")})` : "The event as it was logged";
    const folded = element("details", {}, element("summary", {}, title), box);
    folded.ontoggle = () => {
      if (folded.open && box.textContent === READING) actions.ask("payload", { place: told.place, number: told.place });
    };
    return folded;
  }

  function stated(timeline, told, at) {
    const state = stateOf(told, at, timeline);
    const error = told.error ? element("em", {}, " ERROR") : "";
    return element("p", { class: `lk-state lk-is-${state}` }, mark(state), stateWords(told, at, timeline), error);
  }

  /** Another event of the slider: only the state can differ, so that what was unfolded stays so. */
  function restate(timeline, told, at) {
    if (told.relations) pane.querySelector(":scope > .lk-state")?.replaceWith(stated(timeline, told, at));
  }

  function show(timeline, told, selected, at) {
    if (selected === null) return showNone(timeline);
    if (told.place !== selected) return pane.replaceChildren(soft(`Reading #${selected} …`));
    const { chain, replaced, cites, cited } = told.relations;
    const fact = (name, value) => [element("dt", {}, name), element("dd", {}, value)];
    const alone = !(chain.total + replaced.total + cites.total + cited.total);
    const after = button("Show the surface after it", `The surface after #${told.place}`, () => actions.setAt(told.place));
    const none = timeline.sound ? "Nothing replaced it, it replaced nothing, cites nothing and is not cited." : "It cites nothing.";
    pane.replaceChildren(
      element("div", { class: "lk-head" }, element("h3", {}, `#${told.place} ${told.type}`),
        button("×", "Close", () => actions.choose(null), { "aria-label": "Close" })),
      stated(timeline, told, at),
      element("dl", {}, fact("ref", told.ref), told.time ? fact("time", element("time", {}, told.time)) : [],
        fact("operation", told.op)),
      timeline.sound ? after : "",
      related("Replaced by", "replaced", chain, ", one after the other"), related("It replaced", "replaced", replaced),
      related("It cites", "cites", cites), related("It is cited by", "cites", cited), alone ? soft(none) : "",
      element("section", {}, element("h4", {}, "Text"),
        told.text === null ? soft("It has no text.") : element("pre", { class: "lk-whole" }, told.text)),
      payloadOf(timeline, told));
    if (pane.dataset.place !== String(selected)) pane.scrollTop = 0;
    pane.dataset.place = selected;
  }

  function payload(place, text) {
    for (const box of pane.querySelectorAll("[data-payload]")) if (Number(box.dataset.payload) === place) box.textContent = text;
  }

  return { element: pane, show, restate, payload };
}
