"use strict";
// Every answer is sent at once and shown as kept only when the server has it; answers of another window are shown here.
(function () {
  const { home, number, total } = document.body.dataset;
  const here = home + "/" + number;
  const questions = Array.from(document.querySelectorAll(".dimension"));
  const message = document.getElementById("message");
  const problem = document.getElementById("problem");
  const byKeys = document.getElementById("keys");
  let state = { answers: {}, kept: 0, done: 0 };
  let current = 0;
  let queue = Promise.resolve();

  const answerOf = (question) => state.answers[question.dataset.question] || { value: "", note: "", id: "" };
  const wordOf = (question, value) => {
    const button = Array.from(question.querySelectorAll("[data-value]")).find((it) => it.dataset.value === value);
    return button ? button.firstChild.textContent.trim() : "nothing";
  };

  function tell(text) { message.textContent = text; }

  function fail(text) {
    problem.textContent = text;
    problem.hidden = !text;
  }

  function show(next, elsewhere) {
    const changed = elsewhere
      ? questions.filter((it) => (next.answers[it.dataset.question] || { value: "" }).value !== answerOf(it).value)
      : [];
    state = next;
    for (const question of questions) {
      const answer = answerOf(question);
      for (const button of question.querySelectorAll("[data-value]")) {
        button.setAttribute("aria-pressed", String(button.dataset.value === answer.value));
      }
      question.classList.toggle("answered", answer.value !== "");
      const note = question.querySelector(".remark");
      const field = note.querySelector("textarea");
      note.hidden = answer.value === "";
      note.querySelector("summary").textContent = answer.note ? "Note ✎" : "Note";
      if (document.activeElement !== field) field.value = answer.note;
    }
    document.getElementById("done").textContent = state.done;
    document.getElementById("kept").textContent = state.kept;
    document.getElementById("progress").value = state.kept;
    if (changed.length) {
      tell("Changed in another window: " + changed.map((it) => it.dataset.title + " is now " + wordOf(it, answerOf(it).value)).join(", ") + ".");
    } else if (next.told) {
      tell(next.told);
    }
  }

  async function ask(address, body) {
    const given = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const answer = await fetch(address, given);
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  // One after the other, so that what is chosen last is what is kept last.
  function inTurn(work) {
    queue = queue.then(work).then(() => fail("")).catch((error) => {
      fail("Not kept: " + (error instanceof TypeError ? "the server does not answer. Is drretail view still running?" : error.message));
      show(state);
    });
    return queue;
  }

  function send(question, value, note) {
    return inTurn(async function () {
      const before = answerOf(question);
      const given = { question: question.dataset.question, value: value, note: note === undefined ? before.note : note, seen: before.id };
      const next = await ask(here, given);
      show(next);
      if (!next.told) {
        const open = questions.filter((it) => answerOf(it).value === "").length;
        const kept = questions.length > 1 ? question.dataset.title + ": " + wordOf(question, value) + ", kept." : wordOf(question, value) + ", kept.";
        tell(open ? kept : kept + (number === total ? " This was the last one." : " All answered: N leads to the next."));
      }
    });
  }

  function undo() {
    return inTurn(async function () {
      const gone = await ask(home + "/undo", {});
      if (gone.number !== null && String(gone.number) !== number) {
        sessionStorage.setItem("told", gone.told);
        location.href = home + "/" + gone.number;
        return;
      }
      show(await ask(here + "/answers"));
      tell(gone.told);
    });
  }

  function choose(index, focus) {
    current = Math.max(0, Math.min(questions.length - 1, index));
    questions.forEach((it, at) => it.classList.toggle("current", at === current));
    if (focus) questions[current].querySelector("[data-value]").focus();
  }

  document.addEventListener("click", function (event) {
    const button = event.target.closest(".dimension [data-value]");
    if (button) {
      const question = button.closest(".dimension");
      choose(questions.indexOf(question));
      send(question, button.dataset.value);
      // On a phone the answers are a strip at the bottom: the next one comes into it.
      if (innerWidth < 992) (questions[current + 1] || question).scrollIntoView({ block: "nearest" });
    } else if (event.target.id === "undo") {
      undo();
    }
  });

  document.addEventListener("focusin", function (event) {
    const question = event.target.closest(".dimension");
    if (question) choose(questions.indexOf(question));
  });

  document.addEventListener("change", function (event) {
    const question = event.target.closest(".remark") && event.target.closest(".dimension");
    if (question) send(question, answerOf(question).value, event.target.value);
    if (event.target === byKeys) localStorage.setItem("keys", byKeys.checked ? "on" : "off");
  });

  document.addEventListener("keydown", function (event) {
    const typing = event.target.matches("textarea, input:not([type=checkbox]), select");
    if (typing || event.ctrlKey || event.altKey || event.metaKey || !byKeys.checked) return;
    const key = event.key.toLowerCase();
    const question = questions[current];
    const option = Array.from(question.querySelectorAll("[data-value]")).find((it) => it.dataset.keys.includes(key));
    const link = { n: "next", v: "previous" }[key];
    const scrolls = event.target.closest("pre, .scroll");
    if (option && key.length === 1) {
      send(question, option.dataset.value);
      choose(current + 1);
      questions[current].scrollIntoView({ block: "nearest" });
    } else if (link && document.getElementById(link)) {
      queue.then(() => document.getElementById(link).click());
    } else if (key === "u") {
      undo();
    } else if (key === "?") {
      const list = document.querySelector(".keys");
      list.open = !list.open;
      if (list.open) list.scrollIntoView({ block: "nearest" });
    } else if (!scrolls && key === "arrowdown" && event.target.closest(".dimension")) {
      choose(current + 1, true);
    } else if (!scrolls && key === "arrowup" && event.target.closest(".dimension")) {
      choose(current - 1, true);
    } else {
      return;
    }
    event.preventDefault();
  });

  function refresh() {
    if (document.hidden) return;
    queue = queue.then(() => ask(here + "/answers")).then((next) => show(next, true)).catch(() => {});
  }
  document.addEventListener("visibilitychange", refresh);
  addEventListener("focus", refresh);
  addEventListener("pageshow", (event) => { if (event.persisted) refresh(); });
  setInterval(refresh, 4000);

  // A source is looked at beside the sheet, not in its place.
  for (const link of document.querySelectorAll(".report a[href]")) link.target = "_blank";
  byKeys.checked = localStorage.getItem("keys") !== "off";
  show(JSON.parse(document.getElementById("state").textContent));
  const open = questions.findIndex((it) => answerOf(it).value === "");
  choose(open < 0 ? 0 : open);
  const told = sessionStorage.getItem("told");
  if (told) tell(told);
  sessionStorage.removeItem("told");
  // From here on a click is heard: what is pressed while the page still loads would be lost.
  for (const question of questions) question.disabled = false;
})();
