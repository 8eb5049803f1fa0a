// Words that may be typed next, in a list below the cursor.

const PAUSE = 120;

export class Words {
  constructor(editor, ask) {
    this.editor = editor;
    this.ask = ask;
    this.list = document.createElement("ul");
    this.list.id = "words";
    this.list.hidden = true;
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "words that may be typed");
    document.body.append(this.list);
    const area = editor.area;
    area.setAttribute("aria-controls", "words");
    area.setAttribute("aria-autocomplete", "list");
    area.addEventListener("keydown", (event) => this.key(event));
    area.addEventListener("blur", () => this.close());
    area.addEventListener("click", () => this.close());
    editor.root.addEventListener("scroll", () => this.close());
  }

  // Something was typed: look for words after two letters, or after what begins one.
  typed() {
    clearTimeout(this.timer);
    const { line, character } = this.editor.place();
    const before = this.editor.lines[line].slice(0, character);
    if (/[@.$]\w*$|\b\w{2,}$/.test(before) && !/;/.test(before))
      this.timer = setTimeout(() => this.open(), PAUSE);
    else this.close();
  }

  async open() {
    const text = this.editor.text, place = this.editor.place();
    let words;
    try { ({ words } = await this.ask("complete", { text, ...place })); } catch { return; }
    if (this.editor.text !== text || document.activeElement !== this.editor.area) return;
    const { line, character } = place, before = this.editor.lines[line].slice(0, character);
    this.words = words.filter((w) => !before.endsWith(w.text)).slice(0, 50);
    this.chosen = -1;
    if (!this.words.length) { this.close(); return; }
    this.list.replaceChildren(...this.words.map((word, n) => this.item(word, n)));
    const { x, y } = this.editor.corner();
    this.list.style.left = `${Math.max(0, Math.min(x, innerWidth - 260))}px`;
    this.list.style.top = `${y + 220 > innerHeight ? y - 242 : y + 2}px`;
    this.list.hidden = false;
    this.choose(0);
  }

  item(word, n) {
    const row = document.createElement("li");
    row.id = `word-${n}`;
    row.setAttribute("role", "option");
    row.textContent = word.text;
    const meta = document.createElement("span");
    meta.textContent = word.meta;
    row.append(meta);
    row.onmousedown = (event) => { event.preventDefault(); this.take(n); };
    return row;
  }

  choose(n) {
    this.list.children[this.chosen]?.setAttribute("aria-selected", "false");
    this.chosen = (n + this.words.length) % this.words.length;
    const row = this.list.children[this.chosen];
    row.setAttribute("aria-selected", "true");
    row.scrollIntoView({ block: "nearest" });
    this.editor.area.setAttribute("aria-activedescendant", row.id);
  }

  take(n) {
    const { text, length } = this.words[n], end = this.editor.area.selectionStart;
    this.close();
    this.editor.type(end - length, end, text);
    this.close();
  }

  key(event) {
    if ((event.ctrlKey || event.metaKey) && event.key === " ") {
      event.preventDefault();
      this.open();
    }
    if (this.list.hidden) return;
    const does = {
      ArrowDown: () => this.choose(this.chosen + 1),
      ArrowUp: () => this.choose(this.chosen - 1),
      Tab: () => this.take(this.chosen),
      Escape: () => this.close(),
    }[event.key];
    if (!does) return;
    event.preventDefault();
    event.stopPropagation();
    does();
  }

  close() {
    clearTimeout(this.timer);
    this.list.hidden = true;
    this.editor.area.removeAttribute("aria-activedescendant");
  }
}
