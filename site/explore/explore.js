// A chart that moves. Bundled with Vega, whose `vegaEmbed` is in scope as CONFIG is; loaded by a click on Explore.

const VEGA = { ast: true, renderer: "svg", actions: false, defaultStyle: false, mode: "vega-lite" };
const WHEEL = "wheel![event.ctrlKey || event.metaKey || event.altKey]";
const CONTINUOUS = new Set(["quantitative", "temporal"]);

const parts = (spec) => spec.concat || spec.hconcat || spec.vconcat;
const units = (spec) => (parts(spec) || spec.layer || []).flatMap(units).concat(spec.encoding ? [spec] : []);

// Every chart in a figure of several.
const views = (spec) => (parts(spec) ? parts(spec).flatMap(views) : [spec]);

const zoomable = (unit) =>
  ["x", "y"].filter((name) => {
    const channel = unit.encoding[name] || {};
    return channel.field && CONTINUOUS.has(channel.type) && channel.axis !== null;
  });

// Let every mark that stands for one datum tell it: in the mark itself, or other layers' marks cannot be pointed at.
const withNumbers = (spec) => {
  for (const unit of units(spec)) {
    const mark = typeof unit.mark === "string" ? { type: unit.mark } : unit.mark;
    if (mark.type !== "line" && mark.type !== "text") unit.mark = { ...mark, tooltip: { content: "data" } };
  }
};

// Let one layer of each chart be moved and zoomed; returns the names of the signals that do it.
const withZoom = (spec) =>
  views(spec).flatMap((view, index) => {
    const unit = units(view).find((one) => zoomable(one).length);
    if (!unit) return [];
    const name = `zoom${index}`;
    const select = { type: "interval", encodings: zoomable(unit), zoom: WHEEL };
    unit.params = [...(unit.params || []), { name, select, bind: "scales" }];
    for (const one of units(view)) if (one.mark.type === "text") one.mark.clip = false;
    return [{ name, ranges: zoomable(unit).map((channel) => `${name}_${unit.encoding[channel].field}`) }];
  });

// Let all but one series fade; returns the series' names.
const withHighlight = (spec) => {
  const found = new Set();
  for (const unit of units(spec)) {
    const color = unit.encoding.color || {};
    const series = color.scale && color.scale.domain;
    if (!color.field || !Array.isArray(series) || unit.encoding.opacity) continue;
    series.forEach((name) => found.add(name));
    const test = `only === null || datum[${JSON.stringify(color.field)}] === only`;
    unit.encoding.opacity = { condition: { test, value: 1 }, value: 0.12 };
  }
  if (found.size) spec.params = [...(spec.params || []), { name: "only", value: null }];
  return [...found];
};

// All data marks with their place in the drawing, by row and then by column.
const points = (group, x = 0, y = 0) =>
  (group.items || [])
    .flatMap((item) => {
      if (item.marktype === "group" || item.items) {
        return points(item, x + (item.x || 0), y + (item.y || 0));
      }
      const mark = group.marktype;
      if (group.role !== "mark" || !item.tooltip || (mark !== "symbol" && mark !== "rect")) return [];
      const { x1, x2, y1, y2 } = item.bounds;
      return [{ value: item.tooltip, x: x + (x1 + x2) / 2, y: y + (y1 + y2) / 2 }];
    })
    .sort((a, b) => Math.round(a.y - b.y) || a.x - b.x);

// What places a mark and says nothing, and what is told first.
const UNSAID = new Set(["x", "y", "place", "text", "says"]);
const FIRST = ["name", "arm"];
const INNER = /^_|_(sort_index|start|end)$/; // what Vega-Lite adds

const written = (name, part) => {
  if (name === "at") return new Date(part).toISOString().slice(0, 10);
  return typeof part === "number" ? Number(part.toPrecision(4)).toLocaleString("en") : String(part);
};

const words = (value) => {
  const names = Object.keys(value).filter((name) => !UNSAID.has(name) && !INNER.test(name) && !FIRST.includes(name));
  const told = FIRST.filter((name) => name in value).map((name) => written(name, value[name]));
  return [...told, ...names.map((name) => `${name} ${written(name, value[name])}`)].join(" · ");
};

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

