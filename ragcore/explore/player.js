// The figure player: shows any state of a figure that was drawn beforehand.
//
// A figure carries one drawing and, as JSON, what changes between its states:
//   nodes: how many nodes the view has, so that a drawing that the browser had to repair is noticed;
//   changes: [node, attribute, map, values, template] – in state s the node's attribute is
//            values[maps[map][s]]; "#text" is its text, "#html" all that stands inside it, null means
//            «not there». A template is path data with ~ for each number that the value brings, in tenths,
//            as the difference from the one before.
// A node is its place in document order below .explore-view. The state's number counts the controls'
// values like the digits of a number, the last control fastest. No dependencies; nothing is fetched.
"use strict";

function startFigure(figure) {
  const script = figure.querySelector("script[type='application/json']");
  if (!script) return; // a figure with one state has nothing to move
  const { nodes: count, controls, changes, maps } = JSON.parse(script.textContent);
  const view = figure.querySelector(".explore-view");
  const nodes = [view, ...view.querySelectorAll("*")]; // before anything moves: #html replaces nodes
  if (nodes.length !== count) throw new Error(`${figure.id}: the browser repaired its HTML, its nodes have moved`);
  const form = figure.querySelector(".explore-controls");
  const inputs = [...figure.querySelectorAll(".explore-field > :is(input, select)")];

  const made = new Map(); // for each node the HTML that was parsed before
  function parsed(node, html) {
    if (!made.has(node)) made.set(node, new Map());
    const known = made.get(node);
    if (!known.has(html)) {
      const scratch = node.cloneNode(false);
      scratch.innerHTML = html;
      known.set(html, [...scratch.childNodes]);
    }
    return known.get(html);
  }

  function show() {
    let state = 0;
    controls.forEach((control, i) => {
      const chosen = Number(inputs[i].value);
      state = state * control.values.length + chosen;
      const output = inputs[i].parentNode.querySelector("output");
      if (output) {
        output.textContent = control.labels[chosen];
        inputs[i].setAttribute("aria-valuetext", control.labels[chosen]);
      }
    });
    for (const [node, attribute, map, values, template] of changes) {
      let value = values[maps[map][state]];
      if (template) {
        const steps = value.match(/-?\d+/g)[Symbol.iterator]();
        let tenths = 0;
        value = template.replace(/~/g, () => ` ${(tenths += Number(steps.next().value)) / 10}`);
      }
      if (attribute === "#html") nodes[node].replaceChildren(...parsed(nodes[node], value));
      else if (attribute === "#text") nodes[node].textContent = value;
      else if (value === null) nodes[node].removeAttribute(attribute);
      else nodes[node].setAttribute(attribute, value);
    }
    for (const body of view.querySelectorAll(".explore-body")) {
      body.toggleAttribute("tabindex", body.scrollWidth > body.clientWidth); // what scrolls must be in reach of keys
      if (body.hasAttribute("tabindex")) body.tabIndex = 0;
    }
  }

  // The address: ?figure.control=value for every control that is not where it starts, #figure to arrive there.
  function key(control) {
    return `${figure.id}.${control.name}`;
  }
  function readAddress() {
    const asked = new URLSearchParams(location.search);
    controls.forEach((control, i) => {
      const at = control.values.indexOf(asked.get(key(control)));
      inputs[i].value = at < 0 ? control.start : at;
    });
    show();
  }
  function writeAddress() {
    const address = new URL(location.href);
    controls.forEach((control, i) => {
      const chosen = Number(inputs[i].value);
      if (chosen === control.start) address.searchParams.delete(key(control));
      else address.searchParams.set(key(control), control.values[chosen]);
    });
    address.hash = figure.id;
    try {
      history.replaceState(history.state, "", address);
    } catch {
      // a page opened as a file, or moved faster than the browser records: the figure works all the same
    }
  }

  let waiting;
  form.addEventListener("input", () => {
    show();
    clearTimeout(waiting);
    waiting = setTimeout(writeAddress, 200);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.querySelector(".explore-reset").addEventListener("click", () => {
    controls.forEach((control, i) => (inputs[i].value = control.start));
    show();
    writeAddress();
  });
  addEventListener("popstate", readAddress);
  addEventListener("resize", show);
  readAddress();
  form.hidden = false;
}

for (const figure of document.querySelectorAll("figure.explore")) {
  try {
    startFigure(figure);
  } catch (error) {
    console.error(error); // the figure keeps its default state, the others on the page go on
  }
}
