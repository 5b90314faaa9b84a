"use strict";
(() => {
  const FIRST = 100;
  const NAMES = new Intl.Collator("en", { numeric: true });
  const COUNT = new Intl.NumberFormat("en-US");

  // Keeps 99.999 from rounding to 100 and 0.001 to 0, as the rest of the report does.
  const percent = (value) => {
    const shown = 100 * value;
    return (shown >= 99.95 && shown < 100 ? 99.9 : shown > 0 && shown < 0.05 ? 0.1 : shown).toFixed(1) + " %";
  };
  const points = (value) => {
    const text = (100 * value).toFixed(1);
    return Number(text) === 0 ? "0.0" : (value > 0 ? "+" : "") + text;
  };
  const shown = (value, kind) => {
    if (value === null) return "-";
    if (kind === "share") return percent(value);
    if (kind === "points") return points(value);
    if (kind === "log") return "epoch " + value;
    return typeof value === "number" ? COUNT.format(value) : value;
  };

  const element = (name, text) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const setUp = (section) => {
    const data = JSON.parse(section.querySelector("script.data").textContent);
    const body = section.querySelector("tbody");
    const headings = [...section.querySelectorAll("thead tr:last-child th")];
    const form = section.querySelector("form");
    const status = section.querySelector(".status");
    const more = section.querySelector(".more");
    const change = data.kinds.indexOf("points");
    const columns = (label) => data.labels.flatMap((name, at) => (name === label ? [at] : []));
    const outcomes = columns("outcome");
    const sides = [...columns("correct"), ...outcomes];
    const searched = data.kinds.flatMap((kind, at) => (kind === "text" || kind === "answer" ? [at] : []));
    let rows = data.rows;
    let limit = FIRST;
    let sorted = { column: change, down: false };

    const cell = (value, at) => {
      const kind = data.kinds[at];
      const text = shown(value, kind);
      const made = element(at === 0 ? "th" : "td");
      made.className = "k-" + kind + (value === 0 ? " zero" : "");
      if (at === 0) made.scope = "row";
      const link = kind === "log" ? data.links[data.sides[at]] : null;
      if (link) {
        const anchor = element("a", value === null ? "log" : text);
        anchor.href = link;
        made.append(anchor);
      } else if (kind === "text" || kind === "answer") {
        made.append(element("bdi", text));
      } else {
        made.textContent = text;
      }
      return made;
    };

    const draw = () => {
      const drawn = document.createDocumentFragment();
      for (const row of rows.slice(0, limit)) {
        const line = element("tr");
        line.append(...row.map(cell));
        drawn.append(line);
      }
      body.replaceChildren(drawn);
      more.hidden = rows.length <= limit;
      const all = rows.length === data.rows.length ? "" : " (of " + COUNT.format(data.rows.length) + ")";
      status.textContent = "Showing " + COUNT.format(Math.min(limit, rows.length)) + " of "
        + COUNT.format(rows.length) + (rows.length === 1 ? " item" : " items") + all + ".";
    };

    const kept = (row) => {
      const wanted = form.elements.show.value;
      const text = form.elements.text.value.trim().toLowerCase();
      if (text && !searched.some((at) => row[at] !== null && row[at].toLowerCase().includes(text))) return false;
      if (wanted === "all") return true;
      if (wanted === "worse") return row[change] !== null && row[change] < 0;
      if (wanted === "better") return row[change] > 0;
      if (wanted === "one side") return sides.some((at) => row[at] === null);
      return columns(wanted).some((at) => row[at] > 0) || outcomes.some((at) => row[at] === wanted);
    };

    const order = (one, other) => {
      const left = one[sorted.column];
      const right = other[sorted.column];
      if (left === null || right === null) return (left === null) - (right === null);
      const by = typeof left === "number" ? left - right : NAMES.compare(left, right);
      return sorted.down ? -by : by;
    };

    const update = () => {
      rows = data.rows.filter(kept);
      if (sorted.column >= 0) rows.sort(order);
      draw();
    };

    const sortBy = (column) => {
      const again = sorted.column === column;
      const numeric = !["text", "answer"].includes(data.kinds[column]);
      sorted = { column, down: again ? !sorted.down : numeric && data.kinds[column] !== "points" };
      headings.forEach((heading, at) => {
        if (at === column) heading.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
        else heading.removeAttribute("aria-sort");
      });
      update();
    };

    headings.forEach((heading, at) => {
      const button = element("button", heading.textContent);
      button.type = "button";
      button.addEventListener("click", () => sortBy(at));
      heading.replaceChildren(button);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => { limit = FIRST; update(); });
    more.addEventListener("click", (event) => {
      const wanted = event.target.dataset.more;
      if (wanted === undefined) return;
      limit = wanted === "all" ? Infinity : limit + Number(wanted);
      draw();
    });
    form.hidden = false;
    draw();
  };

  // A table is made when it is first looked at: a page of many items opens at once.
  for (const section of document.querySelectorAll("[data-items]")) {
    const holder = section.closest("details");
    let isReady = false;
    const ready = () => { if (!isReady) { isReady = true; setUp(section); } };
    if (holder === null || holder.open) ready();
    else holder.addEventListener("toggle", ready);
  }

  // What is folded on the screen stands on paper, but for the items.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not(.item-details):not([open])")];
    for (const folded of opened) folded.open = true;
  });
  addEventListener("afterprint", () => { for (const folded of opened) folded.open = false; });
})();
