/* The page: what is selected, searching, the text of the program, keys, mouse and touch. */

/** An element with a text; never with HTML, so that nothing of a program is taken for some. */
function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

class Page {
  constructor(data) {
    this.kinds = data.kinds;
    this.runs = data.runs.map((_, n) => new Run(data, n));
    this.timeline = new Timeline(document.getElementById("canvas"), this.runs);
    this.details = document.getElementById("details");
    this.found = document.getElementById("found");
    this.hits = [];
    this.hit = -1;
    this.legend();
    this.heats();
    this.listen();
    const first = document.querySelector(".verdict [data-line]");
    if (first) this.markLine(this.runs[0], first.dataset.line.split("-").slice(1).join("-"));
  }

  // -- what is drawn once

  legend() {
    const whats = new Set(this.runs.flatMap((run) => [...new Set(run.look)]));
    const names = ["other instructions", ...this.kinds];
    names[8] = "a unit made ready";
    names[9] = "descriptors made";
    names[10] = "a transfer";
    const legend = document.getElementById("legend");
    for (const look of [1, 2, 3, 4, 5, 6, 7, 0, 8, 9, 10]) {
      if (!whats.has(look) || !names[look]) continue;
      const one = element("span", names[look]);
      one.prepend(element("i", "", { class: `look${look}` }));
      legend.append(one);
    }
    for (const [kind, text] of [["hatch", "waits for what is named"], ["hatch dma", "waits for DMA"], ["line", "critical path"]]) {
      const one = element("span", text);
      one.prepend(element("i", "", { class: kind }));
      legend.append(one);
    }
  }

  /** The tensors whose values were kept, each as a picture with its scale. */
  heats() {
    for (const place of document.querySelectorAll(".heats")) {
      for (const heat of this.runs[Number(place.dataset.run)].heats) place.append(this.heat(heat));
    }
  }

  heat({ name, role, shape, block, low, high, shades, cells }) {
    const figure = element("figure");
    const canvas = element("canvas", "", { role: "img", "aria-label": `values of ${name}` });
    canvas.width = cells[0].length;
    canvas.height = cells.length;
    const pen = canvas.getContext("2d");
    const image = pen.createImageData(canvas.width, canvas.height);
    cells.flat().forEach((cell, n) => image.data.set([...shade(cell / shades), cell === -1 ? 0 : 255], 4 * n));
    pen.putImageData(image, 0, 0);
    const size = `[${shape.join(", ")}]`;
    const each = block[0] * block[1] > 1 ? `, a cell is ${block.join(" × ")} elements: the one farthest from 0` : "";
    const scale = low === null ? "no finite numbers" : `dark is ${low.toPrecision(4)}, light ${high.toPrecision(4)}`;
    figure.append(canvas, element("figcaption", `${role} ${name} ${size}: ${scale}${each}`));
    return figure;
  }

  // -- what is selected

  select(run, slice, { reveal = false, closer = false } = {}) {
    this.timeline.selected = run ? [run, slice] : null;
    if (run && reveal) this.timeline.reveal(run, slice, closer);
    else this.timeline.refresh();
    this.details.replaceChildren(...(run ? this.described(run, slice) : [element("p", "Nothing is selected.")]));
    if (run) this.markLine(run, run.lineOf(slice));
  }

  /** A slice in words, with links to others. */
  described(run, slice) {
    const { c } = run;
    const micro = (ticks) => timeText(run.micro(ticks), 6);
    const head = element("h3", run.text(slice, "text") || run.text(slice, "name"));
    const list = element("dl");
    const add = (name, ...parts) => {
      const value = element("dd");
      value.append(...parts.filter((part) => part !== ""));
      list.append(element("dt", name), value);
    };
    const lane = run.lanes[c.lane[slice]][0];
    const what = ["", "makes its unit ready", "waits for others", "has not started", "its descriptors", "its transfer"];
    add("where", `${lane}, pc ${c.form_pc[c.form[slice]]}`, what[c.what[slice]] ? `: ${what[c.what[slice]]}` : "");
    if (run.text(slice, "origin")) add("expanded from", run.text(slice, "origin"));
    if (run.lineOf(slice)) add("line", this.lineLink(run, run.lineOf(slice)));
    if (c.count[slice] > 1) {
      add("joined", `${c.count[slice].toLocaleString("en")} slices in ${micro(c.length[slice])}, at work for ${micro(c.busy[slice])}; this is the longest`);
    }
    if (c.what[slice] !== WHAT.NOT_STARTED) {
      add("time", `from ${micro(c.start[slice])} for ${micro(c.length[slice])}`, c.tail[slice] > c.length[slice] ? `, results after ${micro(c.tail[slice])}` : "");
    }
    if (c.size[slice]) {
      const rate = c.length[slice] ? c.size[slice] / run.micro(c.length[slice]) / 1e3 : 0;
      add("moved", `${c.size[slice].toLocaleString("en")} bytes, ${rate.toPrecision(3)} GB/s`);
    } else add("cost", run.text(slice, "cost"));
    this.waitDetails(run, slice, add, micro);
    return [head, list];
  }

