"use strict";
// Follows the experiment: when a run, a verdict or a score has come, the page's parts are put in anew, in place.
(function () {
  const status = document.getElementById("live-status");
  const every = 2000;
  let version = status.dataset.version;
  let silent = false;

  async function look() {
    if (document.hidden) return;
    try {
      const found = await (await fetch("changes")).json();
      if (silent) tell("");
      silent = false;
      if (found.version !== version) {
        await renew();
        version = found.version;
      }
    } catch (error) {
      silent = true;
      tell("The server does not answer: what stands here is how it was.");
    }
  }

  function tell(text) { status.textContent = text; }

  async function renew() {
    const text = await (await fetch(location.pathname + location.search)).text();
    const next = new DOMParser().parseFromString(text, "text/html");
    for (const part of ["header.top", "main"]) {
      const [old, fresh] = [document.querySelector(part), next.querySelector(part)];
      if (!old || !fresh || old.innerHTML === fresh.innerHTML) continue;
      keep(old, fresh);
      old.replaceWith(document.adoptNode(fresh));
    }
    const status = next.getElementById("live-status");
    tell(status ? status.textContent : "");
    document.dispatchEvent(new Event("renewed"));
  }

  // What the reader has opened or shut stays so.
  function keep(old, fresh) {
    const names = new Map();
    for (const part of old.querySelectorAll("details")) names.set(nameOf(part), part.open);
    for (const part of fresh.querySelectorAll("details")) {
      const open = names.get(nameOf(part));
      if (open !== undefined) part.open = open;
    }
  }

  function nameOf(part) {
    const place = part.closest("[id]");
    const within = place && place !== part ? Array.from(place.querySelectorAll("details")).indexOf(part) : "";
    return (place ? place.id : part.firstElementChild.textContent) + " " + within;
  }

  setInterval(look, every);
  document.addEventListener("visibilitychange", look);
})();
