// Small helpers for the page: elements, numbers in words. Content is set as text only, never as HTML.

export const by = id => document.getElementById(id);

export function made(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "data") Object.assign(node.dataset, value);
    else if (name.startsWith("aria-") || name === "role" || name === "for") node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children.filter(child => child != null && child !== false));
  return node;
}

export function drawn(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export function number(value, digits = 4) {
  if (value == null || !Number.isFinite(Number(value))) return "–";
  const large = Math.abs(value) >= 1e15;
  return Number(value).toLocaleString("en", large ? { notation: "scientific", maximumSignificantDigits: 3 } : { maximumSignificantDigits: Math.max(digits, Math.min(15, String(Math.trunc(Math.abs(value))).length)) });
}

export function seconds(value) {
  if (value == null) return "–";
  if (value >= 90) return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
  if (value > 0 && value < 0.005) return "under 0.01 s";
  return `${value < 10 ? value.toFixed(2) : value.toFixed(1)} s`;
}

export const spaced = name => String(name).replaceAll("_", " ");

export function capital(text) { return text ? text[0].toUpperCase() + text.slice(1) : ""; }

export function ago(when) {
  const passed = Math.max(0, Date.now() / 1000 - when);
  if (passed < 60) return "just now";
  if (passed < 3600) return `${Math.floor(passed / 60)} min ago`;
  if (passed < 86400) return `${Math.floor(passed / 3600)} h ago`;
  return new Date(when * 1000).toLocaleDateString();
}

// What the server says, for somebody who sees fields instead of options of a command line.
export const inWords = error => error.message.replaceAll("--set ", "").replace(/^the upload: /, "");

// An error belongs next to where it arose; an empty sentence takes it away.
export function tell(id, sentence) {
  const place = by(id);
  place.textContent = sentence ? capital(sentence) : "";
  place.hidden = !sentence;
}

export const isOver = job => !["queued", "running", "paused"].includes(job.state);

// A button that can do nothing now still can be reached: one that vanished under the keyboard would lose its place.
export function able(button, yes) {
  if (yes) button.removeAttribute("aria-disabled");
  else button.setAttribute("aria-disabled", "true");
}

export const isAble = button => button.getAttribute("aria-disabled") !== "true";

// While work is done the button that began it shows so, and cannot begin it twice.
export function busy(button, work) {
  return async event => {
    event?.preventDefault?.();
    if (button.getAttribute("aria-busy") === "true" || !isAble(button)) return;
    button.setAttribute("aria-busy", "true");
    try { await work(event); } finally { button.removeAttribute("aria-busy"); }
  };
}

// A few tabs over one stage; arrows move between them, as they do elsewhere.
export function tabs(list, stage, views) {
  const buttons = views.map(({ id, name }) => made("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": "stage", textContent: name }));
  let leave = null;
  function choose(place, focus) {
    leave?.();
    buttons.forEach((button, other) => {
      button.setAttribute("aria-selected", String(other === place));
      button.tabIndex = other === place ? 0 : -1;
    });
    stage.setAttribute("role", "tabpanel");
    stage.setAttribute("aria-labelledby", buttons[place].id);
    if (focus) buttons[place].focus();
    leave = views[place].show(stage) ?? null;
  }
  buttons.forEach((button, place) => {
    button.onclick = () => choose(place);
    button.onkeydown = event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) { event.preventDefault(); choose((place + step + views.length) % views.length, true); }
    };
  });
  list.replaceChildren(...buttons);
  list.hidden = views.length < 2;
  choose(0);
  return { leave: () => { leave?.(); leave = null; }, choose: id => choose(Math.max(0, views.findIndex(view => view.id === id))) };
}
