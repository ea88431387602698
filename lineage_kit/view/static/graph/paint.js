// How boxes and lines look on a canvas: the same on the screen, in the legend and in an exported picture.
// Every meaning has a form and a word; colour only repeats it.

/** Names of CSS variables (graph.css holds their values for both themes). */
const COLORS = ["paper", "band", "box", "ink", "soft", "faint", "line", "edge", "accent", "tint", "wrong", "newer"];
const TYPES = 6; // colours for types, --lk-type-0 and on; further types share the last, a grey
const READABLE = 0.5; // below this scale a box holds one line of large text, and lines have no words
const TINY = 0.26; // below this one boxes are plain patches of colour
const ARROW = 7;
const LANE = 31; // from the middle of a row to the middle of the space between two rows

/** The colours and the font of an element, as its style sheet has them at this moment. */
function lookOf(host) {
  const style = getComputedStyle(host);
  const value = (name) => style.getPropertyValue(`--lk-${name}`).trim() || "#888";
  const look = Object.fromEntries(COLORS.map((name) => [name, value(name)]));
  look.types = Array.from({ length: TYPES + 1 }, (_, place) => value(`type-${place}`));
  look.font = style.fontFamily || "sans-serif";
  return look;
}

const typeColor = (look, types, type) => look.types[Math.min(types.indexOf(type), TYPES)] ?? look.types[TYPES];

/** A text cut by an ellipsis to a width in pixels. */
function fitted(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  const characters = [...text];
  let low = 0;
  let high = characters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ctx.measureText(characters.slice(0, middle).join("") + "…").width <= width) low = middle;
    else high = middle - 1;
  }
  return characters.slice(0, low).join("").trimEnd() + "…";
}

/** The outline of a box; where a walk was cut, its right edge is torn. */
function outline(ctx, x, y, width, height, torn) {
  const [left, right, top, bottom] = [x - width / 2, x + width / 2, y - height / 2, y + height / 2];
  const corner = Math.min(6, height / 3.5);
  ctx.beginPath();
  if (!torn) return ctx.roundRect(left, top, width, height, corner);
  ctx.moveTo(right, top);
  const teeth = 6;
  for (let tooth = 1; tooth <= teeth; tooth += 1)
    ctx.lineTo(right - (tooth % 2 && tooth < teeth ? 6 : 0), top + (height * tooth) / teeth);
  ctx.arcTo(left, bottom, left, top, corner);
  ctx.arcTo(left, top, right, top, corner);
  ctx.closePath();
}

/** A box seen from afar: the colour of its type, light where its support is outdated; what is wrong is framed. */
function paintPatch(ctx, look, types, node, at, state, scale) {
  const [left, top] = [at.x - BOX.width / 2, at.y - BOX.height / 2];
  ctx.globalAlpha = node.flags.includes("outdated_support") ? 0.35 : 0.85;
  ctx.fillStyle = typeColor(look, types, node.type);
  ctx.fillRect(left, top, BOX.width, BOX.height);
  ctx.globalAlpha = 1;
  const wrong = node.flags.includes("invalidated") ? look.wrong : null;
  const color = state.selected || state.way ? look.accent : state.anchor ? look.ink : wrong;
  paintSign(ctx, look, node, left, top, Math.min(2.6, 0.9 / scale));
  if (!color) return;
  ctx.lineWidth = Math.min((state.selected ? 4 : 1.6) / scale, state.selected ? 60 : 8);
  ctx.strokeStyle = color;
  ctx.strokeRect(left, top, BOX.width, BOX.height);
}

/**
 * A node's box: its type at the left edge and in words, then its label or id.
 *
 * state: selected, way (on the path), hovered, anchor; text: whole, large or nothing.
 */
function paintBox(ctx, look, types, node, at, state, { width, height } = BOX) {
  const { x, y } = at;
  const has = (flag) => node.flags.includes(flag);
  const faint = has("outdated_support");
  const left = x - width / 2;
  if (state.selected) {
    outline(ctx, x, y, width + 10, height + 10, false);
    ctx.fillStyle = look.accent;
    ctx.fill();
  }
  outline(ctx, x, y, width, height, node.cut);
  ctx.fillStyle = state.selected || state.hovered ? look.tint : faint ? look.paper : look.box;
  ctx.fill();
  ctx.save();
  ctx.clip();
  ctx.globalAlpha = faint ? 0.45 : 1;
  ctx.fillStyle = typeColor(look, types, node.type);
  ctx.fillRect(left, y - height / 2, Math.min(6, width / 8), height);
  ctx.restore();
  outline(ctx, x, y, width, height, node.cut);
  ctx.setLineDash(has("removed") ? [2, 4] : has("invalidated") ? [5, 4] : []);
  ctx.lineWidth = has("added") ? 3.4 : state.anchor || has("invalidated") || has("removed") || state.way ? 2 : 1.1;
  if (state.way) ctx.strokeStyle = look.accent;
  else if (has("invalidated")) ctx.strokeStyle = look.wrong;
  else if (state.anchor || has("added") || has("removed")) ctx.strokeStyle = look.ink;
  else ctx.strokeStyle = faint ? look.line : look.faint;
  ctx.stroke();
  ctx.setLineDash([]);
  if (state.anchor) {
    outline(ctx, x, y, width + 8, height + 8, false);
    ctx.lineWidth = 1.1;
    ctx.stroke();
  }
  paintSign(ctx, look, node, left, y - height / 2, height < BOX.height / 2 ? 0.7 : 1);
  if (state.text === "whole") writeBox(ctx, look, node, at, faint);
  if (state.text === "large") writeLarge(ctx, look, node, at, faint);
}

