// What a page has to have so that everybody can read it (WCAG 2.2, AA): names, roles, the order of headings, heads of tables, and contrast.
// Its value is a list of what is wrong.
(() => {
  const wrong = [];
  const say = (what, e) => wrong.push(`${what}: ${e.outerHTML.slice(0, 160)}`);
  const words = (e) => (e.getAttribute("aria-label") || e.textContent).trim();
  for (const d of document.querySelectorAll("details")) d.open = true;

  if (!document.documentElement.lang || !document.title.trim()) say("no language or title", document.documentElement);
  let level = 0;
  for (const h of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const n = +h.tagName[1];
    if (n > level + 1) say("a heading leaves out a level", h);
    if (!words(h)) say("an empty heading", h);
    level = n;
  }
  if (document.querySelectorAll("h1").length !== 1 || document.querySelectorAll("main").length !== 1) say("not one h1 and one main", document.body);
  for (const e of document.querySelectorAll("a, button, summary, figcaption, caption")) if (!words(e)) say("no name", e);
  for (const e of document.querySelectorAll("input, select")) if (!e.labels.length && !e.getAttribute("aria-label")) say("no label", e);
  for (const e of document.querySelectorAll("a[href^='#']")) if (!document.getElementById(e.getAttribute("href").slice(1))) say("a link to nowhere", e);
  for (const e of document.querySelectorAll("img, svg")) {
    const named = e.getAttribute("role") === "img" && words(e);
    if (!named && e.getAttribute("aria-hidden") !== "true") say("a picture without words", e);
  }
  for (const e of document.querySelectorAll("figure")) if (!e.querySelector("svg[role=img][aria-label]") || !e.querySelector("figcaption")) say("a figure without words", e);
  for (const table of document.querySelectorAll("table")) {
    if (!table.querySelector("th[scope=col]")) say("a table without titles", table);
    for (const row of table.tBodies[0].rows) if (!row.querySelector("th")) say("a row without a head", row);
    for (const th of table.querySelectorAll("th")) if (!words(th)) say("an empty head", th);
  }
  for (const e of document.querySelectorAll("*")) {
    const scrolls = e.scrollWidth > e.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(e).overflowX);
    if (scrolls && e.tabIndex < 0 && !e.querySelector("a, button")) say("scrolls, and no key reaches it", e);
  }
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  if (new Set(ids).size !== ids.length) say("an id twice", document.body);

  const channels = (color) => { // only what the style sheet uses: rgb() and rgba()
    const [r, g, b, a = 1] = color.match(/[\d.]+/g).map(Number);
    return {r, g, b, a};
  };
  const luminance = ({r, g, b}) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = channels(getComputedStyle(e).backgroundColor);
      if (c.a > 0) return c;
    }
    return {r: 255, g: 255, b: 255};
  };
  const seen = new Set();
  const check = (what, e, color, least) => {
    const key = `${what} ${e.getAttribute("class")} ${e.tagName} ${color} ${JSON.stringify(ground(e))}`;
    if (seen.has(key)) return;
    seen.add(key);
    const c = contrast(channels(color), ground(e));
    if (c < least) say(`${what} with a contrast of ${c.toFixed(2)}`, e);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || ["SCRIPT", "STYLE", "title"].includes(e.tagName) || e.closest("[hidden], .unseen, .skip")) continue;
    const s = getComputedStyle(e);
    check("a text", e, e.closest("svg") ? s.fill : s.color, 4.5);
  }
  for (const e of document.querySelectorAll("svg [class]")) {
    if (!/(^| )(s|v)-|limit|axis|even/.test(e.getAttribute("class")) || e.tagName === "text" || e.classList.contains("dots")) continue;
    const s = getComputedStyle(e), colors = [s.stroke, s.fill].filter((c) => c.startsWith("rgb"));
    if (!colors.length) { say("a mark without a color", e); continue; }
    if (!colors.some((c) => contrast(channels(c), ground(e)) >= 3)) check("a mark", e, colors[0] || s.stroke, 3);
  }
  return wrong;
})()
