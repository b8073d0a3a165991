// When a job has ended: what the checker says, the answer to look at in several ways, and all of it to take away.

import { get, pictured, post, show } from "/api.js";
import { Board } from "/board.js";
import { busy, by, made, tabs, tell } from "/dom.js";
import { plot } from "/plot.js";
import { compareSlider } from "/slider.js";
import { allKinds } from "/start.js";
import { steering } from "/steering.js";
import { player } from "/steps.js";
import * as verdict from "/verdict.js";

export function open(job) {
  let shown = null, gone = false;
  fill(job, () => gone).then(tabbed => { shown = tabbed; if (gone) shown?.leave(); }, error => tell("job-problem", error.message));
  return () => { gone = true; shown?.leave(); };
}

async function fill(job, gone) {
  const at = `/api/jobs/${job.id}`;
  const [report, kinds, points] = await Promise.all([reported(job), allKinds(), get(`${at}/progress`)]);
  if (gone()) return null;
  const kind = kinds.find(one => one.kind === job.kind);
  verdict.show(by("verdict"), job, report);
  by("numbers").replaceChildren(...verdict.numbers(job, report));
  plot(by("plot"), points.points, job.progress ?? {});
  takeAway(job, report, kind);
  if (!job.has_solution) {
    const image = made("img", { alt: "The puzzle as given" });
    by("stage").replaceChildren(made("figure", { className: "board" }, image, made("figcaption", { textContent: "as given" })));
    show(image, `${at}/picture?what=puzzle`).catch(() => 0);
    return null;
  }
  const [steps, solution, board] = await Promise.all([get(`${at}/steps`), get(`${at}/solution`), get(`${at}/board`)]);
  if (gone()) return null;
  if (kind?.explains && !report?.explanation && job.passes) explainable(job);
  const views = [{ id: "answer", name: "Answer", show: stage => theAnswer(stage, job, report, solution, board) }];
  if (kind?.family === "jigsaw" && solution.shape === "placement") views.push({ id: "slider", name: "Before and after", show: stage => { by("hints").hidden = true; compareSlider(stage, job, solution); } });
  else views.push({ id: "given", name: "As given", show: stage => picture(stage, `${at}/picture?what=puzzle`, "The puzzle as given") });
  const stepping = { id: "steps", name: steps.sort === "moves" ? "Move by move" : "Step by step", show: stage => player(stage, job, steps) };
  if (steps.sort && steps.texts.length) views.splice(steps.sort === "moves" ? 0 : 1, 0, stepping);
  return tabs(by("views"), by("stage"), views);
}

// An answer that was cut short has no report; the checker is asked for its verdict now.
async function reported(job) {
  if (job.has_report) return get(`/api/jobs/${job.id}/report`);
  if (!job.has_solution) return null;
  const { kind, settings, number } = job.request;
  const solution = await get(`/api/jobs/${job.id}/solution`);
  return (await post("/api/check", { input: job.input, kind, settings, number, solution }).catch(() => null))?.report ?? null;
}

function picture(stage, path, alt) {
  const image = made("img", { alt });
  stage.replaceChildren(made("figure", { className: "board" }, image));
  show(image, path).catch(error => tell("job-problem", error.message));
}

function theAnswer(stage, job, report, solution, about) {
  const image = made("img", { id: "answer", alt: `The answer to the ${job.kind} puzzle` });
  const figure = made("figure", { className: "board" });
  const sure = report?.confidence;
  show(image, `/api/jobs/${job.id}/picture?what=answer`).catch(error => tell("job-problem", error.message));
  if (!about.cells) {
    figure.append(image);
    if (sure) figure.append(swapped(image, job));
    stage.replaceChildren(figure);
    return null;
  }
  const board = new Board(image, about.cells, solution);
  figure.append(board.box);
  if (sure) {
    const box = made("input", { type: "checkbox", id: "sure" }), legend = board.legend(sure);
    legend.hidden = true;
    box.onchange = () => { board.confidence(sure, box.checked); legend.hidden = !box.checked; };
    figure.append(made("label", { className: "check" }, box, made("span", { textContent: "Show how sure it is of every seam" })), legend);
  }
  stage.replaceChildren(figure);
  if (about.hints.length) steering(by("hints"), board, job, about.hints);
  return () => { by("hints").hidden = true; };
}

// Where the answer is more than one board, the server's own picture of confidence takes its place.
function swapped(image, job) {
  const box = made("input", { type: "checkbox", id: "sure" });
  box.onchange = () => show(image, `/api/jobs/${job.id}/picture?what=${box.checked ? "confidence" : "answer"}`).catch(error => tell("job-problem", error.message));
  return made("label", { className: "check" }, box, made("span", { textContent: "Show how sure it is of every seam" }));
}

function explainable(job) {
  const { kind, settings, number, solver, time_s, steps, seed } = job.request;
  const button = made("button", { type: "button", textContent: "Explain it step by step", data: { do: "explain" } });
  button.onclick = busy(button, async () => {
    try { location.hash = `job/${(await post("/api/jobs", { input: job.input, kind, settings, number, solver, time_s, steps, seed, explain: true })).id}`; }
    catch (error) { tell("job-problem", error.message); }
  });
  by("steer").prepend(button);
}

// picture, solution, report, the puzzle in its formats, and players on the web

async function takeAway(job, report, kind) {
  const at = `/api/jobs/${job.id}`, name = `${job.kind}-${job.size}`.replace(/[^\w.-]+/g, "-"), items = [];
  if (job.has_solution) {
    items.push(file("Picture (PNG)", `${at}/picture?what=answer&form=png`, `${name}.png`), file("Picture (SVG)", `${at}/picture?what=answer&form=svg`, `${name}.svg`),
      file("Solution", `${at}/solution`, `${name}-solution.json`));
    if (report?.confidence) items.push(file("Picture of how sure it is", `${at}/picture?what=confidence`, `${name}-sure.png`));
  }
  if (job.has_report) items.push(file("Report", `${at}/report`, `${name}-report.json`));
  const suffix = { json: "json", png: "png", zip: "zip", csv: "csv" };
  const formats = (kind?.formats ?? ["json"]).map(format => file(`Puzzle (${format})`, `${at}/puzzle?format=${encodeURIComponent(format)}`, `${name}.${suffix[format] ?? "txt"}`));
  const list = by("take").querySelector("ul");
  list.replaceChildren(...items, ...formats);
  by("take").hidden = false;
  const links = await get(`${at}/links`).catch(() => ({ puzzle: {}, solution: {} }));
  const players = new Map([...Object.entries(links.puzzle), ...Object.entries(links.solution)].map(([player, address]) => [address, { pzpr: "puzz.link", tatham: "Simon Tatham's collection", bucas: "the bucas viewer" }[player] ?? player]));
  for (const [address, player] of players) {
    if (/^https:\/\//.test(address)) list.append(made("li", {}, made("a", { href: address, textContent: `Open in ${player}`, rel: "noreferrer noopener", target: "_blank", className: "out" })));
    else list.append(made("li", { className: "wide" }, `Game id for ${player}: `, made("code", { textContent: address })));
  }
}

function file(words, path, name) {
  const link = made("a", { href: path, textContent: words, download: name });
  link.onclick = async event => {
    event.preventDefault();
    tell("job-problem", "");
    try {
      const address = await pictured(path);
      made("a", { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    } catch (error) { tell("job-problem", `${words}: ${error.message}`); by("job-problem").scrollIntoView({ block: "nearest" }); }
  };
  return made("li", {}, link);
}
