/* The data of a page: columns from text, times as text, and what a lane is at every scale. */

/** The JSON and the typed arrays of a page, from the bytes that columns.py has packed. */
function unpacked(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let at = 4 + length;
  const columns = {};
  for (const [name, kind, count] of head.columns) {
    const type = kind === "i4" ? Int32Array : Float64Array;
    columns[name] = new type(buffer, at, count);
    at += Math.ceil((count * type.BYTES_PER_ELEMENT) / 8) * 8;
  }
  return { ...head, columns };
}

/** The same from base64 of a zlib stream. */
async function decoded(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return unpacked(await new Response(stream).arrayBuffer());
}

/** The first position in [low, high) whose value exceeds a limit, of an ascending column. */
function firstAbove(column, limit, low, high) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

const TIME_UNITS = [[1e6, "s"], [1e3, "ms"], [1, "µs"], [1e-3, "ns"]];

/** A time in microseconds, in the unit in which it is at least 1. */
function timeText(micro, digits = 4) {
  const [size, unit] = TIME_UNITS.find(([size]) => Math.abs(micro) >= size * 0.9995) || TIME_UNITS[3];
  return `${Number((micro / size).toPrecision(digits)).toLocaleString("en")} ${unit}`;
}

/** Marks of an axis between two times: the distance between them is 1, 2 or 5 of a power of ten. */
function axisMarks(begin, end, count) {
  const rough = (end - begin) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((s) => s * power).find((s) => s >= rough * 0.999);
  const [size, unit] = TIME_UNITS.find(([size]) => Math.max(Math.abs(end), step) >= size) || TIME_UNITS[3];
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  const marks = [];
  for (let n = Math.ceil(begin / step - 1e-9); n * step <= end + step * 1e-9; n += 1) {
    marks.push([n * step, `${((n * step) / size).toFixed(decimals)} ${unit}`]);
  }
  return marks;
}

const WHAT = { STARTED: 0, READY: 1, ARRIVED: 2, NOT_STARTED: 3, DESCRIBED: 4, MOVED: 5 };
const LOOKS = { [WHAT.READY]: 8, [WHAT.DESCRIBED]: 9, [WHAT.MOVED]: 10 };
/* Looks: 0 is an instruction of no kind of its own, 1 to 7 are kinds, then those above. */

/** A run of the page: its columns, and its lanes as ranges of slices in the order of their starts. */
class Run {
  constructor(page, number) {
    Object.assign(this, page.runs[number]);
    const prefix = `${number}.`;
    this.number = number;
    this.c = {};
    for (const name of Object.keys(page.columns)) {
      if (name.startsWith(prefix)) this.c[name.slice(prefix.length)] = page.columns[name];
    }
    this.end = Math.max(1, this.now);
    this.kinds = new Map(page.kinds.map((name, n) => [this.strings.indexOf(name), n + 1]));
    this.look = this.looks();
    this.tracks = this.lanes.map((lane, n) => this.track(lane, n));
    this.sharedTracks();
    this.ofLine = null;
  }

  get count() {
    return this.c.start.length;
  }

  looks() {
    const { what, form, form_name: names } = this.c;
    const found = new Uint8Array(what.length);
    for (let n = 0; n < found.length; n += 1) {
      found[n] = LOOKS[what[n]] ?? this.kinds.get(names[form[n]]) ?? 0;
    }
    return found;
  }

  /** The slices of a lane: those of it are neighbours in the columns. */
  track([name, kind, core, rows], number) {
    const low = firstAbove(this.c.lane, number - 1, 0, this.count);
    const high = firstAbove(this.c.lane, number, low, this.count);
    const slices = Uint32Array.from({ length: high - low }, (_, n) => low + n);
    return new Track(this, number, { name, kind, core, rows, slices });
  }

  /** The lanes of shared units: slices of several queues. */
  sharedTracks() {
    const { shared_slice: slices, shared_lane: lanes, start } = this.c;
    const found = new Map();
    for (let n = 0; n < slices.length; n += 1) {
      if (!found.has(lanes[n])) found.set(lanes[n], []);
      found.get(lanes[n]).push(slices[n]);
    }
    for (const [lane, mine] of found) {
      mine.sort((a, b) => start[a] - start[b] || a - b);
      const [name, kind, core] = this.lanes[lane];
      const slices = Uint32Array.from(mine);
      this.tracks[lane] = new Track(this, lane, { name, kind, core, rows: 1, slices });
    }
  }

  text(slice, what) {
    const column = this.c[`form_${what}`];
    return this.strings[column[this.c.form[slice]]];
  }

  /** The source and the line of a slice as `source-line`; empty if it has none. */
  lineOf(slice) {
    const line = this.c.form_line[this.c.form[slice]];
    return line < 0 ? "" : this.lines[line].join("-");
  }

  /** The slices of instructions of a line, in the order of their starts. */
  slicesOf(key) {
    if (!this.ofLine) {
      this.ofLine = new Map();
      for (let n = 0; n < this.count; n += 1) {
        const line = this.lineOf(n);
        if (!this.ofLine.has(line)) this.ofLine.set(line, []);
        this.ofLine.get(line).push(n);
      }
    }
    return this.byStart(this.ofLine.get(key) || []);
  }

