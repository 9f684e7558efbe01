// The box «Type your own question»: once the reader has started Python in this page, it answers there.
//
// The build writes two facts into the box: data-worker, the address of ask-worker.js, and data-megabytes, what
// starting downloads. Nothing is loaded before the reader presses the button. Python works on one question at a
// time; of those that are asked meanwhile only the last one is kept. No dependencies.
"use strict";

const START_LIMIT = 300; // seconds: for 9 MB over a line of a quarter of a megabit
const ANSWER_LIMIT = 30;

function startBox(box) {
  const form = box.querySelector("form");
  const button = form.querySelector("button");
  const status = box.querySelector(".explore-status");
  const result = box.querySelector(".explore-body");
  let state = "off"; // off → starting → idle ⇄ busy; each of them → off when something fails
  let worker, since, timer;
  let asked = null; // a question that Python has not been given yet

  function enter(next, sentence, label, limit) {
    state = next;
    since = performance.now();
    status.textContent = sentence;
    if (label) button.textContent = label;
    clearTimeout(timer);
    if (limit) timer = setTimeout(() => fail(`no answer within ${limit} seconds`), limit * 1000);
  }

  function fail(reason) {
    if (worker) {
      worker.onmessage = worker.onerror = null; // whatever it still says is about what has just ended
      worker.terminate();
    }
    const what = state === "starting" ? "did not start" : "has stopped";
    enter("off", `Python ${what}: ${reason.replace(/\.+$/, "")}.`, "Retry");
  }

  function start() {
    enter("starting", "Python is starting; its files come from this site.", "Starting…", START_LIMIT);
    try {
      worker = new Worker(box.dataset.worker);
    } catch (error) {
      fail(error.message); // a page that was opened as a file must not start one
      return;
    }
    worker.onmessage = ({ data }) => receive(data);
    worker.onerror = (event) => fail(event.message || "its script cannot be loaded");
  }

  function send() {
    enter("busy", "Python is searching…", "Ask", ANSWER_LIMIT);
    worker.postMessage(asked);
    asked = null;
  }

  function receive({ error, html }) {
    const time = performance.now() - since;
    if (error) {
      fail(error);
    } else if (state === "starting") {
      enter("idle", `Python has started in ${(time / 1000).toFixed(1)} s. Type a question and press Enter.`, "Ask");
      if (asked.question.trim()) send();
    } else if (asked) {
      send(); // this answer comes too late, the reader has asked something else
    } else {
      result.innerHTML = html;
      enter("idle", `Answered in ${Math.ceil(time)} ms.`);
    }
  }

  function ask() {
    asked = Object.fromEntries(new FormData(form));
    if (state === "off") start();
    else if (state === "idle") send();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  form.addEventListener("change", (event) => {
    if (event.target.matches("select") && result.hasChildNodes() && state !== "off") ask();
  });
  const label = `Start Python in this page (about ${box.dataset.megabytes} MB, a few seconds)`;
  enter("off", "Your question stays in this page. Python comes from this site once you start it.", label);
  form.hidden = false;
}

document.querySelectorAll("figure.explore-ask").forEach(startBox);
