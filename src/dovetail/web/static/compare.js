// Several solvers on the same puzzle: side by side, live, and in a table.

import { follow, frames, get, post, show } from "/api.js";
import { by, capital, isOver, made, number, seconds, spaced, tell } from "/dom.js";
import { toPuzzle } from "/start.js";
import { inWords, score } from "/verdict.js";

const COLUMNS = ["solver", "verdict", "score", "solving", "steps"];

export function open(ids) {
  by("compare").hidden = false;
  by("compare-title").textContent = "";
  by("compare-said").textContent = "";
  const rows = new Map(ids.map(id => [id, lane(id)]));
  const head = COLUMNS.map(name => made("th", { scope: "col", textContent: capital(name) }));
  by("compare-table").replaceChildren(made("thead", {}, made("tr", {}, ...head)), made("tbody", {}, ...[...rows.values()].map(one => one.row)));
  by("boards").replaceChildren(...[...rows.values()].map(one => one.figure));
  by("compare-stop").onclick = () => Promise.all([...rows.values()].filter(one => one.job && !isOver(one.job)).map(one =>
    post(`/api/jobs/${one.job.id}/${one.job.state === "queued" ? "cancel" : "stop"}`).catch(error => tell("trouble", error.message))));
  let focused = false;
  const close = follow(ids, async (name, said) => {
    const one = rows.get(said.id);
    if (name === "frame") one.film.next();
    if (name === "progress") one.progress(said);
    if (name === "removed") { one.removed(); summary([...rows.values()]); }
    if (name === "job") {
      await one.state(said);
      by("compare-title").textContent = `${capital(said.kind)} ${said.size}: ${ids.length} solvers`;
      if (!focused) { focused = true; by("compare-title").focus({ preventScroll: true }); }
      by("compare-back").onclick = event => { event.preventDefault(); toPuzzle({ input: said.input, settings: said.request.settings }); };
      summary([...rows.values()]);
    }
  });
  return () => { close(); for (const one of rows.values()) one.film.end(); };
}

function lane(id) {
  const image = made("img", { alt: "" }), caption = made("figcaption", {}), cells = COLUMNS.map(name => made("td", { data: { name } }));
  const one = { id, job: null, report: null, settled: false, row: made("tr", {}, ...cells), figure: made("figure", { className: "board" }, caption, image), film: frames(image, id) };
  show(image, `/api/jobs/${id}/picture?what=puzzle`).catch(() => 0);
  const fill = values => values.forEach((value, place) => { cells[place].replaceChildren(value); });
  one.progress = said => {
    if (one.job && !isOver(one.job)) fill([name(), "being solved", `${spaced(said.best_name)} ${number(said.best)}`, seconds(said.at_s), number(said.steps)]);
  };
  one.removed = () => { one.settled = true; fill([id, "removed", "–", "–", "–"]); };
  const name = () => made("a", { href: `#job/${id}`, textContent: one.job.solver });
  one.state = async job => {
    one.job = job;
    caption.replaceChildren(made("strong", { textContent: job.solver }));
    image.alt = `${job.solver}: its board`;
    if (!isOver(job)) {
      const said = { queued: job.place ? `waiting, place ${job.place}` : "starting", running: job.progress ? "being solved" : "getting ready", paused: "paused" }[job.state];
      fill([name(), said, "–", "–", "–"]);
      if (job.progress) one.progress(job.progress);
      return;
    }
    one.film.end();
    one.report = job.has_report ? await get(`/api/jobs/${id}/report`).catch(() => null) : null;
    const [look, head] = inWords(job, one.report);
    const sign = { good: "✓", open: "…", bad: "✗" }[look];
    fill([name(), made("span", { className: look, textContent: `${sign} ${head}` }), score(job, one.report), seconds(one.report?.seconds.solve ?? job.progress?.at_s), number(job.progress?.steps)]);
    one.row.className = look;
    one.settled = true;
    if (job.has_solution) show(image, `/api/jobs/${id}/picture?what=answer`).catch(() => 0);
  };
  return one;
}

function summary(lanes) {
  const over = lanes.filter(one => one.settled); // ended, and its report is here
  const solved = over.filter(one => one.job?.passes && one.report).sort((a, b) => a.report.seconds.solve - b.report.seconds.solve);
  by("compare-stop").hidden = over.length === lanes.length;
  by("compare-said").textContent = over.length < lanes.length ? `${over.length} of ${lanes.length} are done.`
    : solved.length > 1 ? `All are done. ${solved[0].job.solver} was the quickest of those that solved it: ${seconds(solved[0].report.seconds.solve)}.`
    : solved.length === 1 ? `All are done. Only ${solved[0].job.solver} solved it, in ${seconds(solved[0].report.seconds.solve)}.` : "All are done, and none of them solved it.";
}
