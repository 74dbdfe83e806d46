"use strict";
// Choice of list and group, links from words to rows, and files of what is shown.
const all = (selector, from = document) => [...from.querySelectorAll(selector)];

function choose() {
  const list = document.getElementById("choice-list")?.value ?? "";
  const group = document.getElementById("choice-group")?.value ?? "";
  for (const row of all(".chart tbody tr")) {
    const {list: ofList, group: ofGroup} = row.dataset;
    row.hidden = (list && ofList && ofList !== list) || (group && ofGroup && ofGroup !== group);
    for (const mark of all("[data-group]", row))
      mark.classList.toggle("dim", Boolean(group && mark.dataset.group !== group));
  }
  const rows = all(".chart tbody tr");
  const status = document.getElementById("status");
  if (status) status.textContent = `${rows.filter(row => !row.hidden).length} of ${rows.length} rows`;
}

function reveal() {
  const row = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!row || row.tagName !== "TR") return;
  for (const select of all("select")) select.value = "";
  choose();
  all("tr.chosen").forEach(other => other.classList.remove("chosen"));
  row.classList.add("chosen");
  row.scrollIntoView({block: "center"});
}

function save(name, text, kind) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type: kind}));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

const quoted = text => {
  // A spreadsheet would run a text that begins as a formula and calls something.
  const safe = /^'*\s*[-=+@].*[(|]/s.test(text) ? "'" + text : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

function saveCsv(button) {
  const table = document.getElementById(button.dataset.csv);
  const lines = [all("thead th", table).map(cell => quoted(cell.dataset.key))];
  for (const row of all("tbody tr", table))
    lines.push([...row.cells].map(cell => cell.dataset.value ?? quoted(cell.textContent)));
  save(`${button.dataset.csv}.csv`, lines.map(line => line.join(",") + "\r\n").join(""), "text/csv");
}

function withColours(svg) {
  // A file has no style sheet, so that names of colours become colours.
  const look = getComputedStyle(document.documentElement);
  return svg.replace(/var\((--[a-z0-9]+)\)/g, (_, name) => look.getPropertyValue(name).trim());
}

function saveFigure() {
  const svg = all("figure svg").find(one => one.getClientRects().length);
  save("figure.svg", withColours(svg.outerHTML), "image/svg+xml");
}

function saveChart(button) {
  const chart = document.getElementById(button.dataset.svg);
  const rows = all("tbody tr", chart).filter(row => !row.hidden && row.getClientRects().length);
  const look = getComputedStyle(document.documentElement), parts = [];
  const say = (x, y, text, more = "") => {
    const safe = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    parts.push(`<text x="${x}" y="${y}" ${more}>${safe}</text>`);
  };
  say(0, 14, chart.dataset.title, 'font-weight="bold"');
  rows.forEach((row, i) => {
    const y = 36 + 18 * i, at = percent => 150 + 3.2 * parseFloat(percent);
    say(142, y + 4, row.dataset.word, 'text-anchor="end"');
    for (const part of all(".bar, .mark", row)) {
      const colour = getComputedStyle(part).color, {left, width} = part.style;
      if (part.classList.contains("bar"))
        parts.push(`<rect x="${at(left)}" y="${y - 1}" width="${3.2 * parseFloat(width)}" height="2" fill="${colour}"/>`);
      else say(at(left), y + 4, part.textContent, `text-anchor="middle" fill="${colour}"`);
    }
  });
  const bottom = 36 + 18 * rows.length;
  for (const tick of all(".axis [data-at]", chart))
    say(150 + 3.2 * parseFloat(tick.dataset.at), bottom + 4, tick.textContent, 'text-anchor="middle"');
  const ink = look.getPropertyValue("--ink").trim();
  save(`${button.dataset.svg}.svg`,
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 ${bottom + 14}" font-family="sans-serif"` +
    ` font-size="12" fill="${ink}">${parts.join("")}</svg>`, "image/svg+xml");
}

all("select").forEach(select => select.addEventListener("change", choose));
all("[data-csv]").forEach(button => button.addEventListener("click", () => saveCsv(button)));
all("[data-svg]").forEach(button => button.addEventListener("click", () => saveChart(button)));
all("[data-figure]").forEach(button => button.addEventListener("click", saveFigure));
addEventListener("hashchange", reveal);
document.documentElement.classList.add("script");
choose();
reveal();
