// Which view is shown: the address says it, so that going back, reloading and sending a link all work.

import { get, post } from "/api.js";
import { by, tell } from "/dom.js";
import * as compare from "/compare.js";
import * as job from "/job.js";
import * as ready from "/ready.js";
import * as start from "/start.js";

const VIEWS = ["start", "ready", "job", "compare"];
let leave = null, timer = 0;

function route() {
  leave?.();
  for (const id of VIEWS) by(id).hidden = true;
  tell("trouble", "");
  const [path, query] = location.hash.slice(1).split("?");
  const [view, what] = path.split("/");
  scrollTo(0, 0);
  if (view === "puzzle" && /^[0-9a-f]{64}$/.test(what)) leave = ready.open(what, new URLSearchParams(query));
  else if (view === "job" && /^[0-9a-f]{16}$/.test(what)) leave = job.open(what);
  else if (view === "compare" && /^[0-9a-f]{16}(,[0-9a-f]{16}){1,15}$/.test(what)) leave = compare.open(what.split(","));
  else leave = start.open(view);
  activity();
}

// how many jobs there are on the way, in sight wherever one is
async function activity() {
  clearTimeout(timer);
  try {
    const { jobs } = await get("/api/jobs?most=50");
    const now = jobs.filter(one => ["queued", "running", "paused"].includes(one.state)).length;
    by("activity").textContent = now ? `Jobs (${now} on the way)` : "Jobs";
  } catch { /* the view itself says what is wrong */ }
  if (!document.hidden) timer = setTimeout(activity, 4000);
}

async function limits() {
  try {
    const most = await get("/api/limits");
    by("solve").time_s.max = most.time_s;
    by("limits").textContent = `· uploads up to ${Math.floor(most.upload_bytes / 2 ** 20)} MiB, ${Math.floor(most.pixels / 1e6)} million pixels, ${most.pieces.toLocaleString("en")} pieces; ${Math.floor(most.time_s / 60)} minutes a job`;
  } catch { /* nothing depends on it */ }
}

document.querySelector(".skip").onclick = event => { event.preventDefault(); by("main").focus(); };
start.prepare();
ready.prepare();
by("session").onsubmit = async event => {
  event.preventDefault();
  try {
    await post("/api/session", { token: by("token").value });
    by("session").hidden = true;
    by("token").value = "";
    by("gallery").replaceChildren();
    route();
    limits();
  } catch (error) { tell("trouble", error.message); }
};
document.addEventListener("visibilitychange", () => { if (!document.hidden) activity(); });
addEventListener("hashchange", route);
route();
limits();
