"use strict";
// Reading needs none of this: badges are links to cards further down. With it, cards open beside the report.
function copyText(text, button, otherwise = "Not allowed here") {
  const name = button.textContent;
  const tell = (words) => { button.textContent = words; setTimeout(() => { button.textContent = name; }, 2000); };
  if (!navigator.clipboard) return tell(otherwise);
  navigator.clipboard.writeText(text).then(() => tell("Copied"), () => tell(otherwise));
}

function copyLink(address, button) {
  copyText(address, button, "In the address bar");
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
    body.replaceChildren(headingOf(ids[0]), ...cards);
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

  // Whose answer to which question the evidence is about.
  function headingOf(id) {
    const part = document.getElementById(id).closest("details.run"), question = part && part.closest(".question");
    const heading = document.createElement("h2");
    if (part) heading.textContent = part.querySelector("h5").firstChild.textContent.trim() + (question ? " · " + question.querySelector(".asked").textContent : "");
    return heading;
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

  // One question at a time, and two of its answers side by side, which the reader chooses by name.
  let chosen = [];
  const questions = () => Array.from(document.querySelectorAll("#questions > details.question"));

  function showQuestion(question) {
    const all = questions(), turn = document.querySelector("#questions > .turn");
    if (!turn || !all.includes(question)) return;
    for (const each of all) each.hidden = each !== question;
    question.open = true;
    turn.querySelector("output").value = "Question " + (all.indexOf(question) + 1) + " of " + all.length;
    showPair(question);
  }

  function turnBy(by) {
    const all = questions();
    const at = all.findIndex((each) => !each.hidden);
    showQuestion(all[(at + by + all.length) % all.length]);
  }

  function showPair(question) {
    const all = Array.from(question.querySelectorAll(".answers > .answer"));
    if (all.length < 3) return;
    const named = chosen.map((name) => all.find((each) => each.dataset.name === name)).filter(Boolean);
    const pair = [...named, ...all.filter((each) => !named.includes(each))].slice(0, 2);
    for (const each of all) {
      each.hidden = !pair.includes(each);
      const run = question.querySelector("details.run[data-run=" + CSS.escape(each.dataset.run) + "]");
      if (run) run.hidden = each.hidden;
    }
    pair[0].parentNode.prepend(...pair);
    for (const [at, select] of selectsOf(question, all).entries()) select.value = pair[at].dataset.name;
  }

  function selectsOf(question, all) {
    const answers = question.querySelector(".answers");
    if (!question.querySelector(".pair")) {
      const place = document.createElement("p");
      place.className = "pair controls";
      for (const side of ["Left", "Right"]) {
        const label = document.createElement("label"), select = document.createElement("select");
        select.append(...all.map((each) => new Option(each.dataset.name)));
        select.dataset.do = "pair";
        label.append(side + " ", select);
        place.append(label);
      }
      answers.before(place);
    }
    return Array.from(question.querySelectorAll(".pair select"));
  }

  // What stands in an answer or a run that is not shown takes the left place.
  function choose(target) {
    const question = target.closest(".question"), run = target.closest("[data-run]");
    if (!question) return;
    showQuestion(question);
    showPair(question);
    const answer = run && question.querySelector(".answer[data-run=" + CSS.escape(run.dataset.run) + "]");
    if (!answer || !answer.hidden) return;
    const [left, right] = Array.from(question.querySelectorAll(".pair select"), (select) => select.value);
    chosen = [answer.dataset.name, left === answer.dataset.name ? right : left];
    showPair(question);
  }

  function open(target) {
    choose(target);
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView();
  }

  // The map's answers with one kind of fault, or any, in rows that hold all words; "#map:over budget" is the address.
  function filter() {
    const kind = document.getElementById("fault").value;
    const words = document.getElementById("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    let answers = 0;
    for (const row of document.querySelectorAll("#map tbody tr")) {
      const head = row.cells[0].textContent + " " + (row.cells[0].firstElementChild || row).title;
      let some = false;
      for (const cell of row.querySelectorAll("a.cell")) {
        const faults = cell.dataset.faults, told = (head + " " + cell.dataset.run + " " + cell.title).toLowerCase();
        const fits = (kind === "any" ? faults !== "" : !kind || faults.split("|").includes(kind)) && words.every((word) => told.includes(word));
        cell.classList.toggle("apart", !fits);
        some ||= fits;
        answers += fits;
      }
      row.hidden = !some;
    }
    document.getElementById("found").value = kind || words.length ? answers + (answers === 1 ? " answer" : " answers") : "";
  }

  function reveal() {
    const name = decodeURIComponent(location.hash.slice(1)), [, kind] = /^map:(.+)$/.exec(name) || [];
    const target = name && document.getElementById(kind ? "map" : name);
    if (kind) {
      document.getElementById("fault").value = kind;
      filter();
    }
    if (!target) revealClaim(name);
    else if (target.matches(".card") && target.closest("details.run")) openClaim(name);
    else open(target);
  }

  // In place and in view: the words in the report, with the evidence beside them; without words, the answer.
  function openClaim(id) {
    const original = document.getElementById(id);
    if (!original) return;
    const badge = document.querySelector('.report a.badge[href="#' + CSS.escape(id) + '"]');
    const run = original.closest("details.run");
    const place = badge || (run && document.getElementById(run.id + "-answer")) || original;
    open(place);
    if (original.matches(".card")) show([id], badge || undefined);
    place.scrollIntoView({ block: badge ? "center" : "start" }); // the panel has made the page narrower
  }

  // "#claim-SYSTEM/QUERY-r1-c3" names a claim by its run, whatever number the run has on the page, and on any page of a folder.
  function revealClaim(name) {
    const [, run, claim] = /^claim-(.+)-((?:j\d+-)?[cf]\d+)$/.exec(name) || [];
    if (!run) return;
    const place = document.querySelector("details.run[data-run=" + CSS.escape(run) + "]");
    if (!place) {
      const row = document.querySelector("#map a[data-run=" + CSS.escape(run) + "]");
      if (row && !row.getAttribute("href").startsWith("#")) location.replace(row.href.split("#")[0] + location.hash);
      return;
    }
    openClaim(place.id + "-" + claim);
  }

  function addressOf(id) {
    const run = document.getElementById(id).closest("details.run");
    return location.href.split("#")[0] + "#claim-" + run.dataset.run + id.slice(run.id.length);
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
      ({ close: close, next: () => step(1), previous: () => step(-1), link: () => link(button) })[button.dataset.do]();
      return;
    }
    const turn = event.target.closest("[data-turn]");
    if (turn) return turnBy(Number(turn.dataset.turn));
    const copied = event.target.closest("[data-copy]");
    if (copied) return copyText(document.getElementById(copied.dataset.copy).content.textContent, copied);
    const head = event.target.closest(".sortable thead button");
    if (head) return sortBy(head.parentNode);
    const wrong = event.target.closest("[data-claims]");
    if (wrong && document.getElementById(wrong.dataset.claims.split(" ")[0])) {
      event.preventDefault();
      const claims = wrong.dataset.claims.split(" ");
      if (claims.length > 1) show(claims, wrong);
      else openClaim(claims[0]);
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

  // The map is one stop of the Tab key; arrows go from answer to answer.
  function rove(event) {
    const cell = event.target.closest("#map a.cell");
    const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] || [0, 0];
    if (!cell || !(down || right)) return;
    event.preventDefault();
    const rows = Array.from(cell.closest("tbody").rows);
    const row = rows[rows.indexOf(cell.closest("tr")) + down];
    const all = row ? Array.from(row.querySelectorAll("a.cell")) : [];
    const next = all[Array.from(cell.closest("tr").querySelectorAll("a.cell")).indexOf(cell) + right];
    if (!next) return;
    cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  const numberIn = (cell) => parseFloat(cell.textContent.replace(/,/g, ""));

  function sortBy(head) {
    const at = head.cellIndex, falls = head.getAttribute("aria-sort") !== "descending";
    const body = head.closest("table").tBodies[0];
    for (const each of head.parentNode.cells) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", falls ? "descending" : "ascending");
    const value = (row) => {
      const number = numberIn(row.cells[at]);
      return at === 0 ? row.cells[at].textContent : Number.isNaN(number) ? null : number;
    };
    // Rows without a value come last either way.
    const keys = new Map(Array.from(body.rows, (row) => [row, value(row)])), sign = at > 0 === falls ? -1 : 1;
    body.append(...Array.from(body.rows).sort(function (one, other) {
      const [a, b] = [keys.get(one), keys.get(other)];
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * (typeof a === "number" ? a - b : a.localeCompare(b));
    }));
  }

  // Each figure of the board minus the baseline's, with as many digits as it shows.
  function subtract(name) {
    document.getElementById("board").classList.toggle("subtracted", name !== "");
    for (const value of document.querySelectorAll(".board tbody.system .value")) {
      value.dataset.shown ||= value.textContent;
      value.textContent = value.dataset.shown;
    }
    for (const body of document.querySelectorAll(".board tbody.system")) {
      const rows = Array.from(body.rows), base = rows.find((row) => row.dataset.name === name);
      for (const row of rows.filter((each) => base && each !== base)) {
        for (const [at, cell] of Array.from(row.cells).entries()) {
          const [value, from] = [cell, base.cells[at]].map((each) => each.querySelector(".value"));
          const change = value && from ? numberIn(value) - numberIn(from) : NaN;
          if (Number.isNaN(change)) continue;
          const [, digits, ending] = /^[^.]*?(?:\.(\d+))?(k?)( of .*)?$/.exec(value.textContent);
          value.textContent = (change > 0 ? "+" : "") + change.toFixed((digits || "").length) + ending;
        }
      }
    }
  }

  function begin() {
    for (const head of document.querySelectorAll(".sortable thead th")) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
    }
    for (const [at, cell] of document.querySelectorAll("#map a.cell").entries()) cell.tabIndex = at ? -1 : 0;
    for (const link of document.querySelectorAll("#map th a")) link.tabIndex = -1;
    for (const question of document.querySelectorAll(".question")) showPair(question);
    const all = questions();
    showQuestion(all.find((each) => each.open) || all[0]);
    watchTables();
  }

  // A table that is wider than the page names the columns that are out of sight.
  const tables = new ResizeObserver((changed) => changed.forEach((each) => nameHidden(each.target)));

  function nameHidden(scroll) {
    const edge = scroll.getBoundingClientRect().right + 1;
    const heads = Array.from(scroll.querySelectorAll("thead th"));
    const names = heads.filter((head) => head.getBoundingClientRect().right > edge).map((head) => head.innerText.trim().replace(/\s+/g, " "));
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

  document.addEventListener("change", function (event) {
    if (event.target.dataset.do === "pair") {
      const question = event.target.closest(".question");
      chosen = Array.from(question.querySelectorAll(".pair select"), (select) => select.value);
      showPair(question);
    } else if (event.target.id === "fault") {
      history.replaceState(null, "", "#map" + (event.target.value && ":" + encodeURIComponent(event.target.value)));
      filter();
    } else if (event.target.id === "baseline") subtract(event.target.selectedIndex ? event.target.value : "");
  });
  document.addEventListener("input", (event) => event.target.id === "find" && filter());
  document.addEventListener("keydown", function (event) {
    rove(event);
    if (event.key === "Escape" && !panel.hidden) close();
  });
  addEventListener("hashchange", reveal);
  begin();
  reveal();
})();