  waitDetails(run, slice, add, micro) {
    const { c } = run;
    const wait = run.text(slice, "wait");
    if (c.wait[slice]) {
      add("waited", `${micro(c.wait[slice])} for ${run.waits[c.why[slice]] || "its turn"}`, wait ? ` (${wait})` : "");
    } else if (wait) add("needs", wait, " (held when its turn came)");
    const from = c.because[slice];
    if (from >= 0) add("let start by", this.sliceLink(run, from));
    if (run.text(slice, "update")) add("posts", run.text(slice, "update"));
    const next = this.timeline.followers(run, slice, 6);
    if (next.length) {
      const links = next.slice(0, 5).flatMap((one, n) => [n ? ", " : "", this.sliceLink(run, one)]);
      add("lets start", ...links, next.length > 5 ? " …" : "");
    }
  }

  sliceLink(run, slice) {
    const lane = run.lanes[run.c.lane[slice]][0];
    const made = element("button", `${run.text(slice, "name")} on ${lane} at ${timeText(run.micro(run.c.start[slice]), 5)}`, { type: "button" });
    made.addEventListener("click", () => this.select(run, slice, { reveal: true }));
    return made;
  }

  lineLink(run, key) {
    const [source, line] = key.split("-");
    const made = element("a", `${run.sources[source]}:${line}`, { href: `#L${run.number}-${key}` });
    made.dataset.line = `${run.number}-${key}`;
    return made;
  }

  // -- lines and searches

  /** Mark a line of the text, and scroll only the text to it. */
  markLine(run, key) {
    for (const row of document.querySelectorAll("tr.here")) row.classList.remove("here");
    const row = key && document.getElementById(`L${run.number}-${key}`);
    if (!row) return;
    row.classList.add("here");
    const box = row.closest(".scroll");
    if (row.offsetTop < box.scrollTop || row.offsetTop > box.scrollTop + box.clientHeight - 40) {
      box.scrollTop = row.offsetTop - box.clientHeight / 3;
    }
  }

  chooseLine(key) {
    const [number, source, line] = key.split("-");
    const run = this.runs[Number(number)];
    this.light(run, run.slicesOf(`${source}-${line}`), `line ${line}`);
    if (this.hits.length) this.selectLongest();
    else this.markLine(run, `${source}-${line}`);
  }

  light(run, slices, what) {
    this.hits = slices.map((slice) => [run, slice]);
    this.hit = -1;
    this.timeline.lit = slices.length ? [run, new Set(slices)] : null;
    this.found.textContent = what ? `${what}: ${slices.length.toLocaleString("en")} slice${slices.length === 1 ? "" : "s"}` : "";
    this.timeline.refresh();
  }

  search(text) {
    const run = this.runs.find((one) => one.matching(text).length) || this.runs[0];
    this.light(run, run.matching(text), text.trim());
  }

  /** The next or the previous of what was found. */
  step(by) {
    if (!this.hits.length) return;
    this.hit = (this.hit + by + this.hits.length) % this.hits.length;
    const [run, slice] = this.hits[this.hit];
    this.select(run, slice, { reveal: true });
    const count = `${(this.hit + 1).toLocaleString("en")} of ${this.hits.length.toLocaleString("en")}`;
    this.found.textContent = `${this.found.textContent.split(" · ")[0]} · ${count}`;
  }

  /** Select the longest of what was found, at the scale that is shown. */
  selectLongest() {
    const lengths = this.hits.map(([run, slice]) => run.c.length[slice]);
    this.hit = lengths.indexOf(lengths.reduce((a, b) => Math.max(a, b)));
    this.select(...this.hits[this.hit], { reveal: true });
  }