/** What differs between two traces, at the upper left corner: a triangle if worse, a disc with + added, - removed. */
function paintSign(ctx, look, node, x, y, size) {
  const sign = ["worse", "added", "removed"].find((name) => node.flags.includes(name));
  if (!sign) return;
  const r = 8 * size;
  ctx.beginPath();
  if (sign === "worse") {
    ctx.moveTo(x, y - r * 1.1);
    ctx.lineTo(x + r * 1.1, y + r * 0.85);
    ctx.lineTo(x - r * 1.1, y + r * 0.85);
    ctx.closePath();
  } else ctx.arc(x, y, r, 0, 2 * Math.PI);
  const [fill, ink] = sign === "removed" ? [look.paper, look.ink] : [sign === "worse" ? look.wrong : look.ink, look.paper];
  ctx.fillStyle = fill;
  ctx.fill();
  ctx.lineWidth = 1.4 * size;
  ctx.strokeStyle = ink;
  ctx.stroke();
  ctx.fillStyle = ink;
  const bar = 1.8 * size;
  if (sign === "worse") {
    ctx.fillRect(x - bar / 2, y - r * 0.45, bar, r * 0.7);
    ctx.fillRect(x - bar / 2, y + r * 0.42, bar, bar);
  } else {
    ctx.fillRect(x - r / 2, y - bar / 2, r, bar);
    if (sign === "added") ctx.fillRect(x - bar / 2, y - r / 2, bar, r);
  }
}

/** The start of the label or id, large enough to be read from further away. */
function writeLarge(ctx, look, node, at, faint) {
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.font = `23px ${look.font}`;
  node.largeText ??= fitted(ctx, short(node.label || node.id, 80), BOX.width - 24);
  ctx.fillStyle = faint ? look.faint : look.ink;
  ctx.fillText(node.largeText, at.x - BOX.width / 2 + 14, at.y + 1);
  if (node.flags.includes("superseded"))
    ctx.fillRect(at.x - BOX.width / 2 + 13, at.y, ctx.measureText(node.largeText).width + 2, 2);
}

function writeBox(ctx, look, node, at, faint) {
  const left = at.x - BOX.width / 2 + 15;
  const room = BOX.width - 15 - (node.cut ? 14 : 9);
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  ctx.font = `600 9.5px ${look.font}`;
  ctx.letterSpacing = "0.7px";
  node.typeText ??= fitted(ctx, short(node.type, 40).toUpperCase(), room);
  ctx.fillStyle = faint ? look.faint : look.soft;
  ctx.fillText(node.typeText, left, at.y - 6);
  ctx.letterSpacing = "0px";
  ctx.font = `13px ${look.font}`;
  node.lineText ??= fitted(ctx, short(node.label || node.id, 80), room);
  ctx.fillStyle = faint ? look.faint : look.ink;
  ctx.fillText(node.lineText, left, at.y + 12);
  if (node.flags.includes("superseded")) {
    ctx.lineWidth = 1.3;
    ctx.strokeStyle = ctx.fillStyle;
    ctx.beginPath();
    ctx.moveTo(left - 1, at.y + 7.5);
    ctx.lineTo(left + ctx.measureText(node.lineText).width + 1, at.y + 7.5);
    ctx.stroke();
  }
  paintTags(ctx, look, node, at);
}

/** The words of the flags, on the upper edge of the box. */
function paintTags(ctx, look, node, at) {
  const tags = node.marks.map((mark) => [mark.tag, mark.name === "invalidated" || mark.name === "worse"]);
  ctx.font = `600 9px ${look.font}`;
  let right = at.x + BOX.width / 2 - (node.cut ? 8 : 6);
  for (const [tag, wrong] of tags.reverse()) {
    const width = ctx.measureText(tag).width + 8;
    ctx.beginPath();
    ctx.roundRect(right - width, at.y - BOX.height / 2 - 7, width, 13, 6.5);
    ctx.fillStyle = look.box;
    ctx.fill();
    ctx.lineWidth = 1;
    ctx.strokeStyle = wrong ? look.wrong : look.faint;
    ctx.stroke();
    ctx.fillStyle = wrong ? look.wrong : look.soft;
    ctx.fillText(tag, right - width + 4, at.y - BOX.height / 2 + 2.5);
    right -= width + 3;
  }
}

