"use strict";
// What a reviewer decides is sent once, and the next query opens when it is kept.
(function () {
  const { number, version } = document.body.dataset;
  const here = "/review/" + number;
  const problem = document.getElementById("problem");
  const asked = document.getElementById("ask");
  const checked = document.getElementById("checked");
  const questions = new Set(Array.from(document.querySelectorAll("input[type=radio]"), (it) => it.name));

  function fail(text) {
    problem.textContent = text;
    problem.hidden = !text;
    if (text) problem.scrollIntoView({ block: "nearest" });
  }

  const draft = () => ({ version: version, text: document.getElementById("text").value, typed: document.getElementById("typed").value });

  function answers() {
    const said = {};
    for (const name of questions) {
      const chosen = document.querySelector("input[name=" + name + "]:checked");
      if (!chosen) return null;
      said[name] = chosen.value === "yes";
    }
    return said;
  }

  async function ask(address, body) {
    let answer;
    try {
      answer = await fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    } catch (error) {
      throw new Error("The server does not answer. Is drretail view still running?");
    }
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  async function decide(decision, sure) {
    const said = answers();
    if (!said) return fail("Please answer every question first.");
    try {
      const note = document.getElementById("note").value;
      const next = await ask(here, { ...draft(), decision: decision, answers: said, note: note, sure: sure });
      fail("");
      asked.hidden = !next.ask;
      if (next.ask) {
        asked.firstElementChild.textContent = next.ask;
        document.getElementById("sure").focus();
      } else {
        location.href = next.next ? "/review/" + next.next : "/review";
      }
    } catch (error) {
      fail(error.message);
    }
  }

  function piece(tag, text) {
    const made = document.createElement(tag);
    made.textContent = text;
    return made;
  }

  // [-taken out-] and {+put in+} as what they are.
  function marked(diff) {
    const made = document.createElement("p");
    for (const part of diff.split(/(\[-[\s\S]*?-\]|\{\+[\s\S]*?\+\})/)) {
      const tag = part.startsWith("[-") ? "del" : part.startsWith("{+") ? "ins" : "span";
      made.append(piece(tag, tag === "span" ? part : part.slice(2, -2)));
    }
    return made;
  }

  async function check() {
    try {
      const found = await ask(here + "/check", draft());
      fail("");
      checked.replaceChildren();
      if (!found.changed) return checked.append(piece("p", "Nothing was changed."));
      checked.append(piece("h3", "As changed"), marked(found.diff));
      for (const section of found.sections) {
        const list = document.createElement("ul");
        list.className = "lines";
        list.append(...section.lines.map((line) => piece("li", line)));
        checked.append(piece("h3", section.title), list);
      }
    } catch (error) {
      fail(error.message);
    }
  }

  document.addEventListener("click", function (event) {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.id === "check") check();
    else if (button.id === "sure") decide("accept", true);
    else if (button.dataset.decision) decide(button.dataset.decision, false);
  });
  document.querySelector(".review-form").addEventListener("submit", (event) => event.preventDefault());
})();
