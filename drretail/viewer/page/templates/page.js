"use strict";
// Reading needs none of this: badges are links to cards further down. With it, cards open beside the report.
function copyLink(address, button) {
  const name = button.textContent;
  const tell = (text) => { button.textContent = text; setTimeout(() => { button.textContent = name; }, 2000); };
  if (!navigator.clipboard) return tell("In the address bar");
  navigator.clipboard.writeText(address).then(() => tell("Copied"), () => tell("In the address bar"));
}

(function () {
  const panel = document.getElementById("panel");
  const body = panel.querySelector(".panel-body");
  let opener = null;
  let shown = [];
  const AROUND = 300;

  document.documentElement.classList.add("scripted");

  function card(id) {
    const original = document.getElementById(id);
    if (!original) return null;
    const copy = original.cloneNode(true);
    copy.removeAttribute("id");
    putInContext(copy);
    return copy;
  }

  // A source stands on the page once; what stands around a quote is read from there when the quote is shown.
  function putInContext(root) {
    for (const place of root.querySelectorAll("blockquote[data-in]")) {
      const quote = place.textContent;
      const source = document.getElementById(place.dataset.in);
      const texts = Array.from(source ? source.querySelectorAll("pre.text") : [], (pre) => (document.getElementById(pre.dataset.same) || pre).textContent);
      const text = texts.find((held) => held.includes(quote));
      if (text === undefined) continue;
      const start = text.indexOf(quote), end = start + quote.length;
      const first = Math.max(0, start - AROUND), last = end + AROUND;
      place.prepend(first ? "… " + text.slice(first, start).replace(/^\S*\s/, "") : text.slice(0, start));
      place.append(last < text.length ? text.slice(end, last).replace(/\s\S*$/, "") + " …" : text.slice(end));
      place.removeAttribute("data-in");
      place.tabIndex = 0;
    }
  }

  function highlight(ids) {
    for (const mark of document.querySelectorAll("mark.chosen")) mark.classList.remove("chosen");
    for (const mark of document.querySelectorAll("mark[data-for]")) {
      if (mark.dataset.for.split(" ").some((id) => ids.includes(id))) mark.classList.add("chosen");
    }
  }

  function show(ids, from) {
    const cards = ids.map(card).filter(Boolean);
    if (!cards.length) return;
    body.replaceChildren(...cards);
    body.scrollTop = 0;
    panel.hidden = false;
    document.body.classList.add("with-panel");
    opener = from || opener;
    shown = ids;
    highlight(ids);
    body.focus({ preventScroll: true });
    // On a phone the panel covers the lower part: what was chosen moves above it.
    const hidden = opener && innerWidth < 992 ? opener.getBoundingClientRect().bottom + 24 - panel.getBoundingClientRect().top : 0;
    if (hidden > 0) scrollBy(0, hidden);
  }

  function close() {
    panel.hidden = true;
    document.body.classList.remove("with-panel");
    highlight([]);
    if (opener) opener.focus({ preventScroll: true });
    opener = null;
  }

  function step(by) {
    const badges = Array.from(document.querySelectorAll(".report a.badge"));
    const at = badges.findIndex((badge) => shown.includes(badge.hash.slice(1)));
    const next = badges[at + by];
    if (!next) return;
    show([next.hash.slice(1)], next);
    next.scrollIntoView({ block: "center" });
  }

  // The questions at the top of the page, one at a time and round in a circle.
  function turnTo(from, by) {
    const slides = Array.from(document.querySelectorAll(".slide"));
    const to = slides[(slides.indexOf(from) + by + slides.length) % slides.length];
    from.hidden = true;
    to.hidden = false;
    to.querySelector('[data-turn="' + by + '"]').focus({ preventScroll: true });
  }

  function open(target) {
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView();
  }

  function reveal() {
    if (location.hash.startsWith("#runs?")) return; // what the table of runs shows
    const name = decodeURIComponent(location.hash.slice(1));
    const target = name && document.getElementById(name);
    if (target) open(target);
    else revealClaim(name);
  }

  // "#claim-SYSTEM/QUERY-r1-c3" names a claim by its run, whatever number the run has on the page, and on any page of a folder.
  function revealClaim(name) {
    const [, run, claim] = /^claim-(.+)-((?:j\d+-)?[cf]\d+)$/.exec(name) || [];
    if (!run) return;
    const place = document.querySelector("details.run[data-run=" + CSS.escape(run) + "]");
    if (!place) {
      const row = document.querySelector("#runs tr[data-run=" + CSS.escape(run) + "] a");
      if (row && !row.getAttribute("href").startsWith("#")) location.replace(row.href.split("#")[0] + location.hash);
      return;
    }
    const id = place.id + "-" + claim;
    const badge = document.querySelector('.report a.badge[href="#' + id + '"]');
    const original = document.getElementById(id);
    if (!original) return;
    open(badge || original);
    if (badge) badge.scrollIntoView({ block: "center" });
    show([id], badge);
  }

  function addressOf(id) {
    const run = document.getElementById(id).closest("details.run");
    return location.href.split("#")[0] + "#claim-" + run.dataset.run + id.slice(run.id.length);
  }

  // Pictures come from the shop's own servers: only a click asks for them.
  function loadPictures(button) {
    for (const place of document.querySelectorAll(".picture[data-src]")) {
      const picture = new Image();
      picture.loading = "lazy";
      picture.alt = "";
      picture.onerror = () => place.remove();
      picture.src = place.dataset.src;
      place.replaceChildren(picture);
      place.removeAttribute("data-src");
    }
    button.hidden = true;
  }

  function link(button) {
    const address = addressOf(shown[0]);
    if (location.protocol !== "about:") history.replaceState(null, "", address);
    copyLink(address, button);
  }

  // A text that many runs share stands on the page once, and is copied to where it is opened.
  document.addEventListener("toggle", function (event) {
    if (!event.target.open) return;
    if (event.target.matches(".claims")) putInContext(event.target);
    for (const place of event.target.querySelectorAll("[data-same]")) {
      const held = document.getElementById(place.dataset.same);
      if (!held || !place.closest("details").open) continue;
      place.replaceChildren(...held.cloneNode(true).childNodes);
      place.removeAttribute("data-same");
    }
  }, true);

  document.addEventListener("click", function (event) {
    const button = event.target.closest("[data-do]");
    if (button) {
      ({ pictures: () => loadPictures(button), close: close, next: () => step(1), previous: () => step(-1), link: () => link(button) })[button.dataset.do]();
      return;
    }
    const turn = event.target.closest("[data-turn]");
    if (turn) {
      event.preventDefault();
      turnTo(turn.closest(".slide"), Number(turn.dataset.turn));
      return;
    }
    const wrong = event.target.closest("[data-claims]");
    if (wrong && document.getElementById(wrong.dataset.claims.split(" ")[0])) {
      event.preventDefault();
      show(wrong.dataset.claims.split(" "), wrong);
      return;
    }
    const badge = event.target.closest(".report a.badge");
    if (badge) {
      event.preventDefault();
      show([badge.hash.slice(1)], badge);
      return;
    }
    const mark = event.target.closest(".report mark");
    if (mark && !event.target.closest("a") && String(getSelection()) === "") {
      const ids = mark.dataset.for.split(" ");
      show(ids, document.querySelector('.report a.badge[href="#' + ids[0] + '"]'));
    }
  });

  // A table that is wider than the page names the columns that are out of sight.
  const tables = new ResizeObserver((changed) => changed.forEach((each) => nameHidden(each.target)));

  function nameHidden(scroll) {
    const edge = scroll.getBoundingClientRect().right + 1;
    const heads = Array.from(scroll.querySelectorAll("thead th"));
    const names = heads.filter((head) => head.getBoundingClientRect().right > edge).map((head) => head.textContent.trim().replace(/\s+/g, " "));
    const cue = scroll.previousElementSibling;
    cue.hidden = !names.length;
    cue.textContent = "also: " + names.join(", ") + " → show";
  }

  function watchTables() {
    for (const scroll of document.querySelectorAll(".scroll:not(.cue + .scroll)")) {
      const cue = document.createElement("button");
      cue.type = "button";
      cue.className = "cue";
      cue.addEventListener("click", () => scroll.scrollBy({ left: scroll.clientWidth / 2 }));
      scroll.before(cue);
      scroll.addEventListener("scroll", () => nameHidden(scroll), { passive: true });
      tables.observe(scroll);
    }
  }

  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape" && !panel.hidden) close();
  });
  addEventListener("hashchange", reveal);
  document.addEventListener("renewed", watchTables);
  addEventListener("beforeprint", function () {
    for (const part of document.querySelectorAll("details.question, details.run, details.claims, details.glossary")) part.open = true;
  });
  for (const button of document.querySelectorAll('[data-do="pictures"]')) button.hidden = false;
  watchTables();
  reveal();
})();
