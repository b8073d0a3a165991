// The start page: drop, choose, photograph, paste or be surprised; what there is; and what was solved lately.

import { get, post, read } from "/api.js";
import { ago, busy, by, capital, inWords, isOver, made, seconds, tell } from "/dom.js";
import { fields, given, MATTER } from "/settings.js";

const FAMILIES = { jigsaw: "Pictures in pieces", tiles: "Edges that must match", grids: "Logic grids", moves: "Played move by move" };
const STATES = {
  queued: ["…", "waiting"], running: ["▶", "being solved"], paused: ["‖", "paused"], done: ["✓", "done"],
  failed: ["!", "failed"], cancelled: ["×", "cancelled"], interrupted: ["!", "interrupted"],
};
const SETTABLE = /--set /, CUT = ["spacing", "margin", "gap", "strips", "scan"];
const SHOWN = matchMedia("(max-width: 560px)").matches ? 3 : 6, ALL = 60;
let kinds = null, refused = null, timer = 0, most = SHOWN;

export async function allKinds() { return kinds ??= await get("/api/kinds"); }

export function open(focus) {
  by("start").hidden = false;
  clearProblems();
  most = focus === "jobs" ? ALL : SHOWN;
  gallery();
  recent();
  if (focus === "jobs") { by("recent").scrollIntoView(); by("recent").focus(); }
  return () => clearTimeout(timer);
}

function clearProblems() { by("refused").hidden = true; tell("reading", ""); }

// what there is, by family, from the registry

async function gallery() {
  if (by("gallery").childElementCount) return;
  const all = await allKinds().catch(error => { tell("trouble", error.message); return []; });
  const families = [...new Set([...Object.keys(FAMILIES), ...all.map(kind => kind.family)])];
  by("gallery").replaceChildren(...families.map(family => {
    const cards = all.filter(kind => kind.family === family && kind.demo).map(card);
    return cards.length > 0 && made("section", { className: "family" },
      made("h2", { textContent: FAMILIES[family] ?? family }), made("ul", { className: "cards" }, ...cards));
  }).filter(Boolean));
}

function card(kind) {
  const [head, ...rest] = kind.title.split(": ");
  const name = head.length < 40 ? head : capital(kind.kind);
  const image = made("img", { src: kind.picture, alt: "", width: 200, height: 200, decoding: "async" });
  image.onerror = () => { image.hidden = true; };
  const button = made("button", { type: "button", title: kind.rules, data: { kind: kind.kind } }, image,
    made("strong", { textContent: capital(name.replace(/ \(.*/, "")) }), made("small", { textContent: rest.join(": ") || kind.rules.split(/[.;:]/)[0] }));
  button.onclick = busy(button, () => readIt(kind.demo, kind.demo));
  return made("li", {}, button);
}

// from what somebody has in hand to a puzzle

async function readIt(body, name, settings = {}) {
  by("refused").hidden = true;
  tell("reading", `Reading ${name}…`);
  try {
    const found = await read(body, settings);
    tell("reading", "");
    toPuzzle(found);
  } catch (error) {
    tell("reading", "");
    await showRefusal(error, body, name);
  }
}

// A picture whose pieces were not found may be read once somebody says how large they are.
async function showRefusal(error, body, name) {
  by("why-refused").textContent = `${name}: ${inWords(error)}`;
  const picture = body instanceof Blob && SETTABLE.test(error.message); // else nothing that can be set would help
  by("retry").hidden = !picture;
  refused = picture ? { body, name } : null;
  if (picture) {
    const jigsaw = (await allKinds()).find(kind => kind.kind === "jigsaw");
    by("retry-fields").replaceChildren(...fields(jigsaw?.read_settings.filter(one => [...MATTER, ...CUT].includes(one.name)) ?? []));
  }
  by("refused").hidden = false;
  by("refused").scrollIntoView({ block: "nearest" });
}

export function toPuzzle(found) {
  const query = new URLSearchParams(Object.entries(found.settings ?? {}));
  location.hash = `puzzle/${found.input}${query.size ? `?${query}` : ""}`;
}

// what was solved lately, or is being solved

async function recent() {
  clearTimeout(timer);
  let jobs;
  try { ({ jobs } = await get(`/api/jobs?most=${most}`)); }
  catch (error) { tell("trouble", error.message); timer = setTimeout(recent, 3000); return; }
  by("recent").hidden = !jobs.length;
  const list = by("jobs"), focused = document.activeElement?.hash;
  list.replaceChildren(...jobs.map(entry));
  if (jobs.length === SHOWN && most === SHOWN) list.append(made("li", { className: "more" }, made("a", { href: "#jobs", textContent: "All jobs" })));
  if (focused) [...list.querySelectorAll("a")].find(link => link.hash === focused)?.focus();
  if (jobs.some(job => !isOver(job)) && !by("start").hidden) timer = setTimeout(recent, 1000);
}

function entry(job) {
  const [sign, word] = job.state === "done" && !job.passes ? ["✗", "not solved"] : job.state === "done" ? ["✓", "solved"] : STATES[job.state];
  const more = job.state === "queued" ? (job.place ? `place ${job.place} in the queue` : "starting")
    : isOver(job) ? ago(job.ended ?? job.created) : job.progress ? seconds(job.progress.at_s) : "getting ready";
  return made("li", {}, made("a", { href: `#job/${job.id}` },
    made("span", { className: `state ${job.state}${job.passes ? " good" : ""}`, textContent: `${sign} ${word}` }),
    made("strong", { textContent: capital(`${job.kind} ${job.size}`) }), made("span", { textContent: job.solver }), made("small", { textContent: more })));
}

// once, when the page is loaded

export function prepare() {
  for (const input of [by("file"), by("camera")]) {
    input.onchange = () => {
      const [file] = input.files;
      if (file) readIt(file, file.name).finally(() => { input.value = ""; });
    };
  }
  by("paste").onsubmit = busy(by("paste"), () => readIt(by("text").value, "this text"));
  by("text").onkeydown = event => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) by("paste").requestSubmit(); };
  by("surprise").onclick = busy(by("surprise"), async () => {
    by("refused").hidden = true;
    tell("reading", "Making one…");
    try { toPuzzle(await post("/api/generate", {})); tell("reading", ""); }
    catch (error) { tell("reading", ""); await showRefusal(error, "", "No luck"); }
  });
  by("retry").onsubmit = busy(by("retry"), () => refused && readIt(refused.body, refused.name, given(by("retry-fields"))));
  dropAnywhere();
}

// Anywhere on the page: who misses the zone would else lose the page to the file.
function dropAnywhere() {
  const zone = by("drop");
  addEventListener("dragover", event => { event.preventDefault(); zone.classList.add("over"); });
  addEventListener("dragleave", event => { if (!event.relatedTarget) zone.classList.remove("over"); });
  addEventListener("drop", event => {
    event.preventDefault();
    zone.classList.remove("over");
    const file = event.dataTransfer.files[0], text = event.dataTransfer.getData("text");
    if (!file && !text) return;
    if (by("start").hidden) location.hash = "";
    readIt(file ?? text, file?.name ?? "this text");
  });
}
