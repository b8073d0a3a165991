// Settings as the registry declares them, as fields of a form: by name, with their help, defaults and choices.

import { capital, made, spaced } from "/dom.js";

// of pictures and solvers: what people know, and what makes the difference; the rest is folded away
export const MATTER = ["piece", "rotate", "rows", "cols", "effort"];
const NAMES = { piece: "Size of a piece, in pixels", rotate: "Pieces may be turned", rows: "Rows", cols: "Columns", effort: "Effort" };
const HELP = { piece: "one number, or WIDTHxHEIGHT", rotate: "", rows: "", cols: "" };
const FLAGS = ["rotate", "foreign", "mixed", "flip", "scan"]; // yes, no, or as the file has it

export function fields(described, values = {}) {
  return described.map(one => {
    const box = choice(one) ?? made("input", { type: typeof one.default === "number" ? "number" : "text", step: "any", placeholder: one.default ?? "found out" });
    box.dataset.setting = one.name;
    if (values[one.name] != null) box.value = String(values[one.name]);
    return made("label", {}, NAMES[one.name] ?? capital(spaced(one.name)), " ", box, " ", made("span", { className: "help", textContent: HELP[one.name] ?? one.help }));
  });
}

function choice(one) {
  const flag = typeof one.default === "boolean" || (one.default === null && FLAGS.includes(one.name));
  const choices = one.choices ?? (flag ? ["true", "false"] : null);
  if (!choices) return null;
  const words = { true: "yes", false: "no" };
  const standard = one.default === null ? "found out" : `${words[String(one.default)] ?? one.default} (standard)`;
  const others = choices.filter(value => value !== String(one.default));
  return made("select", {}, made("option", { value: "", textContent: standard }), ...others.map(value => made("option", { value, textContent: words[value] ?? value })));
}

// What was set, by name; what was left alone is not sent.
export function given(place) {
  const found = {};
  for (const box of place.querySelectorAll("[data-setting]")) if (box.value.trim() !== "") found[box.dataset.setting] = box.value.trim();
  return found;
}
