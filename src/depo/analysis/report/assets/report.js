"use strict";
(() => {
  // Okabe and Ito's colours, told apart by most eyes; brighter ones on dark paper.
  const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#3a7ca5", "#882255", "#555555"];
  const DARK = ["#56b4e9", "#ff8c42", "#2ecc9b", "#e39ac4", "#f0e442", "#9ecae1", "#e06c9f", "#bbbbbb"];
  const DASHES = { expert: [8, 5], random: [2, 4], foreign: [6, 3] };
  const asksDark = matchMedia("(prefers-color-scheme: dark)");
  let printing = false;
  const isDark = () => asksDark.matches && !printing;
  const colour = (i) => (isDark() ? DARK : LIGHT)[i % LIGHT.length];
  const ink = () => (isDark() ? "#9aa5b1" : "#5b6570");
  const rule = () => (isDark() ? "#2a3037" : "#e6e9ed");
  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const short = (value, digits = 3) => {
    const size = Math.abs(value);
    if (size >= 1e12) return value.toExponential(digits - 2);
    if (size >= 1e6) return +(value / 1e6).toPrecision(digits) + "M";
    if (size >= 1e4) return +(value / 1e3).toPrecision(digits) + "k";
    return size && size < 1e-3 ? value.toExponential(digits - 3) : String(+value.toPrecision(digits + 1));
  };
  // As many digits as tell the ticks apart.
  const ticks = (at) => {
    const known = at.filter((v) => v != null);
    let digits = 3;
    while (digits < 9 && new Set(known.map((v) => short(v, digits))).size < known.length) digits += 1;
    return at.map((v) => (v == null ? "" : short(v, digits)));
  };

  // A curve is three series (low, high, middle) and a band between the first two.
  const seriesOf = (chart) => {
    const series = [{}], data = [chart.steps], bands = [];
    const entries = chart.curves.map((curve, i) => {
      const first = series.length, faint = { show: true, width: 0, points: { show: false }, spanGaps: true };
      series.push({ ...faint }, { ...faint });
      bands.push({ series: [first + 1, first], fill: () => colour(i) + "2e", dir: -1 });
      series.push({ label: curve.label, stroke: () => colour(i), width: 2, spanGaps: true,
        dash: curve.foreign ? DASHES.foreign : undefined,
        points: { show: curve.middle.filter((v) => v != null).length < 2 || undefined, stroke: () => colour(i) } });
      data.push(curve.low, curve.high, curve.middle);
      const said = curve.label + (curve.seeds > 1 ? ` (${curve.seeds} seeds)` : "");
      return { label: said, title: curve.about, rows: [first, first + 1, first + 2], value: first + 2,
        paint: () => colour(i), dash: curve.foreign ? DASHES.foreign : null };
    });
    for (const line of chart.lines) {
      entries.push({ label: line.label, rows: [series.length], value: series.length, paint: ink, dash: DASHES[line.label] });
      series.push({ label: line.label, stroke: ink, width: 1.5, dash: DASHES[line.label], points: { show: false } });
      data.push(chart.steps.map(() => line.value));
    }
    return { series, data, bands, entries };
  };

  const sample = (entry) => {
    const ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg");
    svg.setAttribute("width", "22"); svg.setAttribute("height", "10"); svg.setAttribute("aria-hidden", "true");
    const line = document.createElementNS(ns, "line");
    for (const [name, value] of [["x1", 0], ["x2", 22], ["y1", 5], ["y2", 5], ["stroke-width", 3]]) line.setAttribute(name, value);
    if (entry.dash) line.setAttribute("stroke-dasharray", entry.dash.join(" "));
    const paint = () => line.setAttribute("stroke", entry.paint());
    paint();
    svg.append(line);
    return { svg, paint };
  };

  const legendOf = (entries, plot) => {
    const list = element("ul", "", "legend"), outputs = [], paints = [];
    for (const entry of entries) {
      const button = element("button"), output = element("output"), drawn = sample(entry);
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      if (entry.title) button.title = entry.title;
      button.append(drawn.svg, element("span", entry.label, "name"), output);
      button.addEventListener("click", () => {
        const show = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(show));
        plot().batch(() => entry.rows.forEach((row) => plot().setSeries(row, { show })));
      });
      const item = element("li");
      item.append(button);
      list.append(item);
      outputs.push([output, entry.value]);
      paints.push(drawn.paint);
    }
    return { list, outputs, repaint: () => paints.forEach((paint) => paint()) };
  };

  const plots = [];
  const draw = (place, chart) => {
    const { series, data, bands, entries } = seriesOf(chart);
    let plot;
    const legend = legendOf(entries, () => plot);
    const title = element("h3", chart.title);
    title.title = chart.about;
    place.append(title);
    const axis = { stroke: ink, grid: { stroke: rule, width: 1 }, ticks: { stroke: rule, width: 1 } };
    const size = () => ({ width: Math.max(260, place.clientWidth), height: Math.max(220, Math.min(340, place.clientWidth * 0.62)) });
    const say = (u) => legend.outputs.forEach(([output, row]) => {
      const index = u.cursor.idx, value = index == null ? null : u.data[row][index];
      output.textContent = value == null ? "" : short(value);
    });
    plot = new uPlot({ ...size(), series, bands, legend: { show: false }, hooks: { setCursor: [say] },
      scales: { x: { time: false }, y: chart.logarithmic ? { distr: 3 } : {} },
      axes: [{ ...axis, label: "environment steps", size: 34, labelSize: 20, values: (u, at) => ticks(at) },
             { ...axis, size: (u, said) => Math.max(58, 16 + 7 * Math.max(0, ...(said ?? []).map((v) => v.length))), values: (u, at) => ticks(at) }],
      cursor: { points: { size: 6 } } }, data, place);
    place.append(legend.list);
    new ResizeObserver(() => { const now = size(); if (now.width !== plot.width) plot.setSize(now); }).observe(place);
    plots.push(() => { plot.redraw(false, true); legend.repaint(); });
  };

  const key = (row, column) => {
    const cell = row.cells[column];
    if (!cell) return "";
    if (cell.dataset.value === undefined) return cell.textContent.trim().toLowerCase();
    const number = Number(cell.dataset.value);
    return Number.isNaN(number) ? Infinity : number;
  };
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? (a < b ? -1 : a > b ? 1 : 0)
    : String(a).localeCompare(String(b), "en", { numeric: true });
  const sortable = (table) => {
    const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
    if (body.rows.length < 2) return;
    heads.forEach((head, column) => {
      const button = element("button", head.textContent);
      button.type = "button";
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...body.rows].sort((a, b) => compare(key(a, column), key(b, column)) * (down ? -1 : 1));
        body.append(...rows);
      });
    });
  };

  const charts = JSON.parse(document.getElementById("charts").textContent);
  document.querySelectorAll("figure.chart").forEach((place, i) => draw(place, charts[i]));
  document.querySelectorAll("table.sortable").forEach(sortable);
  const repaint = () => plots.forEach((again) => again());
  asksDark.addEventListener("change", repaint);
  addEventListener("beforeprint", () => { printing = true; repaint(); document.querySelectorAll("details").forEach((d) => { d.dataset.was = d.open; d.open = true; }); });
  addEventListener("afterprint", () => { printing = false; repaint(); document.querySelectorAll("details").forEach((d) => { d.open = d.dataset.was === "true"; }); });
})();
