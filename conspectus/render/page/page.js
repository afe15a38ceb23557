"use strict";
(() => {
  const text = (id) => document.getElementById(id).textContent;
  const words = JSON.parse(text("words"));
  const pane = document.getElementById("source");
  const body = document.getElementById("source-body");
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const items = Array.from(document.querySelectorAll("[data-clause]"));
  let folded = null, chosen = null, loading = null;

  // The clauses are packed (base64 of zlib): they are opened when the first one is looked at.
  const unpack = async () => {
    const bytes = Uint8Array.from(atob(text("clauses")), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };

  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // The text of a clause with the spans marked and a rule where a page begins; offsets count code points.
  const marked = (clause, spans) => {
    const shown = make("div", "source-text");
    const characters = Array.from(clause.text);
    const edges = new Map();
    const edge = (offset) => edges.get(offset) || edges.set(offset, { open: 0, close: 0 }).get(offset);
    edge(0); edge(characters.length);
    for (const [start, end] of spans) {
      const from = Math.max(0, start - clause.start), to = Math.min(characters.length, end - clause.start);
      if (from < to) { edge(from).open += 1; edge(to).close += 1; }
    }
    for (const [offset, label] of clause.breaks) edge(offset - clause.start).page = label;
    const order = Array.from(edges.keys()).sort((a, b) => a - b);
    let depth = 0;
    order.forEach((offset, place) => {
      const here = edges.get(offset);
      depth += here.open - here.close;
      if (here.page !== undefined) shown.append(make("span", "break", words.page.replace("{pages}", here.page)));
      const next = order[place + 1];
      if (next === undefined) return;
      const run = characters.slice(offset, next).join("");
      shown.append(depth > 0 ? make("mark", "", run) : run);
    });
    return shown;
  };

  const show = async (item, focus) => {
    if (chosen) { chosen.classList.remove("chosen"); chosen.removeAttribute("aria-current"); }
    chosen = item;
    item.classList.add("chosen");
    item.setAttribute("aria-current", "true");
    if (focus) item.focus();
    loading = loading || unpack();
    const clauses = await loading;
    if (chosen !== item) return;
    const cited = (item.dataset.cites || "").split(" ").map((id) => document.getElementById("s" + id)).filter(Boolean);
    body.textContent = "";
    for (const source of cited.length ? cited : [item]) {
      const clause = clauses[source.dataset.clause];
      if (!clause) continue;
      const link = make("a", "open", words.open.replace("{page}", source.dataset.label));
      link.href = document.body.dataset.file + "#page=" + (Number(source.dataset.page) + 1);
      const line = make("p");
      line.append(link);
      body.append(make("h3", "source-title", clause.label), line, marked(clause, JSON.parse(source.dataset.spans)));
    }
    pane.classList.add("open");
    const first = body.querySelector("mark");
    pane.scrollTop = first ? Math.max(0, first.offsetTop - pane.clientHeight / 3) : 0;
  };
  const close = () => { pane.classList.remove("open"); if (chosen) chosen.focus(); };

  const step = (by) => {
    const list = items.filter((item) => !item.closest("[hidden]"));
    if (!list.length) return;
    const next = list[Math.min(list.length - 1, Math.max(0, list.indexOf(chosen) + by))];
    show(next, true);
    next.scrollIntoView({ block: "nearest" });
  };
  const named = () => {
    const target = location.hash.startsWith("#s") && document.getElementById(location.hash.slice(1));
    if (target && target.dataset.clause) {
      if (target.closest("[hidden]")) { search.value = ""; narrow(); }
      show(target, true);
      target.scrollIntoView({ block: "center" });
    }
  };
  document.addEventListener("click", (event) => {
    const item = event.target.closest("[data-clause]");
    if (item && !event.target.closest("a") && !String(getSelection())) show(item, false);
  });
  document.getElementById("close").addEventListener("click", close);
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select")) {
      if (event.key === "Escape") { search.value = ""; narrow(); event.target.blur(); }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") { event.preventDefault(); search.focus(); }
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter" && event.target.matches("[data-clause]")) show(event.target, true);
  });

  const filters = Array.from(document.querySelectorAll("select[data-column]"));
  const narrow = () => {
    const wanted = search.value.trim().toLowerCase();
    folded = folded || items.map((item) => item.textContent.toLowerCase());
    const set = filters.filter((filter) => filter.value);
    let count = 0;
    items.forEach((item, place) => {
      const own = set.length ? (item.closest("table") || {}).id : undefined;
      const kept = (!wanted || folded[place].includes(wanted)) && set.every((filter) =>
        filter.dataset.table !== own || item.cells[Number(filter.dataset.column)].textContent.trim().toLowerCase() === filter.value);
      item.hidden = !kept;
      if (kept) count += 1;
    });
    document.querySelectorAll("main section").forEach((part) => {
      part.hidden = Boolean(wanted) && !part.querySelector("[data-clause]:not([hidden])");
    });
    found.textContent = !wanted ? "" : count ? words.found.replace("{count}", count) : words.none;
  };
  search.addEventListener("input", narrow);
  filters.forEach((filter) => filter.addEventListener("change", narrow));
  addEventListener("hashchange", named);
  named();
  document.documentElement.dataset.ready = "true";
})();
