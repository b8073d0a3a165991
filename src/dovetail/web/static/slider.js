// Before and after in one place: the pieces as they came, and the picture, with a line between them to be moved.

import { pictured, show } from "/api.js";
import { fitted } from "/board.js";
import { made } from "/dom.js";

export function compareSlider(stage, job, solution) {
  const before = made("img", { alt: "The pieces as they came" }), after = made("img", { alt: "The picture put together", className: "after" });
  const line = made("span", { className: "line", "aria-hidden": "true" });
  const range = made("input", { type: "range", min: 0, max: 100, value: 50, "aria-label": "How much of the picture as it came is shown" });
  const box = made("div", { className: "slider" }, before, after, line);
  stage.replaceChildren(made("figure", { className: "board" }, box, range, made("figcaption", { textContent: "left: the pieces as they came; right: put together" })));
  function cut() {
    after.style.clipPath = `inset(0 0 0 ${range.value}%)`;
    line.style.left = `${range.value}%`;
  }
  range.oninput = cut;
  after.onload = () => fitted(box, after);
  box.onpointermove = event => {
    if (event.pointerType === "mouse" && !event.buttons) return;
    const { left, width } = box.getBoundingClientRect();
    range.value = 100 * (event.clientX - left) / width;
    cut();
  };
  box.onpointerdown = box.onpointermove;
  cut();
  show(after, `/api/jobs/${job.id}/picture?what=answer`).catch(() => 0);
  shuffled(job, solution).then(address => { before.src = address; }, () => show(before, `/api/jobs/${job.id}/picture?what=puzzle`));
}

// The same board with its pieces in the order of their numbers: exactly as large as the answer.
function shuffled(job, solution) {
  let next = 0;
  const numbers = solution.pieces.flat().filter(piece => piece >= 0).sort((a, b) => a - b);
  const pieces = solution.pieces.map(row => row.map(piece => piece >= 0 ? numbers[next++] : piece));
  const turns = solution.turns.map(row => row.map(() => 0));
  const { kind, settings, number } = job.request;
  return pictured("/api/draw", { input: job.input, kind, settings, number, solution: { ...solution, pieces, turns } });
}
