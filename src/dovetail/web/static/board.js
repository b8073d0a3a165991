// The answer as a picture that can be pointed at: a layer over it shows how sure each part is, and what is chosen.

import { drawn, made } from "/dom.js";

const SURE = 0.9, GUESS = 0.5; // as the picture of confidence has it
const WORDS = { sure: `sure: a chance of ${SURE} or more`, doubt: `in doubt: ${GUESS} to ${SURE}`, guess: `a guess: under ${GUESS}` };

export class Board {
  constructor(image, cells, solution) {
    this.image = image;
    this.cells = cells;
    this.solution = solution;
    this.chosen = new Set(); // of "row,col", both from 0
    this.cursor = null;
    this.onpick = null;
    this.layer = drawn("svg", { class: "layer", preserveAspectRatio: "none" });
    this.parts = Object.fromEntries(["confidence", "marks", "chosen", "cursor"].map(name => [name, drawn("g", { class: name })]));
    this.layer.append(...Object.values(this.parts));
    this.box = made("div", { className: "pointed" }, image, this.layer);
    const fit = () => {
      if (!image.naturalWidth) return;
      this.layer.setAttribute("viewBox", `0 0 ${image.naturalWidth} ${image.naturalHeight}`);
      fitted(this.box, image);
    };
    image.addEventListener("load", fit);
    fit();
  }

  piece(row, col) { return this.solution.pieces[row]?.[col] ?? -1; }

  frame(row, col) {
    const { cells } = this;
    return { x: cells.left + (col - cells.first_col) * cells.step_x, y: cells.top + (row - cells.first_row) * cells.step_y, width: cells.width, height: cells.height };
  }

  path(places) {
    return places.map(([row, col]) => { const f = this.frame(row, col); return `M${f.x} ${f.y}h${f.width}v${f.height}h${-f.width}z`; }).join("");
  }

  // Seams in colours and strokes that everybody can tell apart; pieces in doubt fade.
  confidence(sure, on) {
    this.parts.confidence.replaceChildren();
    if (!on) return;
    const shown = this.cells.width * this.layer.clientWidth / this.image.naturalWidth;
    this.layer.style.setProperty("--fine", String(Math.min(1, Math.max(0.4, shown / 36))));
    const { cells } = this, seams = { sure: "", doubt: "", guess: "" }, veils = { doubt: [], guess: [] };
    const sort = chance => chance >= SURE ? "sure" : chance >= GUESS ? "doubt" : "guess";
    each(sure.pieces, (row, col, chance) => { if (sort(chance) !== "sure") veils[sort(chance)].push([row, col]); });
    each(sure.right, (row, col, chance) => { const f = this.frame(row, col); seams[sort(chance)] += `M${f.x + (f.width + cells.step_x) / 2} ${f.y + f.height * 0.08}v${f.height * 0.84}`; });
    each(sure.down, (row, col, chance) => { const f = this.frame(row, col); seams[sort(chance)] += `M${f.x + f.width * 0.08} ${f.y + (f.height + cells.step_y) / 2}h${f.width * 0.84}`; });
    for (const name of ["doubt", "guess"]) this.parts.confidence.append(drawn("path", { class: `veil ${name}`, d: this.path(veils[name]) }));
    for (const name of ["sure", "doubt", "guess"]) this.parts.confidence.append(drawn("path", { class: `seam under ${name}`, d: seams[name] }), drawn("path", { class: `seam ${name}`, d: seams[name] }));
  }

  legend(sure) {
    const counts = { sure: 0, doubt: 0, guess: 0 };
    for (const lines of [sure.right, sure.down]) each(lines, (row, col, chance) => { counts[chance >= SURE ? "sure" : chance >= GUESS ? "doubt" : "guess"] += 1; });
    return made("ul", { className: "legend" }, ...Object.entries(WORDS).map(([name, words]) => {
      const sample = drawn("svg", { viewBox: "0 0 40 10", width: 40, height: 10, "aria-hidden": "true" }, drawn("path", { class: `seam ${name}`, d: "M0 5h40" }));
      return made("li", {}, sample, ` ${words} (${counts[name]} seams)`);
    }), made("li", { textContent: "Pale pieces may lie in the wrong place." }));
  }

  mark(places) {
    this.parts.marks.replaceChildren(drawn("path", { d: this.path(places) }));
  }

  // Pieces can be chosen by pointer, or by arrows and Enter.
  pickable(name, announce) {
    const { layer, cells } = this;
    this.announce = announce;
    layer.setAttribute("tabindex", "0");
    layer.setAttribute("role", "application");
    layer.setAttribute("aria-label", name);
    layer.classList.add("pickable");
    const inside = (row, col) => row >= cells.first_row && col >= cells.first_col && row < cells.first_row + cells.rows && col < cells.first_col + cells.cols;
    layer.onclick = event => {
      const area = layer.getBoundingClientRect();
      const x = (event.clientX - area.left) / area.width * this.image.naturalWidth, y = (event.clientY - area.top) / area.height * this.image.naturalHeight;
      const row = Math.floor((y - cells.top) / cells.step_y) + cells.first_row, col = Math.floor((x - cells.left) / cells.step_x) + cells.first_col;
      if (inside(row, col)) { this.move(row, col); this.onpick?.(row, col); }
    };
    layer.onfocus = () => { if (!this.cursor) this.move(cells.first_row, cells.first_col); };
    layer.onkeydown = event => {
      if (!this.cursor) this.move(cells.first_row, cells.first_col);
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      const [row, col] = this.cursor;
      if (step) {
        event.preventDefault();
        if (inside(row + step[0], col + step[1])) this.move(row + step[0], col + step[1]);
      } else if (event.key === "Enter" || event.key === " ") { event.preventDefault(); this.onpick?.(row, col); }
    };
  }

  move(row, col) {
    this.cursor = [row, col];
    this.parts.cursor.replaceChildren(drawn("rect", this.frame(row, col)));
    this.announce?.(this.named(row, col));
  }

  named(row, col) {
    const piece = this.piece(row, col);
    return `row ${row + 1}, column ${col + 1}: ${piece < 0 ? "empty" : `piece ${piece}`}${this.chosen.has(`${row},${col}`) ? ", chosen" : ""}`;
  }

  toggle(row, col) {
    const key = `${row},${col}`;
    if (!this.chosen.delete(key)) this.chosen.add(key);
    this.showChosen();
  }

  choose(places) { this.chosen = new Set(places.map(([row, col]) => `${row},${col}`)); this.showChosen(); }

  showChosen() {
    this.parts.chosen.replaceChildren(drawn("path", { d: this.path(this.places()) }));
    if (this.cursor) this.announce?.(this.named(...this.cursor));
  }

  places() { return [...this.chosen].map(key => key.split(",").map(Number)); }
}

// As large as there is room for, in its own proportions, so that what lies over a picture fits it exactly.
export function fitted(box, image) {
  const ratio = image.naturalWidth / image.naturalHeight;
  box.style.aspectRatio = String(ratio);
  box.style.maxWidth = `calc(${ratio} * min(78vh, 1000px))`;
}

function each(rows, work) {
  rows.forEach((line, row) => line.forEach((chance, col) => { if (chance != null) work(row, col, chance); }));
}
