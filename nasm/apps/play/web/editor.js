// An editor: a text area that is seen through, over its text in colours. What it knows of the
// language comes with each answer; between two answers a line that changed has no colour.

const escaped = (text) =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

const SEVERITIES = ["error", "warning", "note"];

export class Editor {
  constructor(root, changed) {
    root.innerHTML =
      '<div class="code"><div class="gutter" aria-hidden="true"></div><div class="surface">' +
      '<pre aria-hidden="true"></pre><textarea wrap="off" spellcheck="false" autocomplete="off" ' +
      'autocapitalize="off" autocorrect="off" aria-label="program" ' +
      'aria-describedby="problems"></textarea></div></div>';
    this.root = root;
    this.area = root.querySelector("textarea");
    this.layer = root.querySelector("pre");
    this.gutter = root.querySelector(".gutter");
    this.lines = [""];
    this.html = [""];
    this.marks = new Map();
    this.area.addEventListener("input", () => { this.moved(); changed(); });
  }

  get text() { return this.area.value; }

  // Another program: what was typed before cannot be undone into it.
  load(text) {
    this.area.value = text;
    this.area.setSelectionRange(0, 0);
    this.root.scrollTo(0, 0);
    this.moved();
  }

  // Replace some of the text as if it were typed, so that it can be undone.
  type(start, end, text) {
    this.area.focus();
    this.area.setSelectionRange(start, end);
    const typed = text ? document.execCommand("insertText", false, text)
      : start === end || document.execCommand("delete");
    if (!typed) this.area.setRangeText(text, start, end, "end");
    this.moved();
  }

  replace(text) {
    const at = this.place();
    if (text !== this.text) this.type(0, this.text.length, text);
    this.go(at.line, at.character);
  }

  // -- places: lines and characters from 0

  offset(line, character) {
    let at = 0;
    for (let n = 0; n < line && n < this.lines.length; n++) at += this.lines[n].length + 1;
    return Math.min(at + Math.min(character, (this.lines[line] ?? "").length), this.text.length);
  }

  place() {
    const before = this.text.slice(0, this.area.selectionStart);
    const line = before.split("\n").length - 1;
    return { line, character: before.length - (before.lastIndexOf("\n") + 1) };
  }

  go(line, character, toLine = line, toCharacter = character) {
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(this.offset(line, character), this.offset(toLine, toCharacter));
    const top = line * this.height();
    const { scrollTop, clientHeight } = this.root;
    if (top < scrollTop || top > scrollTop + clientHeight - 40)
      this.root.scrollTop = Math.max(0, top - clientHeight / 3);
  }

  height() { return parseFloat(getComputedStyle(this.area).lineHeight); }

  // Where the cursor is on the screen.
  corner() {
    const { line, character } = this.place();
    const box = this.area.getBoundingClientRect(), style = getComputedStyle(this.area);
    const pen = (this.pen ??= document.createElement("canvas").getContext("2d"));
    pen.font = style.font;
    const wide = pen.measureText(this.lines[line].slice(0, character)).width;
    return {
      x: box.left + parseFloat(style.paddingLeft) + wide,
      y: box.top + parseFloat(style.paddingTop) + (line + 1) * this.height(),
    };
  }

  // -- what is drawn

  // The text has changed: lines that are as before keep their colours.
  moved() {
    const lines = this.text.split("\n"), before = this.lines, html = [];
    let head = 0, tail = 0;
    const most = Math.min(lines.length, before.length);
    while (head < most && lines[head] === before[head]) head++;
    while (tail < most - head && lines.at(-1 - tail) === before.at(-1 - tail)) tail++;
    for (let n = 0; n < lines.length; n++) {
      if (n < head) html.push(this.html[n]);
      else if (n >= lines.length - tail) html.push(this.html[before.length - lines.length + n]);
      else html.push(escaped(lines[n]));
    }
    const shift = lines.length - before.length, marks = new Map();
    for (const [line, severity] of this.marks) {
      if (line < head) marks.set(line, severity);
      else if (line >= before.length - tail) marks.set(line + shift, severity);
    }
    this.lines = lines;
    this.html = html;
    this.marks = marks;
    this.draw();
  }

  // An answer about the text as it is: the classes of its words, and ranges that are marked.
  colour(words, problems) {
    const ranges = this.lines.map(() => []);
    this.marks = new Map();
    for (const { range: [line, from, toLine, to], severity } of problems) {
      for (let n = line; n <= Math.min(toLine, this.lines.length - 1); n++) {
        const start = n === line ? from : 0, end = n === toLine ? to : this.lines[n].length;
        ranges[n]?.push([start, Math.max(end, start + 1), severity]);
      }
      const worst = this.marks.get(line) ?? severity;
      const rank = Math.min(SEVERITIES.indexOf(worst), SEVERITIES.indexOf(severity));
      this.marks.set(line, SEVERITIES[rank]);
    }
    const spans = this.lines.map(() => []);
    let line = 0, at = 0, from = 0;
    for (const [length, name] of words) {
      let word = this.text.slice(from, from + length);
      from += length;
      for (let end; (end = word.indexOf("\n")) >= 0; word = word.slice(end + 1)) {
        if (end && name) spans[line].push([at, at + end, name]);
        line++;
        at = 0;
      }
      if (word && name) spans[line]?.push([at, at + word.length, name]);
      at += word.length;
    }
    this.html = this.lines.map((text, n) => painted(text, spans[n], ranges[n]));
    this.draw();
  }

  draw() {
    this.layer.innerHTML = this.html.join("\n") + "\n";
    const wide = String(this.lines.length).length;
    this.gutter.innerHTML = this.lines.map((_, n) => {
      const number = String(n + 1).padStart(wide), mark = this.marks.get(n);
      if (mark === "error") return `<b>●${number}</b>`;
      return mark === "warning" ? `<i>▲${number}</i>` : ` ${number}`;
    }).join("\n");
    const longest = this.lines.reduce((most, text) => Math.max(most, text.length), 0);
    this.area.style.height = `${this.lines.length * this.height() + 12}px`;
    this.area.style.minWidth = `${longest + 4}ch`;
  }
}

function painted(text, spans, ranges) {
  if (!ranges.length && !spans.length) return escaped(text);
  const cuts = new Set([0, text.length]);
  for (const [start, end] of [...spans, ...ranges]) {
    cuts.add(Math.min(start, text.length));
    cuts.add(Math.min(end, text.length));
  }
  const places = [...cuts].sort((a, b) => a - b);
  let made = "";
  places.slice(0, -1).forEach((from, n) => {
    const to = places[n + 1];
    const names = [...spans, ...ranges].filter(([a, b]) => a <= from && to <= b).map((s) => s[2]);
    const part = escaped(text.slice(from, to));
    made += names.length ? `<span class="${names.join(" ")}">${part}</span>` : part;
  });
  return made;
}
