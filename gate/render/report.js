// Nothing here is needed to read the page: it filters and sorts tables, opens what a link leads to, enlarges figures, and copies commands.
"use strict";
(() => {
  const make = (name, attributes, ...children) => {
    const e = Object.assign(document.createElement(name), attributes);
    e.append(...children);
    return e;
  };
  const filter = (table, rows) => {
    const words = make("input", {type: "search", placeholder: "gemm M=4096", autocomplete: "off", spellcheck: false});
    const verdicts = [...new Set(rows.map((r) => r.dataset.verdict).filter(Boolean))];
    const boxes = verdicts.map((v) => make("input", {type: "checkbox", value: v, checked: true}));
    const shown = make("output", {});
    shown.setAttribute("aria-live", "polite");
    const apply = () => {
      const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      const on = new Set(boxes.filter((b) => b.checked).map((b) => b.value));
      let count = 0;
      for (const row of rows) {
        const name = (row.dataset.name || "").toLowerCase();
        row.hidden = !(wanted.every((w) => name.includes(w)) && (!row.dataset.verdict || on.has(row.dataset.verdict)));
        count += !row.hidden;
      }
      shown.textContent = count === rows.length ? "" : `${count} of ${rows.length}`;
    };
    const tools = make("div", {className: "tools"}, make("label", {}, "Filter ", words));
    const scroll = table.closest(".scroll"), chips = scroll.previousElementSibling;
    if (chips && chips.matches(".chips") && boxes.length > 1) {
      chips.hidden = true;
      for (const chip of chips.children) {
        const box = boxes.find((b) => b.value === chip.dataset.verdict);
        if (box) tools.append(make("label", {className: "chip"}, box, ...[...chip.childNodes].map((n) => n.cloneNode(true))));
      }
    }
    tools.append(shown);
    tools.addEventListener("input", apply);
    scroll.before(tools);
  };
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    if (!cell) return "";
    return cell.dataset.value ? +cell.dataset.value : cell.textContent;
  };
  const sortable = (table, body, rows) => {
    for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
      if (head.classList.contains("figure")) continue;
      const button = make("button", {type: "button"}, head.firstChild);
      head.prepend(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const sorted = [...rows].sort((a, b) => {
          const x = valueOf(a, column), y = valueOf(b, column);
          return typeof x === "number" && typeof y === "number" ? y - x : String(y).localeCompare(String(x));
        });
        body.append(...(down ? sorted : sorted.reverse()));
      });
    }
  };
  for (const table of document.querySelectorAll("main table")) {
    const rows = [...table.tBodies[0].rows];
    if (table.tHead && rows.length > 5) sortable(table, table.tBodies[0], rows);
    if (table.tHead && rows.length > 9 && rows.some((r) => r.dataset.verdict)) filter(table, rows);
  }
  const reveal = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
  for (const figure of document.querySelectorAll("figure")) {
    const title = figure.querySelector("figcaption strong").textContent;
    const open = make("button", {type: "button", className: "small", textContent: "⤢"});
    open.setAttribute("aria-label", `enlarge: ${title}`);
    open.addEventListener("click", () => { open.textContent = figure.classList.toggle("large") ? "×" : "⤢"; });
    figure.addEventListener("keydown", (e) => { if (e.key === "Escape" && figure.classList.contains("large")) open.click(); });
    figure.querySelector("figcaption").append(make("span", {className: "tools"}, open));
  }
  if (!navigator.clipboard) return;
  for (const command of document.querySelectorAll(".command")) {
    const button = make("button", {type: "button", className: "small", textContent: "copy"});
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(command.querySelector("code").textContent);
      button.textContent = "copied";
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    });
    command.append(button);
  }
})();
