"use strict";
(() => {
  const LIGHT = { ground: "#f7f7f2", road: "#e3e4e6", edge: "#8a8a8a", line: "#ffffff", other: "#5c7fa8", glass: "#d5e0ee",
    ego: "#c62828", plan: "#b26a00", recorded: "#2e7d32", ink: "#444444" };
  const DARK = { ground: "#1b1f23", road: "#30363d", edge: "#6b7480", line: "#59626c", other: "#7ea6d1", glass: "#22303f",
    ego: "#ff6b6b", plan: "#ffb74d", recorded: "#81c784", ink: "#c3cad2" };
  const asksDark = matchMedia("(prefers-color-scheme: dark)");
  let printing = false;
  const paint = () => (asksDark.matches && !printing ? DARK : LIGHT);
  const PER_METRE = 8;   // pixels at the least: on a narrow page the picture follows the ego
  const MARGIN = 1.5;
  const element = (name, about, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(about)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  // Metres to pixels: x along the road, y to its right, which is down.
  const viewOf = (drive, at, width) => {
    const { road } = drive, lowest = Math.max(...road.right.map(([, y]) => y)) + MARGIN, highest = road.left - MARGIN;
    const scale = Math.max(width / road.length, PER_METRE), seen = width / scale;
    const from = Math.min(Math.max(at[0] - seen / 2, 0), Math.max(road.length - seen, 0));
    return { scale, height: (lowest - highest) * scale, x: (x) => (x - from) * scale, y: (y) => (y - highest) * scale };
  };

  const lineOf = (pen, view, points, colour, width, dash = []) => {
    pen.beginPath();
    points.forEach(([x, y], i) => pen[i ? "lineTo" : "moveTo"](view.x(x), view.y(y)));
    pen.strokeStyle = colour; pen.lineWidth = width; pen.setLineDash(dash); pen.stroke(); pen.setLineDash([]);
  };

  const bodyOf = (pen, view, [x, y, length, width, heading], colour, glass) => {
    pen.save();
    pen.translate(view.x(x), view.y(y));
    pen.rotate(heading);
    const [l, w] = [length * view.scale, width * view.scale];
    pen.fillStyle = colour; pen.fillRect(-l / 2, -w / 2, l, w);
    pen.fillStyle = glass; pen.fillRect(l / 2 - Math.min(1.5 * view.scale, l / 3), -0.4 * w, 0.6 * view.scale, 0.8 * w);
    pen.restore();
  };

  const roadOf = (pen, view, road, colours, width) => {
    pen.fillStyle = colours.ground; pen.fillRect(0, 0, width, view.height);
    pen.beginPath();
    pen.moveTo(view.x(0), view.y(road.left)); pen.lineTo(view.x(road.length), view.y(road.left));
    for (const [x, y] of [...road.right].reverse()) pen.lineTo(view.x(x), view.y(y));
    pen.fillStyle = colours.road; pen.fill();
    lineOf(pen, view, [[0, road.left], [road.length, road.left]], colours.edge, 1);
    lineOf(pen, view, road.right, colours.edge, 1);
    for (const y of road.lines) lineOf(pen, view, [[0, y], [road.length, y]], colours.line, 1.5, [10, 10]);
    const lowest = Math.max(...road.right.map(([, y]) => y));
    for (const x of road.zone) lineOf(pen, view, [[x, road.left], [x, lowest]], colours.ink, 1, [4, 4]);
  };

  const drawn = (canvas, drive, i) => {
    const width = canvas.clientWidth, dense = devicePixelRatio || 1, colours = paint();
    const [x, y, heading] = drive.ego[i], [length, across] = drive.size;
    const view = viewOf(drive, [x, y], width), pen = canvas.getContext("2d");
    canvas.width = Math.round(width * dense); canvas.height = Math.round(view.height * dense);
    canvas.style.height = view.height + "px";
    pen.scale(dense, dense);
    roadOf(pen, view, drive.road, colours, width);
    lineOf(pen, view, drive.recorded, colours.recorded, 1.5, [2, 4]);
    for (const other of drive.others[i]) bodyOf(pen, view, other, colours.other, colours.glass);
    const centre = [x + (length / 2) * Math.cos(heading), y + (length / 2) * Math.sin(heading)];
    bodyOf(pen, view, [...centre, length, across, heading], colours.ego, colours.glass);
    lineOf(pen, view, drive.ego.slice(0, i + 1), colours.ego, 2);
    if (drive.plans[i].length) lineOf(pen, view, [[x, y], ...drive.plans[i]], colours.plan, 3);
  };

  const shown = [];
  const show = (place, drive) => {
    const last = drive.seconds.length - 1, title = drive.title;
    const canvas = element("canvas", { role: "img", "aria-label": title });
    const slider = element("input", { type: "range", min: 0, max: last, value: 0, step: 1, "aria-label": `time, ${title}` });
    const button = element("button", { type: "button" }, "Play"), output = element("output", {});
    const draw = () => {
      const i = Number(slider.value);
      drawn(canvas, drive, i);
      output.textContent = `${drive.seconds[i].toFixed(1)} s, ${drive.speeds[i].toFixed(1)} m/s`;
      slider.setAttribute("aria-valuetext", output.textContent);
    };
    let timer = 0;
    const stop = () => { clearInterval(timer); timer = 0; button.textContent = "Play"; };
    const step = () => {
      slider.value = Number(slider.value) + 1;
      draw();
      if (Number(slider.value) >= last) stop();
    };
    button.addEventListener("click", () => {
      if (timer) return stop();
      if (Number(slider.value) >= last) slider.value = 0;
      button.textContent = "Pause";
      const pause = last ? (1000 * (drive.seconds[last] - drive.seconds[0])) / last : 100;
      timer = setInterval(step, Math.max(pause, 20));
    });
    slider.addEventListener("input", () => { stop(); draw(); });
    place.append(element("figcaption", {}, title), canvas, element("div", { class: "player" }, button, slider, output));
    new ResizeObserver(draw).observe(place);
    shown.push(draw);
  };

  const drives = JSON.parse(document.getElementById("drives").textContent);
  document.querySelectorAll("figure.drive").forEach((place, i) => show(place, drives[i]));
  const repaint = () => shown.forEach((draw) => draw());
  asksDark.addEventListener("change", repaint);
  addEventListener("beforeprint", () => { printing = true; repaint(); });
  addEventListener("afterprint", () => { printing = false; repaint(); });
})();
