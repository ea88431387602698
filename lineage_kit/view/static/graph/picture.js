// The picture on the canvas: vis-network gives the view (drag, zoom, pixels), the boxes and lines are painted here.

const MOST = 3; // scales
const LEAST = 0.03;
const EASY = 0.55; // the scale at which a whole lineage is still read
const START = 0.8; // the scale to start at when the whole would be too small
const HEAD = 30; // pixels of the strip with the names of the levels

/** A picture in a frame. `actions`: select(place), open(place), expand(depth), guard(call). */
function makePicture(vis, frame, tip, actions) {
  let model = null;
  let look = null;
  let network = null;
  let selected = null;
  let way = new Set();
  let wayLines = new Set();
  let hovered = {};
  let scale = 1;
  let seen = null; // the part of the drawing in view
  let due = 0;
  let moving = false;
  let framed = false; // the first view has been chosen
  let touched = false; // and the reader has changed it
  const boxes = new vis.DataSet();
  const afterDraw = [];

  const options = {
    autoResize: false, // vis-network would zoom when its room changes
    physics: false,
    layout: { improvedLayout: false, randomSeed: 1 },
    interaction: { dragNodes: false, selectable: false, hover: false, keyboard: false, zoomSpeed: 0.7 },
    nodes: { shape: "custom", size: BOX.width / 2 + 10, ctxRenderer: paintOne, chosen: false },
  };

  function paintOne({ ctx, id, x, y }) {
    // vis-network paints a new box once wherever it is; thousands outside the picture would take seconds
    const beyond = (low, high, value, size) => value + size < low || value - size > high;
    const away = seen
      && (beyond(seen.left, seen.right, x, BOX.width) || beyond(seen.top, seen.bottom, y, BOX.height));
    const text = scale >= READABLE ? "whole" : scale >= TINY ? "large" : "";
    const drawNode = () => away || actions.guard(() => paintNode(ctx, id, { x, y }, text));
    return { drawNode, nodeDimensions: BOX };
  }

  function paintNode(ctx, id, at, text) {
    if (typeof id === "string") {
      const rest = model.more.get(Number(id.slice(5)));
      if (rest) paintMore(ctx, look, rest, hovered.rest?.depth === rest.depth);
      return;
    }
    const anchor = id === model.data.anchor;
    const state = { selected: id === selected, way: way.has(id), hovered: hovered.place === id, anchor, text };
    if (text) paintBox(ctx, look, model.types, model.nodes.get(id), at, state);
    else paintPatch(ctx, look, model.types, model.nodes.get(id), at, state, scale);
  }

  /** Bands, then lines from the faintest to the strongest. `seen`: the part of the drawing in view, or null for all. */
  function paintGround(ctx, seen, legible) {
    const span = seen ?? model.bounds;
    const thin = seen ? Math.max(1, 0.5 / scale) : 1; // lines stay visible from afar, and let others show through
    model.bands.forEach((band, place) => {
      if (place % 2 === 0) return;
      const right = place === model.bands.length - 1 ? Math.max(span.right, band.left + 1) : band.left + band.width;
      ctx.fillStyle = look.band;
      ctx.fillRect(band.left, span.top, right - band.left, span.bottom - span.top);
    });
    ctx.globalAlpha = thin > 1.5 ? 0.4 : 1;
    ctx.beginPath();
    for (const stub of model.stubs) if (meets(stub.from, stub.to, seen)) curve(ctx, stub.from, stub.to, MORE.width);
    ctx.strokeStyle = look.line;
    ctx.lineWidth = thin;
    ctx.stroke();
    const groups = new Map();
    for (const edge of model.lines) {
      const near = edge.source === selected || edge.target === selected;
      const strength = wayLines.has(edge) ? "way" : near ? "near" : edge.first ? "first" : "other";
      if (strength === "other" && (model.places.size > QUIET || moving)) continue;
      if (!meets(model.places.get(edge.source), model.places.get(edge.target), seen)) continue;
      const key = `${["other", "first", "near", "way"].indexOf(strength)} ${edge.role} ${edge.invalidated}`;
      (groups.get(key) ?? groups.set(key, { strength, lines: [] }).get(key)).lines.push(edge);
    }
    for (const key of [...groups.keys()].sort()) {
      const { strength, lines } = groups.get(key);
      const plain = styleOf(look, lines[0], strength);
      const arrows = legible || strength === "way";
      const style = { ...plain, width: plain.width * thin, arrows, words: legible && strength !== "other" };
      if (strength === "way") ctx.globalAlpha = 1;
      paintLines(ctx, look, lines, model.places, style);
    }
    ctx.globalAlpha = 1;
  }

  const meets = (a, b, seen) =>
    !seen || (Math.min(a.x, b.x) < seen.right + BOX.width && Math.max(a.x, b.x) > seen.left - BOX.width
      && Math.min(a.y, b.y) < seen.bottom && Math.max(a.y, b.y) > seen.top);

  /** Paints again with the next frame, however often it is asked for before. */
  function redraw() {
    due ||= requestAnimationFrame(() => {
      due = 0;
      network?.redraw();
    });
  }

  function view() {
    const low = network.DOMtoCanvas({ x: 0, y: 0 });
    const high = network.DOMtoCanvas({ x: frame.clientWidth, y: frame.clientHeight });
    return { left: low.x, top: low.y, right: high.x, bottom: high.y };
  }

  function start() {
    network = new vis.Network(frame, { nodes: boxes, edges: new vis.DataSet() }, options);
    frame.firstElementChild.removeAttribute("tabindex"); // the stage around it is what the tab key reaches
    network.on("beforeDrawing", (ctx) => actions.guard(() => {
      scale = network.getScale();
      seen = view();
      if (model && look) paintGround(ctx, seen, scale >= READABLE);
    }));
    network.on("afterDrawing", () => afterDraw.forEach((call) => call()));
    network.on("click", (event) => actions.guard(() => {
      const { place, rest } = model.at(event.pointer.canvas.x, event.pointer.canvas.y);
      if (rest) actions.expand(rest.depth);
      else actions.select(place ?? null);
    }));
    network.on("doubleClick", (event) => actions.guard(() => {
      const { place } = model.at(event.pointer.canvas.x, event.pointer.canvas.y);
      if (place !== undefined) actions.open(place);
    }));
    network.on("dragStart", () => (moving = touched = true));
    network.on("dragEnd", () => {
      moving = false;
      redraw();
    });
    network.on("zoom", () => {
      touched = true;
      const wanted = Math.min(MOST, Math.max(LEAST, network.getScale()));
      if (wanted !== network.getScale()) network.moveTo({ scale: wanted });
    });
  }

  /** Tells vis-network which boxes there are now, and where. */
  function settle() {
    const wanted = [...model.places].map(([id, { x, y }]) => ({ id, x, y }));
    for (const { depth, x, y } of model.more.values()) wanted.push({ id: `more:${depth}`, x, y });
    const ids = new Set(wanted.map(({ id }) => id));
    boxes.remove(boxes.getIds().filter((id) => !ids.has(id)));
    boxes.update(wanted);
    if (!network) start();
  }

  /** The whole where that can be read; else the beginning, with the anchor at the left. */
  function fit(whole) {
    const [width, height] = [frame.clientWidth, frame.clientHeight - HEAD];
    if (!width || height <= 0) return;
    framed = true;
    touched = whole;
    const { left, right, top, bottom } = model.bounds;
    const all = Math.min(width / (right - left + 20), height / (bottom - top + 20), 1.1);
    if (whole || all >= EASY) move({ x: (left + right) / 2, y: (top + bottom) / 2 }, all);
    else {
      const anchor = model.places.get(model.data.anchor);
      move({ x: anchor.x - BOX.width / 2 - 40 + width / START / 2, y: anchor.y }, START); // the anchor is always drawn
    }
  }

  /** A point of the drawing to the middle of the picture (below the strip of levels). */
  const move = (point, wanted, animation = false) =>
    network.moveTo({ position: { x: point.x, y: point.y - HEAD / 2 / wanted }, scale: wanted, animation });

  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const gently = () => (still.matches ? false : { duration: 180, easingFunction: "easeOutQuad" });

  /** Moves a box into view, no further than needed. */
  function reveal(place) {
    const at = model.places.get(place);
    if (!at || !frame.clientWidth) return;
    const seen = view();
    const [padX, padTop, padBottom] = [BOX.width / 2 + 30, BOX.height / 2 + (HEAD + 16) / scale, BOX.height / 2 + 16];
    const shift = (value, low, high) => {
      if (low > high) return value - (low + high) / 2; // the box does not fit: its middle does
      return value < low ? value - low : Math.max(0, value - high);
    };
    const dx = shift(at.x, seen.left + padX, seen.right - padX);
    const dy = shift(at.y, seen.top + padTop, seen.bottom - padBottom);
    if (!dx && !dy) return;
    touched = true;
    const middle = network.getViewPosition();
    network.moveTo({ position: { x: middle.x + dx, y: middle.y + dy }, animation: gently() });
  }

  function hover(event) {
    if (!network) return;
    const box = frame.getBoundingClientRect();
    const point = { x: event.clientX - box.left, y: event.clientY - box.top };
    const spot = network.DOMtoCanvas(point);
    const found = moving ? {} : model.at(spot.x, spot.y);
    if (found.place !== hovered.place || found.rest !== hovered.rest) {
      hovered = found;
      redraw();
    }
    frame.style.cursor = found.place !== undefined || found.rest ? "pointer" : "";
    const node = model.nodes.get(found.place);
    tip.hidden = !node || (scale >= READABLE && !String(node.lineText ?? "").endsWith("…"));
    if (tip.hidden) return;
    tip.textContent = named(node, 200);
    tip.style.left = `${Math.max(0, Math.min(point.x + 14, frame.clientWidth - 300))}px`;
    tip.style.top = `${point.y + 18}px`;
  }

  frame.addEventListener("pointermove", (event) => actions.guard(() => hover(event)));
  frame.addEventListener("pointerleave", () => {
    hovered = {};
    tip.hidden = true;
    redraw();
  });

  return {
    afterDraw: (call) => afterDraw.push(call),
    /** Another drawing, or the same with other levels open or another filter. */
    setModel(given, again) {
      model = given;
      if (!again) framed = touched = false;
      settle();
      if (!framed) fit(false);
      redraw();
    },
    setLook(given) {
      look = given;
      redraw();
    },
    select(place) {
      selected = place;
      const steps = place === null ? [] : model.chain(place);
      way = new Set(steps);
      wayLines = new Set(steps.map((step) => model.describing.get(step)).filter(Boolean));
      if (place !== null) reveal(place);
      redraw();
    },
    fit,
    /** Nearer or further, around the selected node where it is in view. */
    zoom(factor) {
      touched = true;
      const wanted = Math.min(MOST, Math.max(LEAST, network.getScale() * factor));
      network.moveTo({ scale: wanted, animation: gently() });
    },
    /** A node large and in the middle. */
    centre(place) {
      const at = model.places.get(place);
      touched = true;
      if (at) move(at, Math.max(1, scale), gently());
    },
    /** The room for the picture has changed: what was in its middle stays there. */
    resized() {
      const [position, before] = [network.getViewPosition(), network.getScale()];
      network.setSize("100%", "100%");
      if (touched) network.moveTo({ position, scale: before });
      else fit(false);
      redraw();
    },
    toViewport(point) {
      const box = frame.getBoundingClientRect();
      const at = network.canvasToDOM(point);
      return { x: at.x + box.left, y: at.y + box.top };
    },
    span: (band) => [band.left, band.left + band.width].map((x) => network.canvasToDOM({ x, y: 0 }).x),
    /** The whole drawing as a PNG, whatever part of it is in view. */
    png: () => exported(model, look, (ctx) => {
      paintGround(ctx, null, true);
      for (const rest of model.more.values()) paintMore(ctx, look, rest, false);
      for (const [place, at] of model.places) paintNode(ctx, place, at, "whole");
    }),
    destroy() {
      cancelAnimationFrame(due);
      network?.destroy();
      network = null;
    },
  };
}

