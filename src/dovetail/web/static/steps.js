// How an answer comes about, a picture at a time: the moves of a play, or the steps of an explanation.

import { pictured, show } from "/api.js";
import { able, capital, made } from "/dom.js";

const BEAT_MS = 450;

export function player(stage, job, steps) {
  const last = steps.texts.length, moves = steps.sort === "moves";
  let now = moves ? last : 0, timer = 0, latest = 0;
  const image = made("img", { alt: "" });
  const words = made("figcaption", { className: "words", role: "status", "aria-live": "polite" });
  const slider = made("input", { type: "range", min: 0, max: last, step: 1, value: now, "aria-label": moves ? "Move" : "Step" });
  const buttons = {
    first: button("First", () => go(0)), back: button("Back", () => go(now - 1)), play: button("Play", play),
    next: button("Next", () => go(now + 1)), last: button("Last", () => go(last)),
  };
  const list = made("ol", { className: "steps" }, ...steps.texts.map((text, place) => {
    const item = made("button", { type: "button", textContent: text });
    item.onclick = () => go(place + 1);
    return made("li", {}, item);
  }));
  const box = made("div", { className: "player" },
    made("figure", { className: "board" }, image, words), slider, made("div", { className: "row" }, ...Object.values(buttons)),
    made("p", { className: "help", textContent: "Arrow keys go back and forth, Home and End to the ends." }),
    made("details", {}, made("summary", { textContent: moves ? `All ${last} moves` : `All ${last} steps` }), list));
  box.onkeydown = event => {
    if (event.target === slider) return; // it knows its keys itself
    const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: last }[event.key];
    if (to !== undefined) { event.preventDefault(); pause(); go(to); }
  };
  slider.oninput = () => { pause(); go(Number(slider.value)); };
  stage.replaceChildren(box);
  go(now);

  function button(name, work) {
    const node = made("button", { type: "button", textContent: name, data: { go: name.toLowerCase() } });
    node.onclick = () => { if (name !== "Play") pause(); work(); };
    return node;
  }

  async function go(to) {
    now = Math.min(last, Math.max(0, to));
    slider.value = now;
    const text = now ? steps.texts[now - 1] : "The puzzle as given.";
    words.textContent = now ? (moves ? `Move ${now} of ${last}: ${text}` : `${now} of ${last}. ${capital(text)}`) : text;
    slider.setAttribute("aria-valuetext", words.textContent);
    image.alt = words.textContent;
    for (const name of ["first", "back"]) able(buttons[name], now > 0);
    for (const name of ["next", "last"]) able(buttons[name], now < last);
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    list.children[now - 1]?.firstChild.setAttribute("aria-current", "step");
    const ticket = ++latest;
    try { await show(image, `/api/jobs/${job.id}/steps/${now}`); }
    catch (error) { if (ticket === latest) words.textContent += ` (${error.message})`; }
    // the next one is there before it is asked for
    if (ticket === latest && now < last) pictured(`/api/jobs/${job.id}/steps/${now + 1}`).then(URL.revokeObjectURL, () => 0);
  }

  function play() {
    if (timer) { pause(); return; }
    buttons.play.textContent = "Pause";
    if (now === last) now = -1;
    const beat = async () => {
      const begin = performance.now();
      await go(now + 1);
      if (!timer) return;
      if (now >= last) pause();
      else timer = setTimeout(beat, Math.max(60, BEAT_MS - (performance.now() - begin)));
    };
    timer = setTimeout(beat, 0);
  }

  function pause() {
    clearTimeout(timer);
    timer = 0;
    buttons.play.textContent = "Play";
  }
  return pause;
}
