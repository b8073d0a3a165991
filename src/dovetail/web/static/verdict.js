// What the checker says, in plain words.

import { capital, made, number, seconds, spaced } from "/dom.js";

const MOST_FAULTS = 5;

// good, open or bad; a head; and sentences
export function inWords(job, report) {
  const verdict = report?.verdict, sure = report?.confidence?.words;
  if (job.state === "cancelled") return ["open", "Cancelled", ["It was ended before it had an answer."]];
  if (job.state === "failed") return ["bad", "It failed", [capital(job.words)]];
  if (!verdict) return ["bad", "No answer", [capital(job.words ?? job.state)]];
  const interrupted = job.state === "interrupted" ? [capital(`${job.words}.`)] : [];
  const doubts = [...(sure ? [`Its solver is ${sure}.`] : []), ...(verdict.remarks ?? []).map(one => capital(`${one}.`))];
  if (verdict.solved === true) return ["good", "Solved, and checked", [...interrupted, "An independent checker has gone through the rules one by one: all of them are met.", ...doubts]];
  if (verdict.solved === null && verdict.valid && job.passes) {
    return ["good", "Put together, as far as anyone can tell", ["The checker finds every piece used as it may be. Whether this is the picture they were cut from, only the original could say.", ...doubts]];
  }
  if (verdict.solved === null && verdict.valid) return ["open", "The best so far", [...interrupted, "It was cut short before its solver was done; the checker finds every piece used as it may be.", ...doubts]];
  if (report.outcome?.status === "proved_none") return ["bad", "There is no solution", ["The solver has shown that none exists.", ...doubts]];
  const none = report.outcome != null && !job.has_solution;
  return ["bad", none ? "No answer was found" : "Not solved; this is the best it found", [...interrupted, ...(none ? ["More time, another solver or another seed may help."] : []), ...doubts]];
}

export function show(place, job, report) {
  const [look, head, sentences] = inWords(job, report);
  const faults = job.has_solution ? report?.verdict?.violations ?? [] : [];
  const sign = { good: "✓", open: "…", bad: "✗" }[look];
  place.className = `verdict ${look}`;
  place.replaceChildren(
    made("p", { className: "head" }, made("span", { "aria-hidden": "true", textContent: `${sign} ` }), head),
    ...sentences.map(text => made("p", { textContent: text })),
    faults.length > 0 && made("ul", {}, ...faults.slice(0, MOST_FAULTS).map(text => made("li", { textContent: text })),
      ...(faults.length > MOST_FAULTS ? [made("li", { textContent: `and ${faults.length - MOST_FAULTS} more` })] : [])) || "");
}

// Scores and times, for the list beside the board.
export function numbers(job, report) {
  const took = report?.seconds ?? {};
  const rows = [
    ["solver", job.solver],
    ...(took.solve == null ? [] : [["solved in", seconds(took.solve)]]),
    ...(took.warm_up > 0.05 ? [["compiled in", seconds(took.warm_up)]] : []),
    ...Object.entries(report?.verdict?.scores ?? {}).map(([name, value]) => [spaced(name), number(value)]),
    ...(report?.explanation ? [["difficulty", report.explanation.difficulty]] : []),
  ];
  return rows.flatMap(([name, value]) => [made("dt", { textContent: name }), made("dd", { textContent: value })]);
}

// One score that says most, for tables.
export function score(job, report) {
  const scores = Object.entries(report?.verdict?.scores ?? {});
  const [first, second] = scores;
  const pairs = { satisfied: "constraints", matched: "seams" };
  if (first && second && pairs[first[0]] === second[0]) return `${number(first[1])} of ${number(second[1])} ${spaced(second[0])}`;
  if (first) return `${spaced(first[0])} ${number(first[1])}`;
  return job.progress ? `${spaced(job.progress.best_name)} ${number(job.progress.best)}` : "–";
}
