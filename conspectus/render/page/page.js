"use strict";
(() => {
  const clauses = JSON.parse(document.getElementById("clauses").textContent);
  const words = JSON.parse(document.getElementById("words").textContent);
  const pane = document.getElementById("source");
  const title = document.getElementById("source-title");
  const link = document.getElementById("source-link");
  const text = document.getElementById("source-text");
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const items = Array.from(document.querySelectorAll("[data-clause]"));
  const folded = items.map((item) => item.textContent.toLowerCase());
  let chosen = null;

  const show = (item, focus) => {
    const clause = clauses[item.dataset.clause];
    if (!clause) return;
    if (chosen) chosen.classList.remove("chosen");
    chosen = item;
    item.classList.add("chosen");
    const at = Number(item.dataset.page);
    title.textContent = clause.label;
    link.href = document.body.dataset.file + "#page=" + (at + 1);
    link.textContent = words.open.replace("{page}", item.dataset.label);
    text.textContent = "";
    const characters = Array.from(clause.text);
    const edges = new Map();
    const edge = (offset) => edges.get(offset) || edges.set(offset, {}).get(offset);
    edge(0); edge(characters.length);
    for (const [start, end] of JSON.parse(item.dataset.spans)) {
      const from = Math.max(0, start - clause.start), to = Math.min(characters.length, end - clause.start);
      if (from < to) { edge(from).open = true; edge(to).close = true; }
    }
    for (const [offset, label] of clause.breaks) edge(offset - clause.start).page = label;
    const order = Array.from(edges.keys()).sort((a, b) => a - b);
    let marked = false, first = null;
    order.forEach((offset, place) => {
      const here = edges.get(offset);
      if (here.close) marked = false;
      if (here.open) marked = true;
      if (here.page !== undefined) {
        const sign = document.createElement("span");
        sign.className = "break";
        sign.textContent = words.page.replace("{pages}", here.page);
        text.append(sign);
      }
      const next = order[place + 1];
      if (next === undefined) return;
      const run = characters.slice(offset, next).join("");
      if (!marked) { text.append(run); return; }
      const mark = document.createElement("mark");
      mark.textContent = run;
      first = first || mark;
      text.append(mark);
    });
    pane.classList.add("open");
    if (first) first.scrollIntoView({ block: "center" });
    if (focus) item.focus();
  };

  const visible = () => items.filter((item) => item.offsetParent !== null);
  const step = (by) => {
    const list = visible();
    if (!list.length) return;
    const next = list[Math.min(list.length - 1, Math.max(0, list.indexOf(chosen) + by))];
    show(next, true);
    next.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("click", (event) => {
    const item = event.target.closest("[data-clause]");
    if (item && !event.target.closest("a")) show(item, false);
  });
  document.getElementById("close").addEventListener("click", () => pane.classList.remove("open"));
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select")) {
      if (event.key === "Escape") { search.value = ""; narrow(); event.target.blur(); }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") { event.preventDefault(); search.focus(); }
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "Escape") pane.classList.remove("open");
    else if (event.key === "Enter" && event.target.matches("[data-clause]")) show(event.target, true);
  });

  const filters = Array.from(document.querySelectorAll("select[data-column]"));
  const narrow = () => {
    const wanted = search.value.trim().toLowerCase();
    let count = 0;
    items.forEach((item, place) => {
      const table = item.closest("table");
      const kept = (!wanted || folded[place].includes(wanted)) && filters.every((filter) =>
        !filter.value || filter.dataset.table !== (table && table.id) ||
        item.cells[Number(filter.dataset.column)].textContent.trim() === filter.value);
      item.hidden = !kept;
      if (kept) count += 1;
    });
    document.querySelectorAll("main section").forEach((part) => {
      const own = part.querySelectorAll("[data-clause]");
      part.hidden = Boolean(wanted) && !Array.from(own).some((item) => !item.hidden);
    });
    found.textContent = wanted ? words.found.replace("{count}", count) : "";
  };
  search.addEventListener("input", narrow);
  filters.forEach((filter) => filter.addEventListener("change", narrow));
  document.documentElement.dataset.ready = "true";
})();
