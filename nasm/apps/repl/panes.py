"""The panes of the whole screen: the program with its stops, the panels, and what was printed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.layout.containers import ConditionalContainer, HSplit, Window
from prompt_toolkit.layout.controls import FormattedTextControl
from prompt_toolkit.layout.dimension import Dimension

from nasm.apps.repl import painting, panels, scrolling
from nasm.apps.repl.panels import ScreenLine
from nasm.apps.repl.printed import PrintedScreen
from nasm.apps.repl.scrolling import Made, ScrollLines
from nasm.apps.repl.settings import PANELS
from nasm.apps.repl.shell import Shell
from nasm.base.problems import clean
from nasm.base.source import Source
from nasm.show.columns import cut, in_ascii, squeezed

STOP, STOP_OFF = "o", "-"
"""Marks of a line at which a breakpoint stops, and of one whose breakpoint is off."""

ALIGNED = 5_000
"""Lines of a program whose columns are moved together where they are too wide."""

TALLEST = 200
"""Lines that a panel is made of."""

_LINE = re.compile(r"\bline (\d+)\b|^[^|]*?(\d+) \|")


class Pane:
    """Lines below a title, which says by a sign and in reverse that it has the focus."""

    def __init__(self, name: str, lines: ScrollLines, note: Callable[[], str] = lambda: "") -> None:
        self.name, self.lines, self.note = name, lines, note
        self.focused = has_focus(lines)
        self.title = Window(FormattedTextControl(self._title), height=1)

    def _title(self) -> StyleAndTextTuples:
        info = self.title.render_info
        width = info.window_width if info is not None else 80
        sign = "=" if self.focused() else "-"
        text = f"{sign}{sign} {self.name} {self.note()}".rstrip() + " "
        style = "class:title reverse" if self.focused() else "class:title"
        return [(style, cut(text + sign * (width - len(text)), width))]


class ProgramPane(Pane):
    """The program, with a mark for each stop and engine.

    One line is chosen: Enter or a click there sets a stop, or takes it away.
    """

    def __init__(self, shell: Shell, do: Callable[[str], None]) -> None:
        self.shell, self._do = shell, do
        self._made: tuple[object, list[str]] | None = None
        self.marks: dict[int, str] = {}
        self.stops: dict[int, str] = {}
        super().__init__(
            "source", ScrollLines(self._lines, lambda n: self.toggle(n + 1), around=2), self._note
        )

    @property
    def source(self) -> Source | None:
        """The text that is shown."""
        session = self.shell.loaded
        return session.source if session is not None else None

    def renew(self) -> None:
        """Learn where engines and stops are; the line of the next start is chosen."""
        before, self.marks, self.stops = self.marks, {}, {}
        session, source = self.shell.loaded, self.source
        if session is None or source is None:
            return
        marks = panels.places(session, source)
        self.marks = {line: panels.engine_labels(names) for line, names in marks.items()}
        for one in session.breakpoints:
            if one.asked.what.isdecimal() and not one.asked.how:
                self.stops[int(one.asked.what)] = STOP if one.enabled else STOP_OFF
        if marks and self.marks != before:
            self.lines.at = panels.by_next(marks)[0] - 1

    def _note(self) -> str:
        source = self.source
        return source.shown if source is not None else ""

    def _lines(self, width: int) -> Made:
        source = self.source
        if source is None:
            return scrolling.of([[("", " no text: load FILE")]])
        last = source.position(len(source.text.rstrip()))[0]
        margin = max(map(len, self.marks.values()), default=0)
        room = width - margin - len("o 1234 | ")
        key = source, room
        if self._made is None or self._made[0] != key:
            texts = [source.line(n) for n in range(1, last + 1)] if last <= ALIGNED else []
            self._made = key, squeezed(texts, room)
        texts = self._made[1]

        def line(index: int) -> StyleAndTextTuples:
            number = index + 1
            text = texts[index] if texts else source.line(number).expandtabs(8)
            head = f"{self.stops.get(number, ' ')}{self.marks.get(number, ''):>{margin}}"
            shown = clean(f"{head} {number:>4} | {text}")
            return painting.painted(
                self.shell, ScreenLine(cut(shown, width), "mark" if number in self.marks else "")
            )

        return last, line

    def toggle(self, line: int) -> None:
        """Set a stop at a line, or delete those that are there."""
        session = self.shell.loaded
        if session is None:
            return
        there = [
            str(one.number)
            for one in session.breakpoints
            if one.asked.what == str(line) and not one.asked.how
        ]
        self._do(f"delete {' '.join(there)}" if there else f"break {line}")


class PanelPane(Pane):
    """A panel, which takes no more room than it has lines; a single one is its title's."""

    def __init__(self, shell: Shell, name: str, to_line: Callable[[int], None]) -> None:
        self.shell, self.found = shell, list[str]()
        self._width, self._to_line = 0, to_line
        super().__init__(name, ScrollLines(self._lines, self._chosen))
        self.container = ConditionalContainer(
            HSplit(
                [
                    self.title,
                    ConditionalContainer(self.lines.window, Condition(lambda: len(self.found) > 1)),
                ]
            ),
            Condition(lambda: bool(self.found)),
        )
        self.lines.window.height = lambda: Dimension(
            min=1, preferred=len(self.found), max=len(self.found)
        )

    def renew(self, width: int) -> None:
        """Make it for the moment that it is, and a width."""
        wanted = self.name in self.shell.settings.view and self.shell.loaded is not None
        made = panels.MADE[self.name].make(self.shell, width, TALLEST) if wanted else []
        self.found = [cut(clean(line), width) for line in made]

    def _title(self) -> StyleAndTextTuples:
        if len(self.found) == 1:
            text = f"{self.name}: {self.found[0].strip()}"
            return painting.painted(self.shell, ScreenLine(text))
        return super()._title()

    def _lines(self, width: int) -> Made:
        found = self.found
        return len(found), lambda n: painting.painted(self.shell, ScreenLine(found[n]))

    def _chosen(self, number: int) -> None:
        named = next(_lines_named(self.found[number]), None)
        if named is not None:
            self._to_line(named)


def _lines_named(text: str) -> Iterator[int]:
    """The lines of the program that a text names."""
    for found in _LINE.finditer(text):
        yield int(found[1] or found[2])


class PrintedPane(Pane):
    """What commands have printed, the last of it or the beginning of what is too long."""

    def __init__(self, shell: Shell, printed: PrintedScreen) -> None:
        self.shell, self.printed = shell, printed
        super().__init__("printed", ScrollLines(self._lines, wraps=True), self._note)

    def show(self, first: int) -> None:
        """Show what was printed from a line on: its beginning, if it is more than there is room."""
        count = len(self.printed.lines)
        long = count - first > self.lines.page()
        self.lines.at = first if long else count - 1
        self.lines.window.vertical_scroll = first if long else max(0, count - 1)

    def _note(self) -> str:
        at, count = self.lines.at + 1, len(self.printed.lines)
        return f"from line {at} of {count}: F6 and PgDn show the rest" if at < count else ""

    def _lines(self, width: int) -> Made:
        self.printed.columns = width
        lines = self.printed.lines
        return len(lines), lambda n: self._line(lines[n])

    def _line(self, line: StyleAndTextTuples) -> StyleAndTextTuples:
        if not self.shell.screen.ascii_only:
            return line
        return [(style, in_ascii(text)) for style, text, *_ in line]


def panel_panes(shell: Shell, to_line: Callable[[int], None]) -> list[PanelPane]:
    """A pane for each panel but the program."""
    return [PanelPane(shell, name, to_line) for name in PANELS if name != "source"]
