// The legend: samples painted by the same hand as the picture, only of what the picture holds.

const SAMPLE = { width: 40, height: 24 };

/** Fills a list with samples of what occurs in a drawing. */
function fillLegend(list, model, look) {
  const some = (flag) => model.kept.some((node) => node.marks.some((mark) => mark.name === flag));
  const edge = (test) => model.data.edges.some(test);
  const box = (flags, state = {}, cut = false) => (ctx) => {
    const node = { type: null, flags, cut };
    paintBox(ctx, look, [], node, { x: 20, y: 12 }, state, { width: 30, height: 14 });
    ctx.fillStyle = flags.includes("outdated_support") ? look.line : look.soft;
    ctx.fillRect(11, 12, 15, 2);
    if (flags.includes("superseded")) ctx.fillRect(9, 10, 19, 1);
  };
  const line = (given, strength) => (ctx) => {
    const style = styleOf(look, { role: "walk", invalidated: false, ...given }, strength);
    const places = new Map([
      [1, { x: -BOX.width / 2 + 2, y: 12 }],
      [2, { x: SAMPLE.width + BOX.width / 2 - 2, y: 12 }],
    ]);
    const backward = roleOf(given.role ?? "walk").backward;
    const ends = backward ? { source: 2, target: 1 } : { source: 1, target: 2 };
    paintLines(ctx, look, [ends], places, { ...style, arrows: true, words: false });
  };
  const others = edge((each) => !each.first);
  const entries = [
    ["anchor", box([], { anchor: true }), true],
    ["invalidated", box(["invalidated"]), some("invalidated")],
    ["superseded", box(["superseded"]), some("superseded")],
    ["outdated support", box(["outdated_support"]), some("outdated_support")],
    ["worse: a flag it had not before", box(["worse"]), some("worse")],
    ["added", box(["added"]), some("added")],
    ["removed", box(["removed"]), some("removed")],
    ["cut, more beyond", box([], {}, true), some("cut")],
    ...["walk", "cites", "child", "replacement"].map((role) =>
      [roleOf(role).name, line({ role }, "first"), edge((each) => each.role === role)]),
    ["invalidated edge", line({ invalidated: true }, "first"), edge((each) => each.invalidated)],
    [model.places.size > QUIET ? "another way (for the selected node)" : "another way", line({}, "other"), others],
    ["path", line({}, "way"), model.kept.length > 1],
  ];
  const types = model.types.map((type) =>
    element("li", {},
      element("i", { class: "lk-swatch", "data-type": Math.min(model.types.indexOf(type), TYPES) }), short(type, 30)));
  const shown = entries.filter(([, , holds]) => holds).map(([words, paint]) => element("li", {}, sample(paint), words));
  const rest = types.length > 8 ? [element("li", {}, `${types.length - 7} more types`)] : [];
  list.replaceChildren(...types.slice(0, rest.length ? 7 : 8), ...rest, ...shown);
}

function sample(paint) {
  const ratio = 2;
  const size = { width: SAMPLE.width * ratio, height: SAMPLE.height * ratio };
  const canvas = element("canvas", { ...size, "aria-hidden": "true" });
  const ctx = canvas.getContext("2d");
  ctx.scale(ratio, ratio);
  paint(ctx);
  return canvas;
}
