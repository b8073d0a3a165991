// While a job runs: the board as it grows, how fast it goes, how good the best is, and the plot of that over time.

import { frames, get, show } from "/api.js";
import { by, made, number, seconds, spaced } from "/dom.js";
import { plot } from "/plot.js";

const MOST_DETAILS = 4;

export function open(job) {
  const image = made("img", { alt: "The puzzle as given" });
  const caption = made("figcaption", { textContent: "as given" });
  by("stage").replaceChildren(made("figure", { className: "board live" }, image, caption));
  show(image, `/api/jobs/${job.id}/picture?what=puzzle`).catch(() => 0);
  const film = frames(image, job.id), points = [];
  get(`/api/jobs/${job.id}/progress`).then(answer => { points.unshift(...answer.points); }, () => 0);
  let last = job.progress, drawn = 0;

  function progress(said) {
    if (last && said.best_name !== last.best_name) points.length = 0; // it counts something else now
    last = said;
    points.push({ at_s: said.at_s, best: said.best });
    numbers(job, said);
    const now = performance.now();
    if (now - drawn > 250) { drawn = now; plot(by("plot"), points, said); }
  }
  return {
    state(now) {
      job = now;
      words(job, last);
      if (job.progress) numbers(job, last ?? job.progress);
    },
    progress(said) {
      if (!last) words(job, said);
      progress(said);
    },
    frame() {
      caption.textContent = "the board now";
      image.alt = "The board as it is now";
      film.next();
    },
    end() { film.end(); },
  };
}

function words(job, progress) {
  const said = {
    queued: job.place ? [`Waiting: number ${job.place} in the queue`, "It begins as soon as jobs before it have ended."] : ["Starting", ""],
    running: job.has_report ? ["The answer is found and checked", "Now every step of it is being explained…"]
      : progress ? [`${job.solver} is solving it`, job.request.solver === "auto" && job.why ? `Chosen for this puzzle: ${job.why}.` : ""]
      : [`${job.solver} is getting ready`, "The first run of a solver is compiled first; that does not count as solving."],
    paused: ["Paused", "The time does not run on meanwhile."],
  }[job.state] ?? [job.state, ""];
  by("verdict").className = "verdict open";
  by("verdict").replaceChildren(made("p", { className: "head", textContent: said[0] }), made("p", { textContent: said[1] ?? "" }));
}

export function numbers(job, said) {
  const details = Object.entries(said.details ?? {}).filter(([, value]) => ["number", "string"].includes(typeof value)).slice(0, MOST_DETAILS);
  const rows = [
    ["time", job.time_s == null ? seconds(said.at_s) : `${seconds(said.at_s)} of ${seconds(job.time_s)}`],
    [said.best_name || "best", said.goal == null ? number(said.best) : `${number(said.best)} of ${number(said.goal)}`],
    [said.unit || "steps", number(said.steps)],
    ["rate", `${number(said.rate, 3)} a second`],
    ...details.map(([name, value]) => [name, typeof value === "number" ? number(value) : value]),
  ];
  by("numbers").replaceChildren(...rows.flatMap(([name, value]) => [made("dt", { textContent: spaced(name) }), made("dd", { textContent: value })]));
}