const button = (label, act) => {
  const made = element("button", { type: "button", class: "tool" }, label);
  made.addEventListener("click", () => act(made));
  return made;
};

// A ring around the point that the keyboard has reached.
const ring = (stage, point) => {
  stage.querySelectorAll(".ring").forEach((old) => old.remove());
  const ground = stage.querySelector("svg > g");
  if (!point || !ground) return;
  const made = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  for (const [key, value] of Object.entries({ class: "ring", cx: point.x, cy: point.y, r: 9 })) {
    made.setAttribute(key, value);
  }
  ground.append(made);
};

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

const walk = (view, stage, said) => {
  let place = -1;
  stage.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = points(view.scenegraph().root);
    if (event.key in STEPS) place = (place + STEPS[event.key] + all.length + (place < 0 && STEPS[event.key] < 0)) % all.length;
    else if (event.key === "Home") place = 0;
    else if (event.key === "End") place = all.length - 1;
    else return;
    event.preventDefault();
    if (!all.length) return;
    ring(stage, all[place]);
    said.textContent = words(all[place].value);
  });
  stage.addEventListener("blur", () => ring(stage, null));
};

const highlighter = (view, stage, series) => {
  const buttons = series.map((name) => button(name, () => choose(name)));
  const choose = (name) => {
    const next = view.signal("only") === name ? null : name;
    view.signal("only", next).runAsync();
    buttons.forEach((one, index) => one.setAttribute("aria-pressed", String(series[index] === next)));
  };
  buttons.forEach((one) => one.setAttribute("aria-pressed", "false"));
  stage.addEventListener("click", (event) => {
    const item = event.target.__data__;
    const mark = item && item.mark;
    if (mark && /^legend-(symbol|label)$/.test(mark.role) && series.includes(item.datum.value)) choose(item.datum.value);
  });
  return buttons;
};

const zoomer = (view, stage, zooms) => {
  const signals = view.getState({ signals: () => true, data: () => false }).signals || {};
  const reached = zooms.filter(({ name }) => `${name}_zoom_delta` in signals); // not those of a part of a figure
  if (!reached.length) return [];
  let count = 0;
  const by = (factor) => () => {
    ring(stage, null);
    count += 1; // the same factor twice would be no change
    for (const { name } of reached) view.signal(`${name}_zoom_anchor`, {}).signal(`${name}_zoom_delta`, factor + count * 1e-9);
    view.runAsync();
  };
  const reset = () => {
    ring(stage, null);
    for (const range of reached.flatMap(({ ranges }) => ranges)) view.signal(range, null);
    view.runAsync();
  };
  return [button("Zoom in", by(0.7)), button("Zoom out", by(1 / 0.7)), button("Whole chart", reset)];
};

// Draw a specification into `place`; returns a function that takes it away again.
window.mmbenchExplore = async (place, made, title) => {
  const spec = structuredClone(made);
  withNumbers(spec);
  const zooms = withZoom(spec);
  const series = withHighlight(spec);
  const label = `${title}. Arrow keys go from point to point.`;
  const canvas = element("div", { "aria-hidden": "true" });
  const stage = element("div", { class: "stage", role: "application", tabindex: "0", "aria-label": label }, canvas);
  const said = element("p", { class: "said", role: "status" });
  const tools = element("div", { class: "tools" });
  place.append(tools, stage, said);
  const tooltip = (_, event, item, value) => {
    if (value && typeof value === "object") said.textContent = words(value);
  };
  const { view, finalize } = await vegaEmbed(canvas, { ...spec, config: CONFIG }, { ...VEGA, tooltip });
  tools.append(...highlighter(view, stage, series), ...zoomer(view, stage, zooms));
  const wheel = zooms.length ? " Drag moves the chart; the wheel zooms while Ctrl or Alt is held." : "";
  said.textContent = `Point at a mark, or use the arrow keys.${wheel}`;
  walk(view, stage, said);
  return finalize;
};
