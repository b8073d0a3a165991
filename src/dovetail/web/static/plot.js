// A small plot of the best score over time, with its axes named: readable by itself.

import { drawn, made, number, seconds, spaced } from "/dom.js";

const LEAST_WIDE = 260, HIGH = 200, LEFT = 64, RIGHT = 12, TOP = 14, BOTTOM = 40;

export function plot(place, points, about = {}) {
  const shown = points.filter(point => point.best != null);
  place.hidden = shown.length < 2;
  if (place.hidden) return;
  const WIDE = Math.max(LEAST_WIDE, place.clientWidth - 22);
  const name = spaced(about.best_name || "best score"), last = shown.at(-1);
  const until = Math.max(last.at_s, 1e-3);
  let least = Math.min(...shown.map(point => point.best)), most = Math.max(...shown.map(point => point.best));
  if (about.goal != null && about.goal - most < 3 * (most - least || 1)) most = Math.max(most, about.goal);
  if (most === least) { most += 1; least -= 1; }
  const x = at => LEFT + (WIDE - LEFT - RIGHT) * at / until;
  const y = best => HIGH - BOTTOM - (HIGH - TOP - BOTTOM) * (best - least) / (most - least);
  const path = shown.map((point, place) => place ? `H${x(point.at_s).toFixed(1)}V${y(point.best).toFixed(1)}` : `M${x(point.at_s).toFixed(1)} ${y(point.best).toFixed(1)}`).join("");
  const ticks = [0, 0.5, 1];
  const picture = drawn("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `${name} over time: ${number(last.best)} after ${seconds(last.at_s)}` },
    ...ticks.flatMap(share => {
      const value = least + share * (most - least);
      return [drawn("line", { class: "rule", x1: LEFT, x2: WIDE - RIGHT, y1: y(value), y2: y(value) }), label(LEFT - 6, y(value) + 4, number(value, 3), "end")];
    }),
    ...ticks.map(share => label(x(share * until), HIGH - BOTTOM + 16, number(share * until, 2), share === 1 ? "end" : share ? "middle" : "start")),
    label((LEFT + WIDE - RIGHT) / 2, HIGH - 6, "seconds", "middle"),
    drawn("path", { class: "line", d: path }));
  if (about.goal != null && about.goal <= most) {
    picture.append(drawn("line", { class: "goal", x1: LEFT, x2: WIDE - RIGHT, y1: y(about.goal), y2: y(about.goal) }), label(LEFT + 4, y(about.goal) + 14, "goal", "start"));
  }
  place.replaceChildren(made("figcaption", { textContent: `${name} over time` }), picture);
}

function label(x, y, text, anchor) {
  const node = drawn("text", { x, y, "text-anchor": anchor });
  node.textContent = text;
  return node;
}
