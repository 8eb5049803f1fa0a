// The page: the editor, what is wrong with its text, and what a run of it showed.

import { ask, preparing } from "./backend.js";
import { Editor } from "./editor.js";
import { carried, link } from "./links.js";
import { Words } from "./words.js";

const WORK = ["run", "sync", "format", "judge"];

const $ = (id) => document.getElementById(id);
const KEPT = "neuron-nasm.text", SOLVED = "neuron-nasm.passed", PAUSE = 250;

const FIRST = `; C[128,512] = A.T @ B. Each line comes after the lines above it: press Sync, then Run.
.target trn2

.hbm   A    bf16[128, 128]  input = random(seed=1)
.hbm   B    bf16[128, 512]  input = random(seed=2)
.hbm   C    f32[128, 512]   output

.sbuf  a    bf16[128, 128]
.sbuf  b    bf16[128, 512]
.sbuf  c    f32[128, 512]
.psum  acc  f32[128, 512]

@sync    DmaCopy         a, A
@sync    DmaCopy         b, B
@tensor  LoadStationary  a
@tensor  MultiplyMoving  acc, b
@vector  TensorCopy      c, acc
@sync    DmaCopy         C, c

.expect  C ~ A.T @ B   rtol=1e-2
`;

const editor = new Editor($("editor"), changed);
const words = new Words(editor, asked);
let timer = 0, running = null, name = "", readOnly = true;
let exercise = null, language = "", hints = 0, tasks = [], elsewhere = 0;

const say = (text) => { $("state").textContent = text; };
const fail = (error) => { if (error.name !== "AbortError") say(error.message); };

// Ask about the text, in whatever language it is.
function asked(what, given, signal) { return ask(what, { ...given, language }, signal); }

// -- what is wrong with the text, as it is typed

function changed() {
  clearTimeout(timer);
  timer = setTimeout(check, PAUSE);
  words.typed();
  const place = exercise ? `${KEPT}.${exercise}` : KEPT;
  try { localStorage.setItem(place, editor.text); } catch { /* a browser that keeps nothing */ }
}

async function check() {
  const text = editor.text;
  try {
    const found = await asked("check", { text });
    if (editor.text !== text) return;
    editor.colour(found.colours, found.problems);
    list(found);
  } catch (error) { fail(error); }
}

function list({ problems, fixes }) {
  const box = $("problems");
  box.replaceChildren();
  if (!problems.length) {
    box.append(made("p", "nothing is wrong with it, as far as can be seen without running it"));
    return;
  }
  const rows = made("ul");
  for (const each of problems) {
    const [line, from, toLine, to] = each.range, row = made("li");
    const go = made("button", "", "go");
    go.type = "button";
    go.append(made("span", `${each.severity}[${each.code}] `, `sev ${each.severity}`),
      `line ${line + 1}: ${each.message}`);
    go.onclick = () => editor.go(line, from, toLine, to);
    row.append(go);
    for (const fix of fixes.filter((f) => f.code === each.code && String(f.range) === String(each.range)))
      row.append(fixing(fix));
    rows.append(row);
  }
  box.append(rows);
}

function fixing(fix) {
  const button = made("button", fix.title, "fix");
  button.type = "button";
  button.onclick = () => {
    const typed = fix.insertions.map(([line, at, text]) => [editor.offset(line, at), text]);
    for (const [at, text] of typed.sort((a, b) => b[0] - a[0])) editor.type(at, at, text);
    check();
  };
  return button;
}

function made(tag, text = "", style = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  element.className = style;
  return element;
}

// -- runs

// How many columns of a terminal the results have room for.
function columns() {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = '12.5px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace';
  return Math.floor(($("right").clientWidth - 46) / pen.measureText("0").width);
}

async function busy(button, what) {
  if (running) return;
  running = new AbortController();
  $("stop").disabled = false;
  for (const id of WORK) $(id).disabled = true;
  try { await what(running.signal); } catch (error) {
    say(error.name === "AbortError" ? "stopped" : error.message);
  } finally {
    running = null;
    $("stop").disabled = true;
    allow();
  }
}

