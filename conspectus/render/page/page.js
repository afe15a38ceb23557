"use strict";
(() => {
  const text = (id) => document.getElementById(id).textContent;
  const words = JSON.parse(text("words"));
  const pane = document.getElementById("source");
  const body = document.getElementById("source-body");
  const search = document.getElementById("search");
  const bar = document.querySelector("header.bar");
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

  // Where a line of the file ends only because the page does: long lines that no list mark follows. Offsets in code points.
  const MARK = /^\s*(?:[(（]?(?:\d{1,3}|[a-z]{1,4}|[一二三四五六七八九十]{1,3})[)）.、．]|第\S{1,8}[条章节编款]|["“‘•·*–—-]|\d+(?:\.\d+)+\s)/i;
  const WIDE = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]/;
  const wraps = (characters) => {
    const lines = characters.join("").split("\n");
    const width = (line) => Array.from(line).reduce((sum, one) => sum + (WIDE.test(one) ? 2 : 1), 0);
    const widths = lines.map(width), full = 0.72 * Math.max(...widths, 40), found = new Set();
    let at = 0;
    lines.forEach((line, place) => {
      at += Array.from(line).length;
      const next = lines[place + 1];
      if (next && widths[place] >= full && !MARK.test(next)) found.add(at);
      at += 1;
    });
    return found;
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
    const soft = wraps(characters);
    // A soft line end stays in the text, so that what is copied is what the file has; it is shown as a space or not at all.
    const put = (into, from, to) => {
      let start = from;
      for (let at = from; at < to; at += 1) {
        if (!soft.has(at)) continue;
        into.append(characters.slice(start, at).join(""));
        const joined = WIDE.test(characters[at - 1] || "") && WIDE.test(characters[at + 1] || "");
        into.append(make("span", joined ? "soft joined" : "soft", "\n"));
        start = at + 1;
      }
      into.append(characters.slice(start, to).join(""));
    };
    const order = Array.from(edges.keys()).sort((a, b) => a - b);
    let depth = 0;
    order.forEach((offset, place) => {
      const here = edges.get(offset);
      depth += here.open - here.close;
      if (here.page !== undefined) shown.append(make("span", "break", words.page.replace("{pages}", here.page)));
      const next = order[place + 1];
      if (next === undefined) return;
      if (depth <= 0) return put(shown, offset, next);
      const mark = make("mark");
      put(mark, offset, next);
      shown.append(mark);
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
    // Where the source covers the lower half of a small window, the line that was chosen stays in the upper one.
    const box = item.getBoundingClientRect(), top = pane.getBoundingClientRect().top;
    if (getComputedStyle(pane).position === "fixed" && box.bottom > top) scrollBy(0, box.top - bar.offsetHeight - 8);
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
    found.textContent = !wanted ? "" : count === 1 ? words.found_one : count ? words.found.replace("{count}", count) : words.none;
  };
  search.addEventListener("input", narrow);
  filters.forEach((filter) => filter.addEventListener("change", narrow));
  // The bar repeats the title only once the title itself is out of sight.
  new IntersectionObserver(([title]) => document.body.classList.toggle("at-top", title.isIntersecting), {
    rootMargin: `-${bar.offsetHeight}px 0px 0px`,
  }).observe(document.querySelector("h1"));
  addEventListener("hashchange", named);
  named();
  document.documentElement.dataset.ready = "true";
})();
