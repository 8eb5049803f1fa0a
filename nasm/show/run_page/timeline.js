/* The timeline: draws what is visible of the runs on one canvas, and finds what is at a place. */

const LABELS = 104; // pixels of the names of lanes
const AXIS = 22;
const HIGH = 22; // of a lane with one row
const ROW = 11; // of each of several rows
const GAP = 4;
const CHART = 54; // of a curve
const LEAST = 0.01; // microseconds that are visible at the least: 10 ns

/** The colours of the page, as its style sheet has them. */
function theme() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(`--${name}`).trim();
  const looks = Array.from({ length: 11 }, (_, n) => value(`look${n}`));
  const names = ["ground", "ink", "dim", "grid", "path", "mark", "stripe", "hatch", "area"];
  const lives = [0, 1, 2].map((n) => value(`live${n}`));
  return { looks, lives, ...Object.fromEntries(names.map((name) => [name, value(name)])) };
}

/** A hatched pattern: lines that rise, or crossed lines for DMA. */
function hatch(context, colour, crossed) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const pen = tile.getContext("2d");
  pen.strokeStyle = colour;
  pen.beginPath();
  for (const shift of [-6, 0, 6]) {
    pen.moveTo(shift, 6);
    pen.lineTo(shift + 6, 0);
    if (crossed) {
      pen.moveTo(shift, 0);
      pen.lineTo(shift + 6, 6);
    }
  }
  pen.stroke();
  return context.createPattern(tile, "repeat");
}

