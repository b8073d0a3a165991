// The REST calls of the server, the same ones that everybody uses, and one stream of events for all that is shown.

import { by, tell } from "/dom.js";

export class Refusal extends Error {
  constructor(code, message, status) { super(message); this.code = code; this.status = status; }
}

async function answered(path, options) {
  let answer;
  try { answer = await fetch(path, options); }
  catch { throw new Refusal("no_answer", "the server does not answer; is it still running?", 0); }
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({ error: { code: "", message: answer.statusText || "something went wrong" } }));
  if (said.error.code === "token_needed") by("session").hidden = false;
  throw new Refusal(said.error.code, said.error.message, answer.status);
}

export async function get(path) { return (await answered(path)).json(); }

export async function post(path, data) {
  const body = data === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(data) };
  const answer = await answered(path, { method: "POST", ...body });
  return answer.status === 204 ? null : answer.json();
}

export const remove = path => answered(path, { method: "DELETE" });

// The bytes of a file or a text, as they are; what it is the server tells from these alone.
export async function read(body, settings = {}) {
  const query = new URLSearchParams(Object.entries(settings).map(([name, value]) => ["set", `${name}=${value}`]));
  const headers = { "content-type": "application/octet-stream" };
  return (await answered(`/api/read?${query}`, { method: "POST", headers, body })).json();
}

export async function pictured(path, data) {
  const options = data === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(data) };
  return URL.createObjectURL(await (await answered(path, options)).blob());
}

// Show a new picture only when it is there, so that nothing flickers; the last one asked for wins.
const asked = new WeakMap();
export async function show(image, path, data) {
  const ticket = {};
  asked.set(image, ticket);
  const address = await pictured(path, data);
  if (asked.get(image) !== ticket) { URL.revokeObjectURL(address); return; }
  const before = image.src;
  image.src = address;
  await image.decode().catch(() => 0);
  if (before.startsWith("blob:")) URL.revokeObjectURL(before);
}

// Frames of a running job: one on its way at a time, and of those that come meanwhile only the last.
export function frames(image, job) {
  let loading = false, waiting = false, over = false;
  async function next() {
    if (loading) { waiting = true; return; }
    loading = true;
    do {
      waiting = false;
      if (!over) await show(image, `/api/jobs/${job}/frame`).catch(() => 0);
    } while (waiting && !over);
    loading = false;
  }
  return { next, end: () => { over = true; asked.delete(image); } };
}

// Follow jobs by one stream, since browsers open few; it is opened again when the server comes back.
export function follow(jobs, heard) {
  let stream = null, timer = 0, closed = false;
  function open() {
    stream = new EventSource(`/api/events?${new URLSearchParams([...jobs.map(job => ["job", job]), ["board", "true"]])}`);
    for (const name of ["job", "progress", "frame", "removed"]) {
      stream.addEventListener(name, event => {
        if (closed) return;
        tell("trouble", "");
        const said = JSON.parse(event.data);
        if (name === "job" && !["queued", "running", "paused"].includes(said.state)) open.left.delete(said.id);
        if (name === "removed") open.left.delete(said.id);
        if (!open.left.size) close();
        heard(name, said);
      });
    }
    stream.onerror = async () => {
      if (closed) return;
      stream.close();
      clearTimeout(timer);
      // a stream does not say why it broke, a plain call does
      try {
        await get(`/api/jobs/${jobs[0]}`);
        timer = setTimeout(open, 200);
      } catch (error) {
        if (error.status === 404) { close(); heard("removed", { id: jobs[0] }); return; }
        tell("trouble", error.status ? error.message : "the server does not answer; this page goes on when it does");
        timer = setTimeout(stream.onerror, 1000);
      }
    };
  }
  open.left = new Set(jobs);
  function close() { closed = true; clearTimeout(timer); stream?.close(); }
  open();
  return close;
}
