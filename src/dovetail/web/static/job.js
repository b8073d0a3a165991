// A job from its place in the queue to its answer: who shows what, and what can be done to it meanwhile.

import { follow, post, remove } from "/api.js";
import { busy, by, capital, isOver, made, tell } from "/dom.js";
import * as answer from "/answer.js";
import * as solving from "/solving.js";
import { toPuzzle } from "/start.js";

let current = null, live = null, after = null;

export function open(id) {
  by("job").hidden = false;
  by("title").textContent = "";
  by("verdict").replaceChildren();
  by("verdict").className = "verdict";
  for (const place of ["steer", "numbers", "stage", "views"]) by(place).replaceChildren();
  for (const place of ["views", "plot", "hints", "take"]) by(place).hidden = true;
  tell("job-problem", "");
  current = null;
  let focused = false;
  const close = follow([id], (name, said) => {
    if (name === "removed") { location.hash = "jobs"; return; }
    if (name === "progress") live?.progress(said);
    if (name === "frame") live?.frame();
    if (name === "job") state(said);
    if (!focused) { focused = true; by("title").focus({ preventScroll: true }); }
  });
  return () => { close(); end(); };
}

function end() { live?.end(); live = null; after?.(); after = null; }

function state(job) {
  const before = current;
  current = job;
  by("title").textContent = `${capital(job.kind)} ${job.size}`;
  if (before?.state !== job.state || !before) steer(job);
  if (isOver(job)) {
    live?.end();
    live = null;
    after ??= answer.open(job);
  } else {
    live ??= solving.open(job);
    live.state(job);
  }
}

const ACTIONS = [
  ["pause", "Pause", job => job.state === "running"],
  ["resume", "Resume", job => job.state === "paused", "main"],
  ["stop", "Stop and keep the best", job => ["running", "paused"].includes(job.state)],
  ["more-time", "Add a minute", job => job.time_s != null && ["running", "paused"].includes(job.state)],
  ["cancel", "Cancel", job => !isOver(job), "quiet"],
  ["again", "Solve again", isOver],
  ["change", "Change settings", isOver],
  ["delete", "Delete", isOver, "quiet"],
];

function steer(job) {
  const focused = document.activeElement?.dataset?.do;
  by("steer").replaceChildren(...ACTIONS.filter(([, , can]) => can(job)).map(([what, name, , look]) => {
    const button = made("button", { type: "button", textContent: name, className: look ?? "", data: { do: what } });
    button.onclick = busy(button, () => act(what));
    return button;
  }));
  if (!focused) return;
  // whoever steers by keyboard goes on where they were: pausing leads to resuming
  const next = { pause: "resume", resume: "pause" }[focused] ?? focused;
  (by("steer").querySelector(`[data-do="${next}"]`) ?? by("title")).focus({ preventScroll: true });
}

async function act(what) {
  const at = `/api/jobs/${current.id}`;
  tell("job-problem", "");
  try {
    if (what === "delete") { await remove(at); location.hash = "jobs"; }
    else if (what === "again") location.hash = `job/${(await post(`${at}/again`)).id}`;
    else if (what === "change") toPuzzle({ input: current.input, settings: current.request.settings });
    else await post(`${at}/${what}`, what === "more-time" ? { seconds: 60 } : undefined);
  } catch (error) { tell("job-problem", error.message); }
}
