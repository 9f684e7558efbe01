// Python and ragcore beside the page: loads them from the folder of this script, then answers questions.
//
// Says {ready: true} once, then {html} for every {question, language, analyzer}; {error} is a reason to give up.
// The address carries a version (?v=…), which the list of packages gets too: a browser that has kept an old list
// would ask for a package that is gone. No dependencies but Pyodide; nothing comes from another host.
"use strict";

// Pyodide would wait for ever for some of its files, so a file that cannot be had is told from here.
const load = self.fetch.bind(self);
self.fetch = async (...request) => {
  const response = await load(...request).catch(() => null);
  if (response?.ok) return response;
  const file = new URL(request[0].url ?? request[0], location).pathname;
  giveUp(`the site does not give ${file}`);
  throw new Error(file);
};

function giveUp(reason) {
  postMessage({ error: reason });
}

// Errors of Python are tracebacks; their last line says what happened.
function reason(error) {
  return String(error.message ?? error).trim().split("\n").pop();
}

async function start() {
  importScripts("pyodide.js");
  const indexURL = new URL(".", location).href;
  const lockFileURL = new URL(`box-lock.json${location.search}`, location).href;
  const python = await loadPyodide({ indexURL, lockFileURL, packages: ["ragcore"] });
  const { answer, index } = python.pyimport("ragcore.figures.asking");
  for (const language of ["cs", "en"]) {
    for (const analyzer of ["words", "stems", "trigrams"]) index(language, analyzer).destroy(); // kept by Python
  }
  onmessage = ({ data: { question, language, analyzer } }) => {
    try {
      postMessage({ html: answer(question, language, analyzer) });
    } catch (error) {
      giveUp(reason(error));
    }
  };
  postMessage({ ready: true });
}

start().catch((error) => giveUp(reason(error)));
