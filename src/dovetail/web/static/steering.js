// What somebody knows of an answer: pins, locked regions, neighbours that are some or are none; then solve again.

import { post } from "/api.js";
import { able, busy, isAble, made, tell } from "/dom.js";

const SORTS = ["pins", "locked", "neighbours", "apart"];

export function steering(place, board, job, taken) {
  const hints = Object.fromEntries(SORTS.map(sort => [sort, structuredClone(job.request.hints?.[sort] ?? [])]));
  let target = null; // the piece that is to be moved, while its new place is being chosen
  const said = made("p", { className: "help", role: "status", "aria-live": "polite" });
  const list = made("ul", { className: "hints" });
  const problem = made("p", { className: "problem", id: "hint-problem", role: "alert", hidden: true });
  const again = made("button", { type: "button", className: "main", id: "steer-again", textContent: "Solve again with these hints" });
  const tools = made("div", { className: "row" });
  const can = (...sorts) => sorts.every(sort => taken.includes(sort));
  const buttons = [
    can("pins") && tool("pin", "Pin here", () => laid().forEach(([row, col, piece]) => pin(piece, row, col))),
    can("pins") && tool("move", "Move elsewhere…", () => { [target] = laid(); show(); }),
    can("locked") && tool("lock", "Lock this region", lock),
    can("apart") && tool("apart", "These two are not neighbours", () => pair("apart")),
    can("neighbours") && tool("join", "These two are neighbours", () => pair("neighbours")),
    tool("clear", "Choose none", () => board.choose([])),
  ].filter(Boolean);
  tools.append(...buttons);
  place.replaceChildren(
    made("h2", { textContent: "Something wrong?" }),
    made("p", { textContent: "Choose pieces on the answer (by pointer, or by arrow keys and Enter), say what you know of them, and have the rest solved again." }),
    said, tools, list, problem, again);
  place.hidden = false;
  board.pickable("The answer; arrow keys go from piece to piece, Enter chooses", text => { said.textContent = text; });
  board.onpick = (row, col) => {
    if (target) {
      pin(target[2], row, col);
      target = null;
      board.choose([]);
    } else board.toggle(row, col);
    show();
  };
  again.onclick = busy(again, solve);
  show();

  function tool(name, words, work) {
    const button = made("button", { type: "button", textContent: words, data: { hint: name } });
    button.onclick = () => { if (!isAble(button)) return; tell("hint-problem", ""); work(); if (!target) board.choose(name === "clear" ? [] : board.places()); show(); };
    return button;
  }

  function laid() { return board.places().map(([row, col]) => [row, col, board.piece(row, col)]).filter(([, , piece]) => piece >= 0); }

  function pin(piece, row, col) {
    hints.pins = hints.pins.filter(one => one.piece !== piece && (one.row !== row + 1 || one.column !== col + 1));
    const turn = board.solution.turns.flat()[board.solution.pieces.flat().indexOf(piece)];
    const stays = board.piece(row, col) === piece;
    hints.pins.push({ piece, row: row + 1, column: col + 1, ...(stays && turn ? { turn } : {}) });
    board.choose([]);
  }

  function lock() {
    const places = laid(), rows = places.map(([row]) => row + 1), columns = places.map(([, col]) => col + 1);
    const range = numbers => [Math.min(...numbers), Math.max(...numbers)];
    hints.locked.push({ answer: board.solution, rows: range(rows), columns: range(columns) });
    board.choose([]);
  }

  function pair(sort) {
    const pieces = laid().map(([, , piece]) => piece).sort((a, b) => a - b);
    hints[sort].push({ pieces });
    board.choose([]);
  }

  function show() {
    const chosen = laid();
    const enough = { pin: chosen.length > 0, move: chosen.length === 1, lock: chosen.length > 0, apart: chosen.length === 2, join: chosen.length === 2, clear: chosen.length > 0 || target };
    for (const button of buttons) able(button, enough[button.dataset.hint]);
    if (target) said.textContent = `Where does piece ${target[2]} belong? Choose its place.`;
    const told = SORTS.flatMap(sort => hints[sort].map(hint => [sort, hint]));
    list.replaceChildren(...told.map(([sort, hint]) => {
      const button = made("button", { type: "button", className: "quiet", textContent: "Forget", "aria-label": `Forget: ${inWords(sort, hint)}` });
      button.onclick = () => { hints[sort] = hints[sort].filter(one => one !== hint); show(); };
      return made("li", {}, made("span", { textContent: inWords(sort, hint) }), button);
    }));
    able(again, told.length > 0);
    const pinned = hints.pins.map(one => [one.row - 1, one.column - 1]);
    const locked = hints.locked.flatMap(one => one.rows ? cellsOf(one) : []);
    board.mark([...pinned, ...locked]);
  }

  async function solve() {
    tell("hint-problem", "");
    const told = Object.fromEntries(Object.entries(hints).filter(([, some]) => some.length));
    const { kind, settings, number, solver, time_s, steps, seed } = job.request;
    try { location.hash = `job/${(await post("/api/jobs", { input: job.input, kind, settings, number, solver, time_s, steps, seed, hints: told })).id}`; }
    catch (error) { tell("hint-problem", error.message); }
  }
}

function cellsOf({ rows, columns }) {
  const places = [];
  for (let row = rows[0]; row <= rows[1]; row += 1) for (let column = columns[0]; column <= columns[1]; column += 1) places.push([row - 1, column - 1]);
  return places;
}

function inWords(sort, hint) {
  if (sort === "pins") return `Piece ${hint.piece} lies at row ${hint.row}, column ${hint.column}`;
  if (sort === "locked" && hint.rows) return `Rows ${hint.rows.join(" to ")}, columns ${hint.columns.join(" to ")} stay as they are`;
  if (sort === "locked") return "A part of an earlier answer stays";
  const [one, other] = hint.pieces ?? [hint.piece, hint.right ?? hint.left ?? hint.above ?? hint.below];
  return `Pieces ${one} and ${other} are ${sort === "apart" ? "not neighbours" : "neighbours"}`;
}