  chooseLane(key) {
    const [number, lane] = key.split(":").map(Number);
    const run = this.runs[number];
    const { slices } = run.tracks[lane];
    if (!slices.length) return;
    this.light(run, Array.from(slices), run.lanes[lane][0]);
    this.selectLongest();
  }

  // -- moving from slice to slice

  neighbour(by) {
    const [run, slice] = this.timeline.selected || [this.runs[0], -1];
    const track = slice < 0 ? run.tracks.find((one) => one.slices.length) : run.tracks[run.c.lane[slice]];
    if (!track) return;
    const at = track.slices.indexOf(slice);
    const next = track.slices[Math.min(track.slices.length - 1, Math.max(0, at + by))];
    this.select(run, next, { reveal: true });
  }

  otherLane(by) {
    const { timeline } = this;
    const lanes = timeline.bands.filter((band) => band.track);
    const [run, slice] = timeline.selected || [null, -1];
    const at = run ? lanes.findIndex((band) => band.track === run.tracks[run.c.lane[slice]]) : -1;
    const band = lanes[(at + by + lanes.length) % lanes.length];
    if (!band) return;
    const tick = run ? run.c.start[slice] : timeline.view[0] * band.run.ticks;
    const low = Math.min(band.track.slices.length - 1, firstAbove(band.track.starts, tick - 1, 0, band.track.slices.length));
    this.select(band.run, band.track.slices[low], { reveal: true });
  }

  backToCause() {
    const [run, slice] = this.timeline.selected || [null, -1];
    if (run && run.c.because[slice] >= 0) this.select(run, run.c.because[slice], { reveal: true });
  }

  // -- events

  listen() {
    const { canvas } = this.timeline;
    new Pointers(this, canvas);
    canvas.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || /^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
      event.preventDefault();
      document.getElementById("search").focus();
    });
    document.querySelector(".bar").addEventListener("click", (event) => {
      const what = event.target.dataset && event.target.dataset.do;
      if (what) this.act(what);
    });
    const search = document.getElementById("search");
    search.addEventListener("input", () => this.search(search.value));
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.step(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") canvas.focus();
    });
    const path = document.getElementById("show-path");
    path.addEventListener("change", () => {
      this.timeline.showPath = path.checked;
      this.timeline.refresh();
    });
    document.addEventListener("click", (event) => this.clickedLink(event));
    new ResizeObserver(() => this.timeline.restyle()).observe(canvas.parentElement);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.timeline.restyle());
  }

  clickedLink(event) {
    const place = event.target.closest && event.target.closest("[data-line],[data-lane]");
    if (!place) return;
    if (place.dataset.lane) this.chooseLane(place.dataset.lane);
    else {
      if (place.tagName === "A") event.preventDefault();
      this.chooseLine(place.dataset.line);
    }
  }

  act(what) {
    const { timeline } = this;
    if (what === "in") timeline.zoom(0.5);
    else if (what === "out") timeline.zoom(2);
    else if (what === "fit") timeline.show(0, timeline.end);
    else if (timeline.selected) timeline.reveal(...timeline.selected, true);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { timeline } = this;
    const far = event.shiftKey ? 0.8 : 0.15;
    const keys = {
      ArrowLeft: () => timeline.pan(-far),
      ArrowRight: () => timeline.pan(far),
      ArrowUp: () => timeline.zoom(0.7),
      ArrowDown: () => timeline.zoom(1 / 0.7),
      "+": () => timeline.zoom(0.5),
      "=": () => timeline.zoom(0.5),
      "-": () => timeline.zoom(2),
      Home: () => timeline.show(0, timeline.view[1] - timeline.view[0]),
      End: () => timeline.show(timeline.end, timeline.end + timeline.view[1] - timeline.view[0]),
      f: () => this.act("fit"),
      s: () => this.act("slice"),
      n: () => this.neighbour(1),
      p: () => this.neighbour(-1),
      w: () => this.backToCause(),
      "[": () => this.otherLane(-1),
      "]": () => this.otherLane(1),
      Enter: () => this.step(1),
      Escape: () => {
        this.light(this.runs[0], [], "");
        this.select(null, -1);
      },
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }
}

const SHADES = [[20, 11, 53], [87, 16, 110], [159, 42, 99], [212, 72, 66], [245, 125, 21], [250, 250, 110]];
const NOT_A_NUMBER = [0, 220, 255];

