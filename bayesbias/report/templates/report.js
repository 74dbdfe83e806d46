"use strict";
// Sorting, filtering and pointing. Without it the page is the same, but still.
(() => {
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

  // Tables: a click on a column's head sorts, a second one turns the order.
  const collator = new Intl.Collator("en", { numeric: true });
  for (const table of all("table.sortable")) {
    const heads = all("thead th", table);
    heads.forEach((head, column) => {
      // A span, since Chromium leaves real buttons out of heads that paper repeats.
      const sorter = document.createElement("span");
      sorter.className = "sorter";
      sorter.tabIndex = 0;
      sorter.setAttribute("role", "button");
      sorter.textContent = head.textContent;
      head.replaceChildren(sorter);
      sorter.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        sorter.click();
      });
      sorter.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        sort(table.tBodies[0], column, down ? -1 : 1);
      });
    });
  }
  function sort(body, column, sign) {
    const rows = [...body.rows].map((row) => {
      const cell = row.cells[column];
      const number = cell.dataset.value;
      return { row, isNumber: number !== undefined, key: number === undefined ? cell.textContent.trim() : number };
    });
    rows.sort((a, b) => {
      if (!a.isNumber) return sign * collator.compare(a.key, b.key);
      if (a.key === "" || b.key === "") return (a.key === "") - (b.key === "");  // unknown ones last
      return sign * (Number(a.key) - Number(b.key));
    });
    body.append(...rows.map((entry) => entry.row));
  }

  // Filters: words by text or by tick, connections by tick; figure and table follow.
  for (const explorer of all(".explorer")) {
    const controls = explorer.querySelector(".controls");
    controls.hidden = false;
    const rows = all("tbody tr", explorer);
    const lines = all(".row[data-word]", explorer);
    const words = all("input.word", controls);
    function update() {
      const terms = controls.querySelector(".filter").value.toLowerCase().split(/[,\s]+/).filter(Boolean);
      const connections = new Set(all("input.connection:checked", controls).map((box) => box.value));
      const ticked = new Set(words.filter((box) => box.checked).map((box) => box.value));
      const known = new Set(words.map((box) => box.value));
      const isWanted = ({ word, group }) =>
        (!known.has(word) || ticked.has(word)) &&
        (!terms.length || terms.some((term) => word.toLowerCase().includes(term) || group.toLowerCase().includes(term)));
      for (const row of rows) row.hidden = !(isWanted(row.dataset) && connections.has(row.dataset.connection));
      for (const line of lines) line.hidden = known.has(line.dataset.word) && !isWanted(line.dataset);
      for (const forest of all(".forest[data-connection]", explorer)) {
        forest.hidden = !connections.has(forest.dataset.connection);
      }
      const offered = new Set(all("input.connection", controls).map((box) => box.value));
      for (const mark of all(".mark", explorer)) {
        const isHidden = offered.has(mark.dataset.look) && !connections.has(mark.dataset.look);
        mark.toggleAttribute("hidden", isHidden);
      }
      const shown = rows.filter((row) => !row.hidden).length;
      controls.querySelector(".status").textContent = `${shown} of ${rows.length} rows shown`;
    }
    controls.addEventListener("input", update);
    for (const [name, value] of [["all", true], ["none", false]]) {
      controls.querySelector(`button.${name}`).addEventListener("click", () => {
        words.forEach((box) => { box.checked = value; });
        update();
      });
    }
    update();
  }

  // Figures: pointing at a mark, or moving to it with the arrow keys, shows its numbers.
  const tip = document.getElementById("tip");
  let current = null;
  function show(mark) {
    current = mark;
    const box = mark.querySelector("path").getBoundingClientRect();
    tip.textContent = mark.getAttribute("aria-label");
    tip.hidden = false;
    const left = Math.min(Math.max(box.x + box.width / 2 - tip.offsetWidth / 2, 6), document.documentElement.clientWidth - tip.offsetWidth - 6);
    const above = box.y - tip.offsetHeight - 8;
    tip.style.left = `${left}px`;
    tip.style.top = `${above < 4 ? box.bottom + 8 : above}px`;
  }
  function hide() { current = null; tip.hidden = true; }
  for (const forest of all(".forest")) {
    const marks = all(".mark", forest);
    const first = marks[0];
    if (first) first.setAttribute("tabindex", "0");
    for (const mark of marks) {
      mark.addEventListener("pointerenter", () => show(mark));
      mark.addEventListener("pointerleave", hide);
      mark.addEventListener("focus", () => show(mark));
      mark.addEventListener("blur", hide);
    }
    forest.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return hide();
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const visible = marks.filter((mark) => mark.getClientRects().length);
      const next = visible[visible.indexOf(document.activeElement) + step];
      if (next) { event.preventDefault(); next.focus(); }
    });
  }
  addEventListener("scroll", () => { if (current) show(current); }, { passive: true });
})();
