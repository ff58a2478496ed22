// Nothing here is needed to read the page: it filters and sorts the overview, opens the case that a link leads to, enlarges figures, and copies commands.
"use strict";
(() => {
  const rows = [...document.querySelectorAll(".overview tbody tr")];
  const filter = document.querySelector(".filter");
  if (filter && rows.length > 5) {
    filter.hidden = false;
    document.querySelector(".chips").hidden = true;
    const words = document.getElementById("filter"), kernel = document.getElementById("kernel"), shown = document.getElementById("shown");
    const boxes = [...filter.querySelectorAll("input[type=checkbox]")];
    const apply = () => {
      const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      const verdicts = new Set(boxes.filter((b) => b.checked).map((b) => b.value));
      let count = 0;
      for (const row of rows) {
        const name = row.dataset.case.toLowerCase();
        const fits = verdicts.has(row.dataset.verdict) && (!kernel || !kernel.value || row.dataset.kernel === kernel.value) && wanted.every((w) => name.includes(w));
        row.hidden = !fits;
        count += fits;
      }
      shown.textContent = count === rows.length ? "" : `${count} of ${rows.length} cases`;
    };
    filter.addEventListener("input", apply);
  }
  const value = { rank: (r) => +r.dataset.rank, theta: (r) => (r.dataset.theta === "" ? -Infinity : +r.dataset.theta), verdict: (r) => +r.dataset.rank };
  for (const head of document.querySelectorAll(".overview th[data-sort]")) {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      for (const other of document.querySelectorAll(".overview th[aria-sort]")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const of = head.dataset.sort === "rank" ? null : value[head.dataset.sort];
      const sorted = [...rows].sort((a, b) => (of ? of(b) - of(a) : b.dataset.case.localeCompare(a.dataset.case)));
      document.querySelector(".overview tbody").append(...(down ? sorted : sorted.reverse()));
    });
  }
  const reveal = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    const fold = target && target.closest("details");
    if (fold && !fold.open) { fold.open = true; target.scrollIntoView(); }
  };
  addEventListener("hashchange", reveal);
  reveal();
  const buttonOf = (text, says, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    if (says) button.setAttribute("aria-label", says);
    button.addEventListener("click", act);
    return button;
  };
  for (const figure of document.querySelectorAll("figure")) {
    const svg = figure.querySelector("svg"), title = figure.querySelector("figcaption strong");
    if (!svg || !title) continue;
    const tools = document.createElement("span");
    let width = 100;
    const zoom = (by) => { width = Math.min(1600, Math.max(100, width * by)); svg.style.width = `${width}%`; };
    const closer = buttonOf("+", `closer: ${title.textContent}`, () => zoom(1.5)), farther = buttonOf("−", `farther: ${title.textContent}`, () => zoom(1 / 1.5));
    const open = buttonOf("⤢", `enlarge: ${title.textContent}`, () => {
      const large = figure.classList.toggle("large");
      open.textContent = large ? "×" : "⤢";
      closer.hidden = farther.hidden = !large;
      if (!large) zoom(0);
    });
    closer.hidden = farther.hidden = true;
    figure.addEventListener("keydown", (e) => { if (e.key === "Escape" && figure.classList.contains("large")) open.click(); });
    tools.className = "tools";
    tools.append(farther, closer, open);
    figure.querySelector("figcaption").append(tools);
  }
  if (!navigator.clipboard) return;
  for (const command of document.querySelectorAll(".command")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(command.querySelector("code").textContent);
      button.textContent = "copied";
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    });
    command.append(button);
  }
})();