class Timeline {
  constructor(canvas, runs) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.runs = runs;
    this.end = Math.max(...runs.map((run) => run.micro(run.end)));
    this.view = [0, this.end];
    this.selected = null; // [run, slice]
    this.lit = null; // [run, Set of slices] that a line or a search has
    this.showPath = true;
    this.drawn = 0;
    this.layout();
    this.restyle();
  }

  /** Where every lane and every chart is, from the top down. */
  layout() {
    this.bands = [];
    this.lanes = new Map(); // the band of each lane
    let y = 0;
    const add = (kind, high, more) => {
      this.bands.push({ kind, y, high, ...more });
      y += high + GAP;
    };
    for (const run of this.runs) {
      if (this.runs.length > 1) add("title", 16, { run, name: `${run.label}: ${run.title}` });
      add("axis", AXIS, { run, name: "" });
      for (const track of run.tracks) {
        if (!track.slices.length) continue;
        const high = track.rows === 1 ? HIGH : Math.max(HIGH, track.rows * ROW);
        add("lane", high, { run, track, name: track.name });
        this.lanes.set(track, this.bands.at(-1));
      }
      if (run.c.moved_bytes.length > 2) add("traffic", CHART, { run, name: "DMA bytes/s" });
      run.memories.forEach(([name, core], memory) => {
        const tensors = new Set(run.c.live_tensor);
        if (![...tensors].some((n) => run.tensors[n][1] === memory)) return;
        const several = run.memories.some(([, other]) => other > 0);
        add("memory", CHART * 1.5, { run, memory, name: several ? `${core}.${name}` : name });
      });
      y += 6;
    }
    this.height = y;
  }

  /** Take the colours and the size of the page. */
  restyle() {
    this.colours = theme();
    this.ratio = window.devicePixelRatio || 1;
    this.width = Math.max(2 * LABELS, this.canvas.parentElement.clientWidth); // 0 where it is hidden
    this.canvas.width = Math.round(this.width * this.ratio);
    this.canvas.height = Math.round(this.height * this.ratio);
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${this.height}px`;
    this.hatches = [false, true].map((crossed) => hatch(this.context, this.colours.hatch, crossed));
    this.draw();
  }

  // -- places

  get scale() {
    return (this.width - LABELS) / (this.view[1] - this.view[0]);
  }

  x(micro) {
    return LABELS + (micro - this.view[0]) * this.scale;
  }

  timeAt(x) {
    return this.view[0] + (x - LABELS) / this.scale;
  }

  /** Show what is between two times, as far as there is a run there. */
  show(begin, end) {
    const least = Math.min(LEAST, this.end);
    const long = Math.min(this.end, Math.max(least, end - begin));
    const first = Math.min(Math.max(0, begin), this.end - long);
    this.view = [first, first + long];
    this.refresh();
  }

  zoom(factor, around = (this.view[0] + this.view[1]) / 2) {
    const [begin, end] = this.view;
    const long = Math.min(this.end, Math.max(Math.min(LEAST, this.end), (end - begin) * factor));
    const part = (around - begin) / (end - begin);
    this.show(around - part * long, around + (1 - part) * long);
  }

  pan(part) {
    const [begin, end] = this.view;
    this.show(begin + part * (end - begin), end + part * (end - begin));
  }

  /** Bring a slice into view, with room around it. */
  reveal(run, slice, closer = false) {
    const { start, length, tail, wait } = run.c;
    const begin = run.micro(start[slice] - (closer ? wait[slice] : 0));
    const end = run.micro(start[slice] + Math.max(length[slice], tail[slice]));
    const [low, high] = this.view;
    const long = Math.max(end - begin, LEAST);
    if (closer) this.show(begin - long, end + long);
    else if (long * 2000 < high - low) this.show(begin - 50 * long, end + 50 * long);
    else if (begin < low || end > high) this.show(begin - (high - low) / 3, begin + ((high - low) * 2) / 3);
    else this.refresh();
  }

  refresh() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  // -- drawing

  draw() {
    const began = performance.now();
    const pen = this.context;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.fillStyle = this.colours.ground;
    pen.fillRect(0, 0, this.width, this.height);
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    for (const band of this.bands) this.drawBand(pen, band);
    pen.save();
    pen.beginPath();
    pen.rect(LABELS, 0, this.width - LABELS, this.height);
    pen.clip();
    if (this.showPath) for (const run of this.runs) this.drawPath(pen, run);
    if (this.selected) this.drawArrows(pen, ...this.selected);
    pen.restore();
    this.drawn = performance.now() - began;
    this.canvas.dataset.ms = this.drawn.toFixed(1);
    this.canvas.dataset.view = this.view.map((micro) => micro.toFixed(4)).join(" ");
  }

  drawBand(pen, band) {
    if (band.kind === "title" || band.kind === "axis") {
      if (band.kind === "axis") this.drawAxis(pen, band);
      this.label(pen, band.name, 4, band.y + band.high / 2, this.colours.ink, "left");
      return;
    }
    pen.fillStyle = this.colours.stripe;
    pen.fillRect(LABELS, band.y, this.width - LABELS, band.high);
    this.label(pen, band.name, LABELS - 8, band.y + band.high / 2, this.colours.ink, "right");
    pen.save();
    pen.beginPath();
    pen.rect(LABELS, band.y, this.width - LABELS, band.high);
    pen.clip();
    if (band.kind === "lane") this.drawLane(pen, band);
    else if (band.kind === "traffic") this.drawTraffic(pen, band);
    else this.drawMemory(pen, band);
    pen.restore();
  }

  label(pen, text, x, y, colour, align = "left") {
    pen.fillStyle = colour;
    pen.textAlign = align;
    pen.fillText(text, x, y);
  }

  drawAxis(pen, band) {
    const last = this.bands.filter((one) => one.run === band.run).at(-1);
    const marks = axisMarks(...this.view, Math.max(2, (this.width - LABELS) / 110));
    pen.strokeStyle = this.colours.grid;
    pen.lineWidth = 1;
    for (const [at, text] of marks) {
      const x = Math.round(this.x(at)) + 0.5;
      pen.beginPath();
      pen.moveTo(x, band.y + AXIS - 4);
      pen.lineTo(x, last.y + last.high);
      pen.stroke();
      this.label(pen, text, Math.max(x, LABELS + 4), band.y + 9, this.colours.dim, x < LABELS + 24 ? "left" : "center");
    }
  }

  drawLane(pen, band) {
    const { run, track } = band;
    const [begin, end] = this.view.map((micro) => micro * run.ticks);
    const [low, high] = track.between(begin, end);
    if (high - low > 2 * (this.width - LABELS)) this.drawCells(pen, band, begin, end);
    else this.drawSlices(pen, band, low, high);
    if (this.lit && this.lit[0] === run) this.drawLit(pen, band, low, high);
  }

  /** A lane of which more is visible than there are pixels: what most of each cell was. */
  drawCells(pen, band, begin, end) {
    const { run, track } = band;
    const level = track.level((end - begin) / (this.width - LABELS));
    const first = Math.max(0, Math.floor(begin / level.cell));
    const last = Math.min(level.busy.length - 1, Math.ceil(end / level.cell));
    const wide = Math.max(1, (level.cell / run.ticks) * this.scale);
    const dma = run.waits.indexOf("DMA");
    for (let at = first; at <= last; at += 1) {
      const x = this.x(run.micro(at * level.cell));
      const part = Math.min(1, level.busy[at] / level.cell);
      const waits = Math.min(1 - part, level.wait[at] / level.cell);
      const high = part ? Math.max(2, part * band.high) : 0;
      if (waits > 0.05) {
        pen.fillStyle = this.hatches[level.why[at] === dma ? 1 : 0];
        pen.fillRect(x, band.y, wide + 0.5, band.high - high);
      }
      if (high) {
        pen.fillStyle = this.colours.looks[level.look[at]];
        pen.fillRect(x, band.y + band.high - high, wide + 0.5, high);
      }
    }
  }

  /** A lane slice by slice, with names where there is room. */
  drawSlices(pen, band, low, high) {
    const { run, track } = band;
    const { start, length, tail, wait, what, row } = run.c;
    const dma = run.waits.indexOf("DMA");
    const tall = track.rows === 1 ? band.high : ROW - 1;
    for (let at = low; at < high; at += 1) {
      const n = track.slices[at];
      const x = this.x(run.micro(start[n]));
      if (wait[n] && track.kind === "queue") this.drawWait(pen, band, n, x, dma);
      if (what[n] === WHAT.NOT_STARTED || what[n] === WHAT.ARRIVED) continue;
      const y = band.y + (track.rows === 1 ? 0 : row[n] * ROW);
      const wide = Math.max(1, run.micro(length[n]) * this.scale);
      if (tail[n] > length[n] && track.kind === "queue") {
        pen.fillStyle = this.colours.looks[run.look[n]];
        pen.fillRect(x, y + tall - 3, run.micro(tail[n]) * this.scale, 2);
      }
      this.drawBox(pen, run, n, x, y, wide, tall);
    }
  }

  drawBox(pen, run, n, x, y, wide, tall) {
    const { count, busy, length } = run.c;
    pen.fillStyle = this.colours.looks[run.look[n]];
    if (count[n] > 1 && length[n]) {
      const part = Math.max(0.15, busy[n] / length[n]); // several in one: as high as it was busy
      pen.fillRect(x, y + tall * (1 - part), wide, tall * part);
    } else pen.fillRect(x, y, wide > 3 ? wide - 0.6 : wide, tall);
    if (wide > 26 && tall > 12) this.inside(pen, run.text(n, "name"), x, y, wide, tall, "#fff");
    if (this.selected && this.selected[0] === run && this.selected[1] === n) {
      pen.strokeStyle = this.colours.mark;
      pen.lineWidth = 2;
      pen.strokeRect(x - 1, y + 1, wide + 2, tall - 2);
    }
  }

  drawWait(pen, band, n, x, dma) {
    const { run } = band;
    const { wait, why } = run.c;
    const begin = Math.max(LABELS, this.x(run.micro(run.c.start[n] - wait[n])));
    const wide = Math.min(x, this.width) - begin;
    if (wide < 1) return;
    pen.fillStyle = this.hatches[why[n] === dma ? 1 : 0];
    pen.fillRect(begin, band.y + 4, wide, band.high - 8);
    const name = run.waits[why[n]];
    if (wide < 30 || !name) return;
    const long = `waits for ${name}`;
    const text = pen.measureText(long).width < wide - 10 ? long : name;
    const size = pen.measureText(text).width;
    if (size > wide - 6) return;
    pen.fillStyle = this.colours.stripe;
    pen.fillRect(begin + wide / 2 - size / 2 - 3, band.y + band.high / 2 - 6, size + 6, 12);
    this.label(pen, text, begin + wide / 2, band.y + band.high / 2 + 1, this.colours.dim, "center");
  }

  /** A text in the visible part of a box, cut to its width. */
  inside(pen, text, x, y, wide, tall, colour) {
    const low = Math.max(x, LABELS);
    const room = Math.min(x + wide, this.width) - low - 6;
    let shown = text;
    while (shown && pen.measureText(shown).width > room) shown = shown.slice(0, -1);
    if (shown.length < Math.min(3, text.length)) return;
    this.label(pen, shown, low + 3, y + tall / 2 + 1, colour);
  }

  /** Marks under the slices that a line or a search has. */
  drawLit(pen, band, low, high) {
    const { run, track } = band;
    const many = this.lit[1];
    pen.fillStyle = this.colours.mark;
    let last = -1;
    for (let at = low; at < high; at += 1) {
      const n = track.slices[at];
      if (!many.has(n)) continue;
      const x = this.x(run.micro(run.c.start[n]));
      const wide = Math.max(2, run.micro(run.c.length[n]) * this.scale);
      if (x + wide <= last) continue;
      pen.fillRect(x, band.y + band.high - 4, wide, 4);
      pen.fillRect(x, band.y, wide, 2);
      last = x + wide;
    }
  }

  /** Bytes per second, and at what level the most that is visible is. */
  drawTraffic(pen, band) {
    const { run } = band;
    const pixels = Math.ceil(this.width - LABELS);
    const rates = new Float64Array(pixels);
    let before = run.movedUntil(this.view[0] * run.ticks);
    const step = (this.view[1] - this.view[0]) / pixels;
    for (let at = 0; at < pixels; at += 1) {
      const after = run.movedUntil((this.view[0] + (at + 1) * step) * run.ticks);
      rates[at] = Math.max(0, after - before) / step / 1e3; // bytes per µs as GB/s
      before = after;
    }
    const most = Math.max(...rates);
    if (most < 1e-6) return;
    pen.fillStyle = this.colours.area;
    rates.forEach((rate, at) => {
      const high = (rate / most) * (band.high - 14);
      pen.fillRect(LABELS + at, band.y + band.high - high, 1.2, high);
    });
    this.label(pen, `at most ${most.toPrecision(3)} GB/s`, LABELS + 4, band.y + 8, this.colours.dim);
  }

  /** Which bytes of each partition are in use, by whom: a box for each time that a tensor is filled. */
  drawMemory(pen, band) {
    const { run, memory } = band;
    const { live_tensor: tensor, live_begin: begin, live_end: end } = run.c;
    const top = this.memoryTop(run, memory);
    const high = band.high - 14;
    for (let n = 0; n < tensor.length; n += 1) {
      const [name, of, low, up] = run.tensors[tensor[n]];
      if (of !== memory) continue;
      const x = this.x(run.micro(begin[n]));
      const wide = Math.max(1, run.micro(end[n] - begin[n]) * this.scale);
      if (x > this.width || x + wide < LABELS) continue;
      const y = band.y + 14 + (low / top) * high;
      const whole = ((up - low) / top) * high;
      const tall = Math.max(1, whole > 3 ? whole - 0.7 : whole);
      pen.fillStyle = this.colours.lives[tensor[n] % 3];
      pen.fillRect(x, y, wide > 3 ? wide - 1 : wide, tall);
      if (wide > 26 && tall > 10) this.inside(pen, name, x, y, wide, tall, this.colours.ink);
    }
    const size = run.memories[memory][2];
    const text = `bytes 0 to ${top.toLocaleString("en")} of ${size.toLocaleString("en")} of each partition`;
    this.label(pen, text, LABELS + 4, band.y + 7, this.colours.dim);
  }

  memoryTop(run, memory) {
    const mine = run.tensors.filter((one) => one[1] === memory);
    return Math.max(1, ...mine.map((one) => one[3]));
  }

  /** The middle of the lane of a slice; -1 if it has none. */
  middle(run, slice) {
    const band = this.lanes.get(run.tracks[run.c.lane[slice]]);
    if (!band) return -1;
    return band.track.rows === 1 ? band.y + band.high / 2 : band.y + run.c.row[slice] * ROW + ROW / 2;
  }

  drawPath(pen, run) {
    const { path_slice: slices, path_begin: begin, path_end: end } = run.c;
    const [first, last] = this.view.map((micro) => micro * run.ticks);
    const low = Math.max(0, firstAbove(end, first, 0, end.length) - 1);
    const high = Math.min(end.length, firstAbove(begin, last, low, begin.length) + 1);
    pen.strokeStyle = this.colours.path;
    pen.lineWidth = 2;
    pen.lineJoin = "round";
    pen.beginPath();
    let [x, y, moved] = [-9, -9, false];
    for (let n = low; n < high; n += 1) {
      const middle = this.middle(run, slices[n]);
      const to = this.x(run.micro(end[n]));
      if (middle < 0 || (middle === y && to - x < 0.5)) continue;
      const from = this.x(run.micro(begin[n]));
      if (moved) pen.lineTo(from, middle);
      else pen.moveTo(from, middle);
      pen.lineTo(to, middle);
      [x, y, moved] = [to, middle, true];
    }
    pen.stroke();
  }

  /** From what let the selected slice start, and to what it let start. */
  drawArrows(pen, run, slice) {
    const from = run.c.because[slice];
    if (from >= 0) this.arrow(pen, run, from, slice);
    for (const next of this.followers(run, slice)) this.arrow(pen, run, slice, next);
  }

  /** Some of the slices that a slice let start. */
  followers(run, slice, most = 50) {
    const found = [];
    const { because } = run.c;
    for (let n = 0; n < because.length && found.length < most; n += 1) if (because[n] === slice) found.push(n);
    return found;
  }

  arrow(pen, run, a, b) {
    const { start, length } = run.c;
    const end = Math.min(start[a] + length[a], start[b]);
    const [x0, y0] = [this.x(run.micro(Math.max(start[a], end))), this.middle(run, a)];
    const [x1, y1] = [this.x(run.micro(start[b])), this.middle(run, b)];
    if (y0 < 0 || y1 < 0 || (y0 === y1 && Math.abs(x0 - x1) < 8)) return;
    pen.strokeStyle = pen.fillStyle = this.colours.mark;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x0, y0);
    const bend = Math.max(12, Math.abs(x1 - x0) / 3);
    pen.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(x1 + 1, y1);
    pen.lineTo(x1 - 7, y1 - 4);
    pen.lineTo(x1 - 7, y1 + 4);
    pen.fill();
  }

  // -- finding

  bandAt(y) {
    return this.bands.find((band) => y >= band.y && y < band.y + band.high + GAP) || null;
  }

  /** The slice at a place of the canvas, as [run, slice, whether it is the wait before it]. */
  sliceAt(x, y) {
    const band = this.bandAt(y);
    if (!band || !band.track || x < LABELS) return null;
    const { run, track } = band;
    const { start, length, wait, row } = run.c;
    const near = 3 / this.scale;
    const at = this.timeAt(x);
    const [low, high] = track.between((at - near) * run.ticks, (at + near) * run.ticks);
    const wanted = track.rows === 1 ? -1 : Math.floor((y - band.y) / ROW);
    let best = null;
    for (let n = low; n < high; n += 1) {
      const slice = track.slices[n];
      const begin = run.micro(start[slice]);
      const end = run.micro(start[slice] + length[slice]);
      const off = Math.max(0, begin - at, at - end);
      const other = wanted >= 0 && row[slice] !== wanted ? near : 0;
      if (off <= near && (!best || off + other < best.off)) best = { slice, off: off + other, waits: false };
      const waits = at < begin && at >= run.micro(start[slice] - wait[slice]);
      if (!best && waits && track.kind === "queue") best = { slice, off: near, waits: true };
    }
    return best ? [run, best.slice, best.waits] : null;
  }

  /** The tensor at a place of the canvas. */
  tensorAt(x, y) {
    const band = this.bandAt(y);
    if (!band || band.kind !== "memory" || x < LABELS) return null;
    const { run, memory } = band;
    const tick = this.timeAt(x) * run.ticks;
    const byte = ((y - band.y - 14) / (band.high - 14)) * this.memoryTop(run, memory);
    const { live_tensor: tensor, live_begin: begin, live_end: end } = run.c;
    for (let n = 0; n < tensor.length; n += 1) {
      const [, of, low, up] = run.tensors[tensor[n]];
      if (of === memory && byte >= low && byte < up && tick >= begin[n] && tick <= end[n]) return [run, n];
    }
    return null;
  }
}