  /** The slices whose instruction contains a text: its form, its waits, its line. */
  matching(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return [];
    const hits = this.strings.map((one) => one.toLowerCase().includes(wanted));
    const forms = new Uint8Array(this.c.form_pc.length);
    for (let n = 0; n < forms.length; n += 1) {
      const line = this.c.form_line[n];
      const named = ["text", "wait", "update", "name"].some((w) => hits[this.c[`form_${w}`][n]]);
      forms[n] = named || (line >= 0 && wanted === `line ${this.lines[line][1]}`) ? 1 : 0;
    }
    const found = [];
    for (let n = 0; n < this.count; n += 1) if (forms[this.c.form[n]]) found.push(n);
    return this.byStart(found);
  }

  byStart(slices) {
    return slices.sort((a, b) => this.c.start[a] - this.c.start[b] || a - b);
  }

  micro(ticks) {
    return ticks / this.ticks;
  }

  /** The bytes that DMA had moved until a tick. */
  movedUntil(tick) {
    const { moved_ticks: ticks, moved_bytes: bytes } = this.c;
    const at = firstAbove(ticks, tick, 0, ticks.length);
    if (!at) return 0;
    if (at === ticks.length) return bytes[at - 1];
    const part = (tick - ticks[at - 1]) / (ticks[at] - ticks[at - 1]);
    return bytes[at - 1] + part * (bytes[at] - bytes[at - 1]);
  }
}

const FINEST = 1 << 16;
/* Cells of the finest level of a lane at the most. */

/** A lane: its slices, and levels of cells for when more of them are visible than pixels. */
class Track {
  constructor(run, number, about) {
    Object.assign(this, { run, number }, about);
    const { start, length } = run.c;
    this.starts = Float64Array.from(this.slices, (n) => start[n]);
    this.reach = new Float64Array(this.slices.length); // the latest end so far: ascending
    let reach = 0;
    this.slices.forEach((n, at) => {
      reach = Math.max(reach, start[n] + length[n]);
      this.reach[at] = reach;
    });
    this.levels = null;
  }

  /** The positions of slices that may be visible between two ticks, waits before them included. */
  between(begin, end) {
    const low = firstAbove(this.reach, begin, 0, this.slices.length);
    const high = firstAbove(this.starts, end, low, this.slices.length);
    return [low, Math.min(this.slices.length, high + 1)];
  }

  /** The cells of a level whose cells are at most so long; levels are made when first needed. */
  level(ticks) {
    if (!this.levels) this.levels = levels(this);
    const found = this.levels.find((one) => one.cell <= ticks);
    return found || this.levels[this.levels.length - 1];
  }
}

/** Levels from the coarsest to the finest: what was at work, and what was waited for, by cell. */
function levels(track) {
  const count = 2 ** Math.ceil(Math.log2(Math.min(FINEST, Math.max(256, track.slices.length * 2))));
  const found = [finestLevel(track, count)];
  while (found[0].busy.length > 64) found.unshift(coarser(found[0]));
  return found;
}

/** The finest level, filled slice by slice. */
function finestLevel(track, count) {
  const { run } = track;
  const { start, length, busy, wait, why } = run.c;
  const cell = run.end / count;
  const made = newLevel(count, cell);
  for (const n of track.slices) {
    if (length[n]) {
      const share = busy[n] / length[n];
      spread(made, made.busy, made.look, made.most, start[n], start[n] + length[n], run.look[n], share);
    }
    if (wait[n] && track.kind === "queue") {
      spread(made, made.wait, made.why, made.longest, start[n] - wait[n], start[n], why[n], 1);
    }
  }
  return made;
}

function newLevel(count, cell) {
  return {
    cell,
    busy: new Float32Array(count),
    most: new Float32Array(count),
    look: new Uint8Array(count),
    wait: new Float32Array(count),
    longest: new Float32Array(count),
    why: new Uint8Array(count),
  };
}

/** Add a stretch to the cells that it covers; each keeps which one has most of it. */
function spread(level, sums, which, most, begin, end, what, share) {
  const last = Math.min(sums.length - 1, Math.floor(end / level.cell));
  for (let at = Math.max(0, Math.floor(begin / level.cell)); at <= last; at += 1) {
    const low = Math.max(begin, at * level.cell);
    const part = share * (Math.min(end, (at + 1) * level.cell) - low);
    if (part <= 0) continue;
    sums[at] += part;
    if (part > most[at]) {
      most[at] = part;
      which[at] = what;
    }
  }
}

/** A level with half as many cells. */
function coarser(fine) {
  const count = fine.busy.length / 2;
  const made = newLevel(count, fine.cell * 2);
  for (let at = 0; at < count; at += 1) {
    const a = 2 * at;
    const b = a + 1;
    made.busy[at] = fine.busy[a] + fine.busy[b];
    made.wait[at] = fine.wait[a] + fine.wait[b];
    const same = fine.look[a] === fine.look[b];
    made.most[at] = same ? fine.most[a] + fine.most[b] : Math.max(fine.most[a], fine.most[b]);
    made.look[at] = fine.most[b] > fine.most[a] ? fine.look[b] : fine.look[a];
    made.longest[at] = Math.max(fine.longest[a], fine.longest[b]);
    made.why[at] = fine.longest[b] > fine.longest[a] ? fine.why[b] : fine.why[a];
  }
  return made;
}
