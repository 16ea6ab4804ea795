// Small comforts on top of pages that work without any script: focus after a page was swapped in, words where the
// server could not take a page (what was typed stays), and notices of pasting and of leaving the window.
(function () {
  "use strict";

  function say(text) {
    var place = document.getElementById("trouble");
    if (!place) return;
    place.hidden = false;
    place.textContent = text;
    place.scrollIntoView({ block: "start" });
  }

  function unreached() {
    var place = document.getElementById("trouble");
    if (place) say(place.dataset.unreached);
  }

  function wordsOf(html) {
    var page = new DOMParser().parseFromString(html, "text/html");
    var parts = Array.from(page.querySelectorAll("main h1, main p"));
    return parts.map(function (part) { return part.textContent.trim(); }).join(". ");
  }

  document.addEventListener("htmx:afterSettle", function () {
    var first = document.querySelector("main [autofocus]") || document.querySelector("main h1");
    if (first) first.focus();
  });
  document.addEventListener("htmx:responseError", function (event) {
    var answer = event.detail.xhr;
    if (answer.status === 413 || answer.status === 429 || answer.status >= 500) {
      var words = wordsOf(answer.responseText);
      if (words) say(words); else unreached();
    }
  });
  document.addEventListener("htmx:sendError", unreached);
  document.addEventListener("htmx:timeout", unreached);
  document.addEventListener("htmx:beforeRequest", function () {
    var place = document.getElementById("trouble");
    if (place) place.hidden = true;
  });

  function notice(kind, about) {
    var main = document.querySelector("main[data-notices]");
    if (!main || !navigator.sendBeacon) return;
    var slot = document.querySelector("#ask [name=slot]");
    var fields = new URLSearchParams(about);
    fields.set("kind", kind);
    fields.set("step", slot ? slot.value : "");
    navigator.sendBeacon(main.dataset.notices, fields);
  }

  document.addEventListener("paste", function (event) {
    var text = event.clipboardData ? event.clipboardData.getData("text") : "";
    notice("paste", { field: event.target.name || "", length: String(text.length) });
  });

  var away = false;
  function leave() {
    if (!away) notice("blur", {});
    away = true;
  }
  function known() { away = true; } // by a link or a page of ours
  function here() { away = !document.hasFocus(); } // the page was swapped in, or could not be: the window is the same
  window.addEventListener("pagehide", known);
  document.addEventListener("htmx:afterRequest", here);
  document.addEventListener("click", function (event) {
    if (event.target.closest && event.target.closest("a[href]:not([href^='#'])")) known();
  });
  window.addEventListener("blur", leave);
  document.addEventListener("visibilitychange", function () {
    if (document.visibilityState === "hidden") leave(); else away = false;
  });
  window.addEventListener("focus", function () { away = false; });
})();
