"use strict";
// The table of runs: what is searched, filtered and sorted by stands in the address, "#runs?find=…&sort=-FP".
(function () {
  const WORDS = /[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu; // as run_lines.py splits the texts
  const FILTERS = ["find", "system", "query", "outcome"];
  let form, rows, heads, places, order, typing;

  function begin() {
    form = document.querySelector("#runs .finder");
    if (!form) return;
    const table = document.querySelector("#runs table");
    rows = Array.from(table.tBodies[0].rows);
    heads = Array.from(table.tHead.rows[0].cells);
    places = null;
    order = "";
    for (const [at, head] of heads.entries()) {
      const name = head.textContent;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.dataset.sort = name;
      if (at < heads.length - 1) head.replaceChildren(button);
    }
  }

  // Places of the rows that hold each word, as distances; unpacked when something is searched first.
  function index() {
    if (places) return places;
    places = new Map();
    for (const [word, steps] of Object.entries(JSON.parse(document.getElementById("run-words").content.textContent))) {
      let at = 0;
      places.set(word, steps.map((step) => (at += step)));
    }
    return places;
  }

  function holding(text) {
    let found = null;
    for (const part of text.toLowerCase().match(WORDS) || []) {
      const here = new Set();
      for (const [word, at] of index()) if (word.includes(part)) for (const place of at) here.add(place);
      found = found ? new Set([...found].filter((at) => here.has(at))) : here;
    }
    return found;
  }

  const value = (name) => form.elements[name] ? form.elements[name].value : "";

  function apply() {
    const found = holding(value("find"));
    const [system, query, outcome] = [value("system"), value("query"), value("outcome")];
    let count = 0;
    for (const [at, row] of rows.entries()) {
      const shown = (!found || found.has(at))
        && (!system || row.cells[1].textContent === system)
        && (!query || row.dataset.run.replace(/-r\d+$/, "").endsWith("/" + query))
        && (!outcome || row.dataset.is.split("|").includes(outcome));
      row.hidden = !shown;
      count += shown;
    }
    form.elements.found.value = count === rows.length ? count + (count === 1 ? " run" : " runs") : count + " of " + rows.length + " runs";
    form.querySelector("[data-run-do=reset]").hidden = !state();
  }

  const isNumber = (head) => head.classList.contains("right") || "number" in head.dataset;

  function number(row, at) {
    const text = (row.cells[at].dataset.value ?? row.cells[at].textContent).replace(/,/g, "");
    return text.trim() === "" || Number.isNaN(parseFloat(text)) ? null : parseFloat(text);
  }

  function sort(by) {
    order = by;
    const falls = by.startsWith("-");
    const at = heads.findIndex((head) => head.textContent === by.replace(/^-/, ""));
    for (const [place, head] of heads.entries()) {
      if (place === at) head.setAttribute("aria-sort", falls ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    const value = (row) => isNumber(heads[at]) ? number(row, at) : row.cells[at].textContent;
    rows[0].parentNode.append(...(at < 0 ? rows : sortedRows(rows, value, falls)));
  }

  function state() {
    const kept = new URLSearchParams();
    for (const name of FILTERS) if (value(name)) kept.set(name, value(name));
    if (order) kept.set("sort", order);
    return String(kept);
  }

  function address() {
    const given = state();
    return location.href.split("#")[0] + "#runs" + (given ? "?" + given : "");
  }

  function keep() {
    if (location.protocol !== "about:") history.replaceState(null, "", address());
  }

  function read(scrolls) {
    const [place, given] = location.hash.split("?");
    if (!form || place !== "#runs" || given === undefined) return;
    const wanted = new URLSearchParams(given);
    for (const name of FILTERS) if (form.elements[name]) form.elements[name].value = wanted.get(name) || "";
    sort(wanted.get("sort") || "");
    apply();
    document.getElementById("runs").open = true;
    if (scrolls) document.getElementById("runs").scrollIntoView();
  }

  document.addEventListener("input", function (event) {
    if (!event.target.closest(".finder")) return;
    apply();
    keep();
  });
  document.addEventListener("click", function (event) {
    const head = event.target.closest("#runs thead button");
    if (head) {
      // Scores are read from their best, names from their first.
      const name = head.dataset.sort;
      const first = isNumber(head.parentNode) ? "-" + name : name;
      const other = first === name ? "-" + name : name;
      sort(order === first ? other : order === other ? "" : first);
      apply();
      keep();
    }
    if (event.target.closest("[data-run-do=link]")) copyLink(address(), event.target);
    if (event.target.closest("[data-run-do=reset]")) {
      for (const name of FILTERS) if (form.elements[name]) form.elements[name].value = "";
      sort("");
      apply();
      keep();
    }
  });
  addEventListener("hashchange", () => read(true));
  // The live view puts the table in anew; what was typed stands in the address.
  document.addEventListener("focusin", (event) => { typing = event.target.closest(".finder") ? event.target.name : ""; });
  document.addEventListener("renewed", function () {
    const name = typing;
    begin();
    read(false);
    if (form && name && form.elements[name]) form.elements[name].focus({ preventScroll: true });
  });
  begin();
  read(true);
})();
