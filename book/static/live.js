// Beside «Run this chapter»: a way back to the book's version, shown once this browser keeps a changed copy.
//
// The live notebooks keep what a reader changes in a database of this browser; its name carries the edition. Throwing
// it away brings back every chapter of the book as it is published.
"use strict";

for (const box of document.querySelectorAll(".run-chapter")) {
  const button = box.querySelector("button");
  const status = box.querySelector("[role=status]");
  const { storage } = box.dataset;

  async function look() {
    const kept = await indexedDB.databases();
    button.hidden = !kept.some(({ name }) => name === storage);
  }

  button.addEventListener("click", () => {
    const request = indexedDB.deleteDatabase(storage);
    request.onblocked = () => (status.textContent = "Close the tabs in which chapters run, then it is done.");
    request.onsuccess = () => {
      status.textContent = "Done: all live chapters are the book’s again.";
      button.hidden = true;
    };
  });

  if (indexedDB.databases) {
    look();
    addEventListener("focus", look); // the reader comes back from the tab in which the chapter ran
  }
}