/** What stands for the rest of a level. */
function paintMore(ctx, look, rest, hovered) {
  ctx.beginPath();
  ctx.roundRect(rest.x - MORE.width / 2, rest.y - MORE.height / 2, MORE.width, MORE.height, MORE.height / 2);
  ctx.fillStyle = hovered ? look.tint : look.paper;
  ctx.fill();
  ctx.setLineDash([3, 3]);
  ctx.lineWidth = 1.3;
  ctx.strokeStyle = rest.hidden ? look.accent : look.faint;
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.font = `600 13px ${look.font}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillStyle = rest.hidden ? look.accent : look.soft;
  ctx.fillText(`+ ${number(rest.rest)} more`, rest.x, rest.y + 0.5);
}

/** The curve between two boxes, leaving and entering through facing sides. Returns where it enters, and whence. */
function curve(ctx, from, to, fromWidth = BOX.width, toWidth = BOX.width) {
  const apart = to.x - from.x;
  const beside = Math.abs(apart) < BOX.width; // one column: a bow on the right
  const side = beside ? 1 : Math.sign(apart);
  const [x1, y1, x2, y2] = [from.x + (side * fromWidth) / 2, from.y, to.x + ((beside ? 1 : -side) * toWidth) / 2, to.y];
  const pull = beside ? 36 : Math.min(Math.abs(x2 - x1) * 0.5, 150);
  if (from.clear > from.x && to.x > from.clear + BOX.width / 2) return detour(ctx, from, { x: x2, y: y2 });
  const [c1, c2] = [x1 + side * pull, x2 + (beside ? 1 : -side) * pull];
  ctx.moveTo(x1, y1);
  ctx.bezierCurveTo(c1, y1, c2, y2, x2, y2);
  return { x: x2, y: y2, way: beside ? -1 : side, middle: { x: (x1 + 3 * c1 + 3 * c2 + x2) / 8, y: (y1 + y2) / 2 } };
}

/** The same from a box that has its replacements beside it: along the space between the rows, past the last of them. */
function detour(ctx, from, to) {
  const up = to.y < from.y ? -1 : 1;
  const [x1, y1] = [from.x + BOX.width / 2 - 22, from.y + (up * BOX.height) / 2];
  const [lane, x2] = [from.y + up * LANE, from.clear + BOX.width / 2 + 8];
  const pull = Math.min((to.x - x2) * 0.5, 150);
  ctx.moveTo(x1, y1);
  ctx.quadraticCurveTo(x1, lane, x1 + 18, lane);
  ctx.lineTo(x2, lane);
  ctx.bezierCurveTo(x2 + pull, lane, to.x - pull, to.y, to.x, to.y);
  return { ...to, way: 1, middle: { x: (x2 + to.x) / 2, y: (lane + to.y) / 2 } };
}

/** Lines of one look, in one go. `style`: color, width, dash, arrows, words. */
function paintLines(ctx, look, lines, places, style) {
  if (!lines.length) return;
  const ends = [];
  ctx.beginPath();
  for (const line of lines) ends.push(curve(ctx, places.get(line.source), places.get(line.target)));
  ctx.strokeStyle = ctx.fillStyle = style.color;
  ctx.lineWidth = style.width;
  ctx.setLineDash(style.dash);
  ctx.stroke();
  ctx.setLineDash([]);
  if (style.arrows) {
    const size = ARROW + style.width;
    ctx.beginPath();
    for (const end of ends) {
      ctx.moveTo(end.x, end.y);
      ctx.lineTo(end.x - end.way * size, end.y - size * 0.45);
      ctx.lineTo(end.x - end.way * size, end.y + size * 0.45);
      ctx.closePath();
    }
    ctx.fill();
  }
  if (style.words) lines.forEach((line, place) => paintWord(ctx, look, line, ends[place].middle, style.color));
}

/** What an edge is and what has become of it, above and below its line: a narrow gap still shows the arrow. */
function paintWord(ctx, look, line, at, color) {
  const words = [roleOf(line.role).word, line.invalidated ? "invalidated" : ""].filter(Boolean);
  ctx.font = `600 ${words.length > 1 ? 8.5 : 9.5}px ${look.font}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "alphabetic";
  ctx.lineWidth = 3;
  ctx.strokeStyle = look.paper;
  ctx.lineJoin = "round";
  ctx.fillStyle = color;
  words.forEach((word, place) => {
    const y = at.y + (place ? 12 : -5);
    ctx.strokeText(word, at.x, y);
    ctx.fillText(word, at.x, y);
  });
}

/** The look of an edge by what it says; `strength`: way, near (of the selected node), first or other. */
function styleOf(look, edge, strength) {
  const role = roleOf(edge.role);
  const said = edge.invalidated ? look.wrong : role.word ? look.newer : look.edge;
  const color = strength === "way" ? look.accent : strength === "other" && !edge.invalidated ? look.line : said;
  const width = { way: 3.2, near: 1.9, first: 1.4, other: 0.9 }[strength];
  return { color, width, dash: edge.invalidated ? [2, 4] : role.dash };
}