// A kernel is run by Check alone, which has inputs for it.
function allow() { for (const id of WORK) $(id).disabled = Boolean(language) && id !== "judge"; }

const run = () => busy("run", async (signal) => {
  say("running …");
  const found = await ask("run", { text: editor.text, width: columns() }, signal);
  terminal($("report"), found.report);
  const frame = made("iframe");
  frame.title = "timeline of the run";
  frame.setAttribute("sandbox", "allow-scripts");
  if (found.page) frame.srcdoc = found.page;
  $("page").replaceChildren(found.page ? frame : made("p", "There is no timeline of a program that did not run.", "dim"));
  const time = found.time === null ? "" : `, ${found.time.toFixed(3)} µs`;
  say(found.ok ? `passed${time}` : found.status === "refused" ? "it does not assemble" : `failed${time}`);
  if (!found.page || shown() !== "page") tab("report");
});

const rewrite = (what) => busy(what, async (signal) => {
  const found = await ask(what, { text: editor.text }, signal);
  if (found.report) { terminal($("report"), found.report); tab("report"); }
  if (found.text !== undefined) editor.replace(found.text);
  say(found.summary ?? "");
  check();
});

function terminal(box, html) {
  const inner = made("div", "", "terminal");
  inner.innerHTML = html; // made by the server of what it has escaped
  box.replaceChildren(inner);
}

async function explain() {
  try {
    const { html } = await asked("explain", { text: editor.text, ...editor.place(), width: columns() });
    if (html) terminal($("help"), html);
    else $("help").replaceChildren(made("p", "There is nothing to say of this word.", "dim"));
    tab("help");
  } catch (error) { fail(error); }
}

// -- tabs

const TABS = ["report", "page", "help", "exercise"];
const shown = () => TABS.find((each) => !$(each).hidden);

function tab(wanted, focus = false) {
  for (const each of TABS) {
    const chosen = each === wanted;
    $(each).hidden = !chosen;
    $(`tab-${each}`).setAttribute("aria-selected", chosen);
    $(`tab-${each}`).tabIndex = chosen ? 0 : -1;
  }
  if (focus) $(`tab-${wanted}`).focus();
}

for (const each of TABS) {
  $(`tab-${each}`).onclick = () => tab(each);
  $(`tab-${each}`).onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const there = TABS.filter((id) => !$(`tab-${id}`).hidden);
    tab(there[(there.indexOf(each) + step + there.length) % there.length], true);
  };
}

// -- programs: the folder's, and the exercises

function choices(names, exercises = tasks) {
  const select = $("open");
  tasks = exercises;
  select.replaceChildren(new Option("a first program", "first"));
  if (tasks.length) {
    const group = made("optgroup");
    group.label = "exercises";
    group.append(...tasks.map(([task, title], n) => new Option(
      `${solved().includes(task) ? "✓" : n + 1} ${title}`, `task:${task}`)));
    if (elsewhere) {
      const more = new Option(`${elsewhere} more in Python: neuron-nasm learn`);
      more.disabled = true;
      group.append(more);
    }
    select.append(group);
  }
  select.names = names;
  if (names.length) {
    const group = made("optgroup");
    group.label = "folder";
    group.append(...names.map((each) => new Option(each, `file:${each}`)));
    select.append(group);
  }
  select.value = name ? `file:${name}` : exercise ? `task:${exercise}` : "first";
}

$("open").onchange = async () => {
  const [kind, ...rest] = $("open").value.split(":"), wanted = rest.join(":");
  try {
    const text = kind === "first" ? FIRST : kind === "task" ? await task(wanted)
      : (await ask("read", { name: wanted })).text;
    name = kind === "file" ? wanted : "";
    if (kind !== "task") leave();
    allow();
    editor.load(text);
    changed();
    check();
  } catch (error) { fail(error); }
};

// -- exercises

