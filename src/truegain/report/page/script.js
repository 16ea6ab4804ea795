"use strict";
(() => {
  // Everything here only adds: the page is whole without it.
  const data = JSON.parse(document.getElementById("truegain-data").textContent);
  const make = (tag, props = {}, ...children) => {
    const node = Object.assign(document.createElement(tag), props);
    node.append(...children);
    return node;
  };
  document.documentElement.classList.add("js");

  // Sort: a head is a button; numbers by value, names by letters.
  const key = (row, i) => {
    const cell = row.cells[i];
    const text = (cell ? cell.textContent : "").trim().replace(/\u2212/g, "-").replace(/,/g, "");
    return cell && cell.tagName === "TD" && /^[+-]?\d/.test(text) ? parseFloat(text) : text.toLowerCase();
  };
  const before = (a, b) => typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
  for (const table of document.querySelectorAll("table.sort")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, i) => {
      if (head.querySelector("svg")) return;
      const button = make("button", { type: "button", className: "by" }, ...head.childNodes);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((h) => h.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...table.tBodies[0].rows].sort((a, b) => before(key(a, i), key(b, i)) * (down ? -1 : 1));
        table.tBodies[0].append(...rows);
      });
      head.append(button);
    });
  }

  // Filter systems: rows of all tables that hold a system a row.
  const systems = document.getElementById("systems");
  if (systems && systems.querySelectorAll("table.lb tbody tr").length > 12) {
    const field = make("input", { type: "search", id: "find-system" });
    const told = make("span", { className: "m" });
    told.setAttribute("role", "status");
    const label = make("label", { htmlFor: "find-system", textContent: "Find a system " });
    systems.querySelector(".col > .lede").after(make("p", { className: "find" }, label, field, " ", told));
    field.addEventListener("input", () => {
      const wanted = field.value.trim().toLowerCase();
      let shown = 0;
      for (const tier of systems.querySelectorAll("details.tier, figure.lbf > table")) {
        let here = 0;
        for (const row of tier.querySelectorAll("tbody tr")) {
          row.hidden = wanted !== "" && !row.cells[1].textContent.toLowerCase().includes(wanted);
          here += row.hidden ? 0 : 1;
        }
        if (tier.tagName === "DETAILS") {
          if (wanted && here) tier.open = true;
          tier.classList.toggle("away", wanted !== "" && here === 0);
        }
        shown += here;
      }
      told.textContent = wanted ? `${shown} found` : "";
    });
  }

  // Hover over the triangle of pairs: who is who, and whether they are told apart.
  const apart = data.sections.apart || {};
  for (const drawing of document.querySelectorAll("svg.cells-svg")) {
    const of = apart[drawing.dataset.measure];
    if (!of) continue;
    const tip = make("div", { className: "tip", hidden: true });
    drawing.parentNode.append(tip);
    drawing.addEventListener("pointermove", (event) => {
      const box = drawing.getBoundingClientRect();
      const n = of.systems.length;
      const j = Math.floor(((event.clientX - box.left) / box.width) * n);
      const i = Math.floor(((event.clientY - box.top) / box.height) * n);
      tip.hidden = !(i >= 0 && j > i && j < n);
      if (tip.hidden) return;
      tip.textContent = `${of.systems[i]} (${i + 1}), ${of.systems[j]} (${j + 1}): ${of.classes[+of.pairs[i][j - i - 1]]}`;
      const left = event.clientX - box.left;
      tip.style.left = `${Math.min(left + 14, box.width - 180)}px`;
      tip.style.top = `${event.clientY - box.top + 30}px`;
    });
    drawing.addEventListener("pointerleave", () => { tip.hidden = true; });
  }

  // Print: what is folded is unfolded, and folded again.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((d) => { d.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((d) => { d.open = false; }));
})();
