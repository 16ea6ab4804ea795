// Keeps the decision's page up to date: the server sends it anew when it changes.  Without this script the page reloads
// itself; without events, behind a proxy that holds them back, it is asked for again and again.
(function () {
  "use strict";

  var place = document.getElementById("decision");
  var live = document.getElementById("live");
  var said = document.getElementById("said");
  if (!place || !live || !said) return;
  var asking = 0;

  function say(state) {
    live.hidden = false;
    live.textContent = live.dataset[state];
    live.dataset.state = state;
  }

  // What was unfolded stays so, and the focus stays where it was.
  function show(html, seen) {
    var before = place.querySelector("[data-status]");
    var open = Array.from(place.querySelectorAll("details[open]"), function (fold) { return fold.id; });
    var focused = document.activeElement;
    var fold = focused && place.contains(focused) ? focused.closest("details") : null;
    var link = focused && place.contains(focused) && !fold ? focused.getAttribute("href") : null;
    place.innerHTML = html;
    if (seen) place.dataset.seen = seen;
    open.forEach(function (id) {
      var again = document.getElementById(id);
      if (again) again.open = true;
    });
    var target = fold ? place.querySelector("#" + fold.id + " > summary") : link ? place.querySelector("a[href='" + link + "']") : null;
    if (target) target.focus({ preventScroll: true });
    var now = place.querySelector("[data-status]");
    if (!now) return;
    document.title = now.dataset.title + document.title.slice(document.title.lastIndexOf(" - "));
    var outcome = place.querySelector(".outcome");
    if (before && outcome && before.dataset.status !== now.dataset.status) said.textContent = outcome.textContent;
  }

  function ask() {
    fetch(location.href, { credentials: "same-origin" }).then(function (answer) {
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.text();
    }).then(function (text) {
      var fresh = new DOMParser().parseFromString(text, "text/html").getElementById("decision");
      if (!fresh) { location.reload(); return; } // signed out
      say("slow");
      if (fresh.dataset.seen !== place.dataset.seen) show(fresh.innerHTML, fresh.dataset.seen);
      listen(); // it may be possible now
    }).catch(function () { say("lost"); });
  }

  function askAgainAndAgain() {
    if (asking) return;
    asking = window.setInterval(ask, 1000 * Number(place.dataset.again));
    ask();
  }

  function listen() {
    if (!window.EventSource) return;
    var source = new EventSource(place.dataset.events + "?seen=" + encodeURIComponent(place.dataset.seen));
    source.onopen = function () {
      say("live");
      window.clearInterval(asking);
      asking = 0;
    };
    source.addEventListener("decision", function (event) { show(event.data, event.lastEventId); });
    source.onerror = function () {
      if (source.readyState === EventSource.CLOSED) askAgainAndAgain(); else say("lost");
    };
  }

  if (window.EventSource) listen(); else askAgainAndAgain();
})();
