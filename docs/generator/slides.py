"""Slides of the guide: one page for each chapter, with its picture, first program and exercise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from urllib.parse import quote

DOCS = Path(__file__).resolve().parents[1]

STYLE = """
body{margin:0;font:22px system-ui,sans-serif;color:#1b1f24;background:#fff}
section{box-sizing:border-box;min-height:100vh;padding:4vh 6vw;border-bottom:1px solid #d0d7de}
h1{font-size:36px;margin:0 0 2vh}
img{max-width:88vw;height:42vh;object-fit:contain;object-position:left}
pre{font:max(15px,1.3vw) ui-monospace,monospace;background:#f6f8fa;padding:12px;overflow-x:auto}
@media print{section{break-after:page}}
"""
SCRIPT = """
addEventListener('keydown', event => {
  const all = [...document.querySelectorAll('section')];
  const at = all.findIndex(one => one.getBoundingClientRect().bottom > innerHeight / 2);
  const on = ['ArrowRight', 'PageDown', ' '].includes(event.key);
  const to = on ? at + 1 : ['ArrowLeft', 'PageUp'].includes(event.key) ? at - 1 : -1;
  if (all[to]) { event.preventDefault(); all[to].scrollIntoView(); }
});
"""

_TITLE = re.compile(r"^# (.*)$", re.MULTILINE)
_PICTURE = re.compile(r"!\[([^\]]*)\]\(\.\./([^)]*\.svg)\)")
_PROGRAM = re.compile(r"```neuron-nasm\n(.*?)```", re.DOTALL)
_EXERCISE = re.compile(r"\*\*Exercise\.\*\* (.*)")


def page(files: Mapping[Path, str]) -> str:
    """The slides as one page without a network: arrows go from one to the next.

    ``files`` are the pages and pictures that were made.
    """
    chapters = sorted(path for path in files if path.parent == DOCS / "guide")
    slides = "\n".join(_slide(files[p], files) for p in chapters if p.name[0].isdigit())
    return (
        "<!doctype html>\n<html lang='en'><meta charset='utf-8'><title>nasm: the guide</title>\n"
        f"<style>{STYLE}</style>\n{slides}\n<script>{SCRIPT}</script>\n</html>\n"
    )


def _slide(text: str, files: Mapping[Path, str]) -> str:
    title, picture = _TITLE.search(text), _PICTURE.search(text)
    program, exercise = _PROGRAM.search(text), _EXERCISE.search(text)
    parts = [f"<h1>{escape(title[1] if title else '')}</h1>"]
    if picture is not None:
        svg = quote(files[DOCS / picture[2]])
        parts.append(f"<img alt='{escape(picture[1])}' src='data:image/svg+xml,{svg}'>")
    if program is not None:
        parts.append(f"<pre>{escape(program[1])}</pre>")
    if exercise is not None:
        parts.append(f"<p>{escape(exercise[1].replace('`', ''))}</p>")
    return "<section>" + "\n".join(parts) + "</section>"
