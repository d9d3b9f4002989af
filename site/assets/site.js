"use strict";
// Makes pages better that are complete without it: sorting, a filter, copying. No state, no network.
(() => {
  const UNITS = { k: 1e3, M: 1e6, G: 1e9, min: 60, h: 3600, kB: 1e3, MB: 1e6, GB: 1e9 };

  // The number that a cell begins with, in its base unit; null when there is none.
  const value = (cell) => {
    const text = cell.textContent.replace(/\u2212/g, "-").replace(/[\u00a0\s]+/g, " ").trim();
    const found = /^[>$+]*\s*([-+]?[\d,]*\.?\d+)\s?(kB|MB|GB|min|k|M|G|h)?/.exec(text);
    if (!found) return null;
    let number = parseFloat(found[1].replace(/,/g, "")) * (UNITS[found[2]] || 1);
    const rest = found[2] === "min" && /min (\d+)/.exec(text);
    if (rest) number += parseInt(rest[1], 10);
    return number;
  };

  const byText = (a, b) => a.localeCompare(b, "en", { numeric: true });

  const sort = (table, column, descending) => {
    const body = table.tBodies[0];
    const numeric = table.tHead.rows[0].cells[column].classList.contains("num");
    const rows = [...body.rows].map((row, index) => {
      const cell = row.cells[column];
      return { row, index, key: numeric ? value(cell) : cell.textContent.trim() };
    });
    const empty = (key) => key === null || key === "" || key === "–";
    rows.sort((a, b) => {
      if (empty(a.key) || empty(b.key)) return empty(a.key) - empty(b.key) || a.index - b.index;
      const order = numeric ? a.key - b.key : byText(a.key, b.key);
      return (descending ? -order : order) || a.index - b.index;
    });
    body.append(...rows.map((item) => item.row));
  };

  const sortable = (table) => {
    const head = table.tHead && table.tHead.rows[0];
    const rows = table.tBodies[0] && table.tBodies[0].rows;
    if (!head || !rows || rows.length < 2) return;
    if ([...rows].some((row) => row.cells.length !== head.cells.length)) return;
    [...head.cells].forEach((cell, column) => {
      const label = cell.textContent.trim();
      if (!label || cell.querySelector("a")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...cell.childNodes);
      cell.append(button);
      button.addEventListener("click", () => {
        const before = cell.getAttribute("aria-sort");
        const first = cell.classList.contains("num") ? "descending" : "ascending";
        const second = first === "ascending" ? "descending" : "ascending";
        const now = before === first ? second : first;
        for (const other of head.cells) other.removeAttribute("aria-sort");
        cell.setAttribute("aria-sort", now);
        sort(table, column, now === "descending");
      });
    });
  };

  const filterable = (table) => {
    const rows = [...table.tBodies[0].rows];
    if (rows.length < 6) return;
    const label = document.createElement("label");
    label.className = "filter";
    const input = document.createElement("input");
    input.type = "search";
    input.autocomplete = "off";
    const said = document.createElement("span");
    said.setAttribute("role", "status");
    label.append("Filter rows ", input);
    const place = table.closest(".scroll") || table;
    place.before(label, said);
    said.className = "filter-said note";
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += !row.hidden;
      }
      said.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
    });
  };

  const copyable = (block) => {
    if (!navigator.clipboard) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(block.textContent.trim());
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(block);
        button.textContent = "Selected";
      }
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    block.after(button);
  };

  // Explore: the first click on the page loads Vega; the same button leads back to the still image.
  const { vega } = document.currentScript.dataset;
  let loading = null;
  const load = () => (loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = vega;
    script.onload = () => done(window.mmbenchExplore);
    script.onerror = () => { loading = null; script.remove(); failed(); };
    document.head.append(script);
  }));

  const explorable = (figure) => {
    const spec = figure.querySelector("script.spec");
    const drawing = figure.querySelector(".drawing");
    const hint = figure.querySelector(".hint");
    if (!spec || !vega) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "tool";
    button.textContent = "Explore";
    const name = document.createElement("span");
    name.className = "away";
    name.textContent = `: ${figure.querySelector(".self").textContent}`;
    button.append(name);
    const say = (text) => (button.firstChild.data = text);
    let live = null, leave = null;
    const back = () => {
      if (leave) leave();
      live.remove();
      live = leave = null;
      drawing.hidden = hint.hidden = false;
      say("Explore");
      button.focus();
    };
    button.addEventListener("click", async () => {
      figure.querySelector(".as-chart").checked = true;
      if (live) { if (leave) back(); return; }
      live = document.createElement("div");
      live.className = "live";
      live.addEventListener("keydown", (event) => event.key === "Escape" && leave && back());
      drawing.before(live);
      say("Loading…");
      try {
        const explore = await load();
        leave = await explore(live, JSON.parse(spec.textContent), figure.querySelector(".self").textContent);
        drawing.hidden = hint.hidden = true;
        say("Back to the still image");
      } catch {
        live.remove();
        live = null;
        say("Explore (could not be loaded)");
      }
    });
    figure.querySelector(".views").append(button);
  };

  // A link to something inside a closed disclosure opens it.
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    const closed = target && target.closest("details:not([open])");
    if (closed) {
      closed.open = true;
      target.scrollIntoView();
    }
  };

  document.querySelectorAll("table").forEach(sortable);
  document.querySelectorAll("table.board, table.sessions, table.caselist, table.trials, table.cases, table.matrix").forEach(filterable);
  document.querySelectorAll("pre.command").forEach(copyable);
  document.querySelectorAll("figure.chart").forEach(explorable);
  addEventListener("hashchange", reveal);
  reveal();
})();