/** A canvas of the whole drawing with its title and notices above it, as a promise of PNG bytes. */
function exported(model, look, paint) {
  const { left, right, top, bottom } = model.bounds;
  const heads = [[model.data.title, 18], ...model.data.notices.map(({ text }) => [text, 13]), [model.extent(), 13]];
  const above = 50 + heads.length * 24;
  const [width, height] = [Math.max(right - left, 640) + 20, bottom - top + above + 20];
  const ratio = Math.min(2, 12000 / width, 12000 / height, Math.sqrt(4e7 / (width * height)));
  const canvas = element("canvas", { width: Math.ceil(width * ratio), height: Math.ceil(height * ratio) });
  const ctx = canvas.getContext("2d");
  ctx.scale(ratio, ratio);
  ctx.fillStyle = look.paper;
  ctx.fillRect(0, 0, width, height);
  ctx.fillStyle = look.ink;
  ctx.textBaseline = "middle";
  heads.forEach(([text, size], place) => {
    ctx.font = `${place ? 400 : 600} ${size}px ${look.font}`;
    ctx.fillText(fitted(ctx, short(text, 300), width - 40), 20, 24 + place * 24);
  });
  ctx.translate(10 - left, above - top);
  ctx.font = `600 12px ${look.font}`;
  ctx.fillStyle = look.soft;
  for (const band of model.bands) ctx.fillText(bandName(model, band), band.left + 80, top - 14);
  paint(ctx);
  const failed = () => new Error("the picture is too large for a PNG");
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(failed())), "image/png"));
}

/** A level in words, as many as there is room for. */
function bandName(model, band, room = Infinity) {
  const name = `${LEVELS[model.data.kind] ?? "Level"} ${band.depth}`;
  const extent = band.drawn === band.total ? number(band.total) : `${number(band.drawn)} of ${number(band.total)}`;
  const only = band.depth === 0 && band.total === 1;
  const words = only ? ["Anchor", ""] : [`${name} · ${extent}`, name, String(band.depth)];
  return words.find((each) => each.length * 7 + 12 <= room) ?? words.at(-1);
}