/** The colour of a cell from 0 to 1, which gets lighter; a NaN has one that is none of these. */
function shade(cell) {
  if (cell < 0) return NOT_A_NUMBER;
  const at = Math.min(SHADES.length - 1.0001, cell * (SHADES.length - 1));
  const [low, high] = [SHADES[Math.floor(at)], SHADES[Math.floor(at) + 1]];
  return low.map((one, n) => Math.round(one + (at % 1) * (high[n] - one)));
}

/** Mouse, pen and touch: one moves, two zoom, one that does not move selects. */
class Pointers {
  constructor(page, canvas) {
    Object.assign(this, { page, canvas, timeline: page.timeline, down: new Map(), moved: false });
    this.tip = document.getElementById("tip");
    canvas.addEventListener("pointerdown", (event) => this.begin(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.end(event));
    canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("dblclick", (event) => this.timeline.zoom(0.4, this.timeline.timeAt(event.offsetX)));
  }

  begin(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.down.set(event.pointerId, event.offsetX);
    if (this.down.size === 1) [this.from, this.moved] = [event.offsetX, false];
  }

  move(event) {
    const before = this.down.get(event.pointerId);
    if (before === undefined) return this.hover(event);
    const { timeline } = this;
    if (this.down.size === 1) {
      if (Math.abs(event.offsetX - this.from) > 4) this.moved = true;
      if (this.moved) timeline.show(...timeline.view.map((micro) => micro - (event.offsetX - before) / timeline.scale));
    } else this.pinch(event, before);
    this.down.set(event.pointerId, event.offsetX);
    this.tip.hidden = true;
  }

  pinch(event, before) {
    const [, other] = [...this.down].find(([id]) => id !== event.pointerId);
    this.moved = true;
    const [was, is] = [Math.abs(before - other), Math.abs(event.offsetX - other)];
    if (was > 4 && is > 4) this.timeline.zoom(was / is, this.timeline.timeAt((event.offsetX + other) / 2));
  }

  end(event) {
    const known = this.down.delete(event.pointerId);
    if (!known || this.moved || this.down.size || event.type === "pointercancel") return;
    const found = this.timeline.sliceAt(event.offsetX, event.offsetY);
    this.page.select(...(found || [null, -1]));
  }

  wheel(event) {
    const { timeline } = this;
    if (event.offsetX < LABELS) return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      timeline.pan((event.deltaX || event.deltaY) / timeline.width);
    } else timeline.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), timeline.timeAt(event.offsetX));
  }

  hover(event) {
    const { offsetX: x, offsetY: y } = event;
    const text = this.tipText(x, y);
    this.tip.hidden = !text;
    if (!text) return;
    this.tip.textContent = text;
    this.tip.style.left = `${Math.min(x + 14, this.timeline.width - this.tip.offsetWidth - 4)}px`;
    this.tip.style.top = `${y + 18}px`;
  }

  tipText(x, y) {
    const { timeline } = this;
    const found = timeline.sliceAt(x, y);
    if (found) {
      const [run, slice, waits] = found;
      const { length, wait, why, count } = run.c;
      if (waits) return `waits ${timeText(run.micro(wait[slice]))} for ${run.waits[why[slice]] || "its turn"} ${run.text(slice, "wait")}`;
      const many = count[slice] > 1 ? `${count[slice]} slices, the longest: ` : "";
      return `${many}${run.text(slice, "text")} · ${timeText(run.micro(length[slice]))}`;
    }
    const tensor = timeline.tensorAt(x, y);
    if (!tensor) return "";
    const [run, n] = tensor;
    const [name, , low, high] = run.tensors[run.c.live_tensor[n]];
    const long = timeText(run.micro(run.c.live_end[n] - run.c.live_begin[n]));
    return `${name}: bytes ${low.toLocaleString("en")} to ${high.toLocaleString("en")}, in use for ${long}`;
  }
}

const began = performance.now();
document.documentElement.classList.add("drawn");
decoded(document.getElementById("data").textContent.trim())
  .then((data) => {
    window.page = new Page(data);
    document.getElementById("stage").dataset.ready = (performance.now() - began).toFixed(0);
  })
  .catch((error) => {
    document.documentElement.classList.remove("drawn");
    document.getElementById("details").textContent = `The timeline cannot be drawn here: ${error.message}`;
  });
