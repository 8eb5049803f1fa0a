"""Things that draw themselves: in a notebook, through Rich, and printed, all in the same lines."""

from __future__ import annotations

import html
import io
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import nasm
from nasm.base.drawing import Drawn
from nasm.base.source import Source
from nasm.debugger.moving.breakpoint_records import Breakpoint
from nasm.debugger.session import Session
from nasm.machine.records import Rows
from nasm.show import views
from nasm.show.listings import LISTINGS
from tests.repl.test_widths import Terminal

MATMUL = Path(__file__).parents[2] / "programs" / "matmul.nasm"

HOSTILE = """
.target trn1
.hbm X f32[128, 4] output
.sbuf t f32[128, 4]
.sem s
@vector Memset t, 1.0 ; </pre><script>alert(1)</script> & "x"
@sync DmaCopy X, t ; \x1b[31m
"""

THINGS: dict[str, Callable[[Session], Drawn]] = {
    "session": lambda s: s,
    "context": lambda s: s.context(),
    "queues": lambda s: s.queues(),
    "semaphores": lambda s: s.semaphores(),
    "channels": lambda s: s.channels(),
    "transfers": lambda s: s.transfers(),
    "counters": lambda s: s.counters(),
    "history": lambda s: s.history("loaded"),
    "who": lambda s: s.who("acc"),
    "memories": lambda s: s.memory.maps(),
    "memory": lambda s: s.memory.maps("psum")[0],
    "banks": lambda s: s.memory.banks(),
    "breakpoints": lambda s: s.breakpoints,
    "moments": lambda s: s.moments(),
    "lets": lambda s: s.lets(),
    "value": lambda s: s.evaluate("a"),
    "number": lambda s: s.evaluate("$loaded"),
    "statistics": lambda s: s.expressions.statistics("a"),
    "histogram": lambda s: s.expressions.histogram("a"),
    "picture": lambda s: s.expressions.picture("a", 6, 30),
    "difference": lambda s: s.expressions.difference("a", "A"),
    "why": lambda s: s.why("a[0, 0]"),
    "blocked": lambda s: s.blocked("tensor"),
}


REPORTS: dict[str, Callable[[Session], Drawn]] = {
    "report": lambda s: s.report(),
    "profile": lambda s: s.profile(),
}


@pytest.fixture(scope="module")
def session() -> Session:
    session = nasm.Session(MATMUL, profile=True)
    session.break_at(19, condition="1 < 2")
    session.mark("begin")
    session.goto("1.5us")
    return session


class Tags(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert {name for name, _ in attrs} <= {"style"}

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("what", THINGS)
def test_a_notebook_shows_the_lines_that_are_printed(session: Session, what: str) -> None:
    thing = THINGS[what](session)
    page = Tags(thing._repr_html_())
    assert page.tags[0] == "pre"
    assert set(page.tags) <= {"pre", "span"}
    lines = [part.plain for part in views.parts(thing, 100, coloured=True)]
    assert page.text.split("\n") == [*lines, ""]
    assert str(thing).strip()
    if type(thing).__str__ is Drawn.__str__:  # else it is a sentence
        assert max(map(len, str(thing).split("\n"))) <= 80


@pytest.mark.parametrize("what", REPORTS)
def test_a_notebook_shows_reports_as_they_are_printed(session: Session, what: str) -> None:
    thing = REPORTS[what](session)
    page = Tags(thing._repr_html_())
    assert set(page.tags) == {"pre", "span"}
    assert page.text.split() == str(thing).split()  # long sentences are folded
    assert "\n" not in repr(thing)
    out = io.StringIO()
    Console(file=out, width=80, legacy_windows=False).print(thing)
    printed = out.getvalue().rstrip().split("\n")
    assert "".join(printed[0].split()) in "".join(str(thing).split())
    assert max(map(len, printed)) <= 80


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("what", THINGS)
def test_rich_shows_it_as_wide_as_its_console(session: Session, what: str, width: int) -> None:
    for stream in (io.StringIO(), Terminal()):
        console = Console(file=stream, width=width, legacy_windows=False)
        console.print(THINGS[what](session))
        said = re.sub(r"\x1b\[[\d;]*m", "", stream.getvalue())
        assert said.strip()
        assert max(map(len, said.split("\n"))) <= width


@pytest.mark.parametrize("what", THINGS)
def test_repr_is_one_line_all_the_same(session: Session, what: str) -> None:
    said = repr(THINGS[what](session))
    assert "\n" not in said
    assert ".target" not in said


def test_every_list_of_a_session_can_be_drawn(session: Session) -> None:
    kinds = {thing(session) for thing in THINGS.values() if isinstance(thing(session), Rows)}
    listed = {rows.kind for rows in kinds if isinstance(rows, Rows)}
    maps = {rows.kind for rows in kinds if isinstance(rows, Rows) and rows.kind not in LISTINGS}
    assert listed - maps == LISTINGS.keys() - {Breakpoint}
    assert {kind.__name__ for kind in maps} == {"MemoryNow", "BankNow"}


def test_what_is_hostile_is_escaped() -> None:
    session = nasm.Session(HOSTILE)
    session.break_at(6, name="b", commands="<b>bold</b>")
    session.execute("@vector Memset t, 2.0 ; <script>")
    session.mark("m")
    for thing in (session, session.context(), session.queues(), session.breakpoints):
        page = thing._repr_html_()
        assert set(Tags(page).tags) == {"pre"}
        assert "\x1b" not in page
        assert "<script" not in page
        assert "<b>" not in page
    assert "&lt;b&gt;bold&lt;/b&gt;" in session.breakpoints._repr_html_()
    assert "1 &lt; 2 = true" in session.evaluate("1 < 2")._repr_html_()


def test_a_name_with_markup_stays_text() -> None:
    name = "<img src=x>[red]\x1b[31m.nasm"
    session = Session(Source(name, MATMUL.read_text(encoding="utf-8")))
    page = session._repr_html_()
    assert set(Tags(page).tags) == {"pre"}
    assert "\x1b" not in page
    assert html.escape("<img src=x>[red]", quote=False) in page


def test_nothing_is_imported_for_it_before_something_is_drawn() -> None:
    text = (
        "import sys, nasm\n"
        f"s = nasm.Session({str(MATMUL)!r})\n"
        "repr(s), repr(s.context())\n"
        "assert not {'rich', 'prompt_toolkit'} & sys.modules.keys()\n"
        "assert s.context()._repr_html_().startswith('<pre')\n"
        "assert not {'IPython', 'prompt_toolkit'} & sys.modules.keys()\n"
    )
    done: Any = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
