// What was recognised, and how it is to be solved: the settings that matter in sight, the rest folded.

import { post, show } from "/api.js";
import { busy, by, capital, inWords, made, spaced, tell } from "/dom.js";
import { fields, given, MATTER } from "/settings.js";
import { allKinds, toPuzzle } from "/start.js";

const MOST_RIVALS = 6;
let found = null, kind = null, read = {};

export function open(input, query) {
  by("ready").hidden = false;
  by("what").textContent = "Reading…";
  for (const id of ["rules", "facts", "solver-why"]) by(id).textContent = "";
  by("puzzle").removeAttribute("src");
  tell("solve-problem", ""); tell("compare-problem", "");
  read = Object.fromEntries(query);
  describe(input, 1).then(() => by("what").focus({ preventScroll: true }), error => {
    by("what").textContent = "This puzzle cannot be shown";
    tell("solve-problem", inWords(error));
  });
}

async function describe(input, number) {
  found = await post("/api/describe", { input, settings: read, number });
  kind = (await allKinds()).find(one => one.kind === found.kind);
  const form = by("solve");
  by("what").textContent = `${capital(found.kind)} ${found.size}`;
  by("rules").textContent = kind?.rules ?? found.title;
  by("facts").textContent = Object.entries(found.facts).map(([name, value]) => `${spaced(name)}: ${value}`).join(" · ");
  by("puzzle").alt = `The ${found.kind} puzzle as it was read`;
  show(by("puzzle"), "/api/draw", { input, settings: read, number }).catch(error => tell("solve-problem", inWords(error)));
  form.number.max = found.puzzles;
  form.number.value = number;
  by("which").hidden = found.puzzles === 1;
  form.solver.replaceChildren(made("option", { value: "auto", textContent: `auto: ${found.suggested.solver ?? "none"}` }),
    ...found.solvers.map(one => made("option", { value: one.solver, textContent: one.solver })));
  by("explain").hidden = !found.explains;
  by("another").hidden = !kind?.makes;
  by("go").disabled = !found.solvers.length;
  if (!found.solvers.length) tell("solve-problem", "no solver here takes this puzzle");
  solverChanged();
  rivals();
  examples();
}

function solverChanged() {
  const form = by("solve"), name = form.solver.value === "auto" ? found.suggested.solver : form.solver.value;
  const solver = found.solvers.find(one => one.solver === name);
  by("solver-why").textContent = solver ? capital(`${solver.why}.`) : "";
  const reading = found.picture ? found.read_settings : [], own = solver?.settings ?? [];
  const matters = one => MATTER.includes(one.name);
  by("main-settings").replaceChildren(...fields([...reading.filter(matters), ...own.filter(matters)], read));
  const folded = [...own.filter(one => !matters(one)), ...(found.picture ? reading.filter(one => !matters(one)) : found.read_settings)];
  by("more-settings").replaceChildren(...fields(folded, read));
  for (const box of by("solve").querySelectorAll("[data-setting]")) {
    if (found.read_settings.some(one => one.name === box.dataset.setting)) box.onchange = readAgain;
  }
}

// How a picture is cut changes what is shown: so it is read again at once.
async function readAgain() {
  const names = found.read_settings.map(one => one.name);
  const now = Object.fromEntries(Object.entries(given(by("solve"))).filter(([name]) => names.includes(name)));
  tell("solve-problem", "");
  try {
    const other = await post("/api/describe", { input: found.input, settings: now });
    history.replaceState(null, "", `#puzzle/${other.input}?${new URLSearchParams(now)}`);
    read = now;
    await describe(other.input, 1);
  } catch (error) { tell("solve-problem", inWords(error)); }
}

function asked(solver) {
  const form = by("solve"), settings = { ...read, ...given(form) };
  const allowed = [...found.read_settings, ...(found.solvers.find(one => one.solver === (solver === "auto" ? found.suggested.solver : solver))?.settings ?? [])].map(one => one.name);
  return {
    input: found.input, solver, time_s: Number(form.time_s.value), seed: Number(form.seed.value), number: Number(form.number.value),
    explain: form.explain.checked && found.explains,
    settings: Object.fromEntries(Object.entries(settings).filter(([name]) => allowed.includes(name))),
  };
}

async function solve() {
  tell("solve-problem", "");
  try { location.hash = `job/${(await post("/api/jobs", asked(by("solve").solver.value))).id}`; }
  catch (error) { tell("solve-problem", inWords(error)); }
}

// side by side

function rivals() {
  by("comparing").hidden = found.solvers.length < 2;
  by("rivals").replaceChildren(...found.solvers.map((one, place) => made("label", { className: "check" },
    made("input", { type: "checkbox", name: "rival", value: one.solver, checked: place < 2 }),
    made("span", {}, made("strong", { textContent: one.solver }), ` ${one.why}`))));
}

async function compare() {
  const chosen = [...by("rivals").querySelectorAll("input:checked")].map(box => box.value);
  tell("compare-problem", chosen.length < 2 ? "choose two or more" : chosen.length > MOST_RIVALS ? `choose up to ${MOST_RIVALS}` : "");
  if (chosen.length < 2 || chosen.length > MOST_RIVALS) return;
  const jobs = [];
  try { for (const solver of chosen) jobs.push((await post("/api/jobs", { ...asked(solver), explain: false })).id); }
  catch (error) { tell("compare-problem", error.message); if (jobs.length < 2) return; }
  location.hash = `compare/${jobs.join(",")}`;
}

function examples() {
  const others = kind?.samples ?? [];
  by("examples").hidden = others.length < 2;
  by("examples").replaceChildren(made("span", { textContent: "More of its kind: " }), ...others.map(name => {
    const chip = made("button", { type: "button", textContent: name });
    chip.onclick = busy(chip, () => another({ text: name }));
    return chip;
  }));
}

async function another(asked) {
  tell("solve-problem", "");
  try { toPuzzle(await post(asked.text ? "/api/describe" : "/api/generate", asked)); }
  catch (error) { tell("solve-problem", inWords(error)); }
}

export function prepare() {
  const form = by("solve");
  form.onsubmit = busy(by("go"), solve);
  form.solver.onchange = solverChanged;
  form.number.onchange = () => describe(found.input, Number(form.number.value)).catch(error => tell("solve-problem", inWords(error)));
  by("another").onclick = busy(by("another"), () => another({ kind: found.kind }));
  by("compare-go").onclick = busy(by("compare-go"), compare);
}
