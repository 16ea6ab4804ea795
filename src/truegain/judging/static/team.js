// A team's stream: keys for labels, a sign of life while someone is at a document, and a look for the next one.
// Every page works without it: buttons send forms, and a document is kept for as long as the study says.
(function () {
  "use strict";

  var GUARD = 350; // milliseconds in which a key pressed twice would label a document that nobody has seen
  var STORED = "truegain-keys";
  var shown = Date.now();
  var busy = false;

  function keysAreOn() {
    try { return window.localStorage.getItem(STORED) !== "off"; } catch (error) { return true; }
  }

  function isTyping(target) {
    return !!(target && target.closest && target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]"));
  }

  function press(event) {
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    if (!keysAreOn() || isTyping(event.target) || busy || Date.now() - shown < GUARD) return;
    var wanted = event.key.toLowerCase();
    var all = Array.from(document.querySelectorAll("main [data-key]"));
    var found = all.find(function (one) { return one.dataset.key === wanted; });
    if (!found) return;
    event.preventDefault();
    if (found.tagName !== "SUMMARY") { found.click(); return; }
    var within = found.parentElement;
    var first = within.querySelector("button");
    if (within.open && document.activeElement === first) { first.click(); return; } // the key once more
    within.open = true;
    first.focus({ preventScroll: true });
  }

  function close(event) {
    var open = document.querySelector("details.cannot[open]");
    if (event.key !== "Escape" || !open) return;
    open.open = false;
    open.querySelector("summary").focus();
  }

  function begin() {
    shown = Date.now();
    busy = false;
    alive = true; // who is shown a document is there
    var box = document.querySelector(".keys");
    if (box) {
      box.hidden = false;
      box.querySelector("input").checked = keysAreOn();
    }
  }

  document.addEventListener("keydown", press);
  document.addEventListener("keydown", close);
  document.addEventListener("change", function (event) {
    if (!event.target.closest || !event.target.closest(".keys")) return;
    try { window.localStorage.setItem(STORED, event.target.checked ? "on" : "off"); } catch (error) { /* for this page */ }
  });
  document.addEventListener("submit", function () { busy = true; });
  document.addEventListener("htmx:beforeRequest", function () { busy = true; });
  document.addEventListener("htmx:afterRequest", function () { busy = false; shown = Date.now(); });
  document.addEventListener("htmx:afterSettle", function () { begin(); window.scrollTo(0, 0); });
  window.addEventListener("pageshow", begin);

  // a sign of life: only if the page is in view and something was done since the last one
  var alive = true;
  var last = Date.now();
  ["pointermove", "pointerdown", "keydown", "scroll", "touchmove", "wheel"].forEach(function (kind) {
    window.addEventListener(kind, function () { alive = true; }, { passive: true, capture: true });
  });
  window.setInterval(function () {
    var place = document.querySelector("[data-here]");
    if (!place || document.visibilityState !== "visible" || busy) return;
    if (Date.now() - last < 1000 * Number(place.dataset.every)) return;
    last = Date.now();
    if (!alive) return;
    alive = false;
    window.fetch(place.dataset.here, { method: "POST" }).then(function (answer) {
      if (answer.status === 205 && document.contains(place) && !busy) window.location.reload();
    }).catch(function () { /* the next one will do */ });
  }, 1000);

  // nothing to do for now: look again
  window.setInterval(function () {
    var link = document.querySelector("[data-again]");
    if (link && document.visibilityState === "visible" && Date.now() - shown > 1000 * Number(link.dataset.again)) {
      window.location.reload();
    }
  }, 1000);
})();