function solved() {
  try { return JSON.parse(localStorage.getItem(SOLVED) ?? "[]"); } catch { return []; }
}

function leave() {
  exercise = null;
  language = "";
  $("tab-exercise").hidden = true;
  if (shown() === "exercise") tab("report");
}

// The text that an exercise begins with, or what was written for it before.
async function task(wanted) {
  const found = await ask("exercise", { exercise: wanted, width: columns() });
  exercise = wanted;
  language = found.language;
  hints = 0;
  terminal($("task"), found.html);
  const said = [`asked: ${found.asked}`, found.note].filter(Boolean);
  $("judged").replaceChildren(...said.map((text) => made("p", text, "dim")));
  $("tab-exercise").hidden = false;
  tab("exercise");
  try { return localStorage.getItem(`${KEPT}.${wanted}`) ?? found.starter; } catch { return found.starter; }
}

const judge = () => busy("judge", async (signal) => {
  say("checking …");
  const wanted = exercise;
  const found = await ask("judge", { exercise, text: editor.text, hints, width: columns() }, signal);
  if (exercise !== wanted) return;
  terminal($("judged"), found.html);
  $("hint").disabled = !found.more;
  say(found.passed ? "passed" : "not yet");
  if (!found.passed || solved().includes(exercise)) return;
  try { localStorage.setItem(SOLVED, JSON.stringify([...solved(), exercise])); } catch { /* likewise */ }
  choices($("open").names ?? []);
});

$("judge").onclick = judge;
$("hint").onclick = () => { hints++; judge(); };

async function save() {
  const wanted = name || prompt("write it into the folder as", "program.nasm");
  if (!wanted) return;
  try {
    const { names } = await ask("write", { name: wanted, text: editor.text });
    name = wanted;
    choices(names);
    say(`wrote ${wanted}`);
  } catch (error) { fail(error); }
}

// -- keys, buttons

$("run").onclick = run;
$("stop").onclick = () => running?.abort();
$("sync").onclick = () => rewrite("sync");
$("format").onclick = () => rewrite("format");
$("save").onclick = save;
$("link").onclick = async () => {
  const made = await link(editor.text);
  history.replaceState(null, "", made);
  try { await navigator.clipboard.writeText(made); say("the link is copied"); } catch {
    say("the link is in the address bar");
  }
};

document.addEventListener("keydown", (event) => {
  const ctrl = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  const does = ctrl && key === "enter" ? (language ? judge : run)
    : ctrl && event.shiftKey && key === "f" && !language ? () => rewrite("format")
    : ctrl && key === "s" && !readOnly ? save
    : key === "f1" ? explain
    : key === "escape" && running ? () => running.abort() : null;
  if (!does) return;
  event.preventDefault();
  does();
});

const split = $("split"), left = $("left");
const wide = (part) => { left.style.flexBasis = `${Math.min(80, Math.max(20, part))}%`; };
split.onpointerdown = (event) => split.setPointerCapture(event.pointerId);
split.onpointermove = (event) => {
  if (split.hasPointerCapture(event.pointerId)) wide((100 * event.clientX) / innerWidth);
};
split.onkeydown = (event) => {
  const step = { ArrowRight: 4, ArrowLeft: -4 }[event.key];
  if (step) wide((100 * left.getBoundingClientRect().width) / innerWidth + step);
};

async function begin() {
  let text = FIRST;
  try { text = localStorage.getItem(KEPT) || FIRST; } catch { /* likewise */ }
  try { text = (await carried(location.hash)) ?? text; } catch (error) { say(error.message); }
  editor.load(text);
  choices([]);
  try {
    await preparing(say);
    const { folder, exercises, elsewhere: others } = await ask("about", {});
    elsewhere = others;
    readOnly = folder?.read_only ?? true;
    $("save").hidden = readOnly;
    choices(folder?.names ?? [], exercises);
    await check();
    document.body.dataset.ready = "1";
  } catch (error) { fail(error); }
}

begin();
