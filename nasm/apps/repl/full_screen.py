"""The whole screen: panes that take the focus and scroll, and a line for commands below them.

It is drawn by an application that ends with each command, as the prompt does, so that signals and
what a command raises are as they are there; the terminal stays at its other screen meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from prompt_toolkit.application import Application
from prompt_toolkit.application.current import get_app_session
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completer
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import (
    KeyBindings,
    KeyBindingsBase,
    KeyPressEvent,
    merge_key_bindings,
)
from prompt_toolkit.layout import Layout
from prompt_toolkit.layout.containers import (
    AnyContainer,
    DynamicContainer,
    Float,
    FloatContainer,
    HSplit,
    VSplit,
    Window,
)
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.layout.processors import AppendAutoSuggestion, BeforeInput
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.renderer import Renderer
from prompt_toolkit.styles import default_ui_style, merge_styles

from nasm.apps.repl import painting
from nasm.apps.repl.input import PROMPT
from nasm.apps.repl.panel_window import choices
from nasm.apps.repl.panes import Pane, PrintedPane, ProgramPane, panel_panes
from nasm.apps.repl.printed import PrintedScreen
from nasm.apps.repl.settings import PANELS
from nasm.apps.repl.shell import Shell
from nasm.show.columns import cut, in_ascii

WIDE = 110
"""Columns from which the panels are next to the program."""

KEYS = {
    "F1": ("help", "help view"),
    "F2": ("panels", ""),
    "F5": ("continue", "continue"),
    "F6": ("next pane", ""),
    "F7": ("back", "back"),
    "F8": ("step", "step"),
    "F9": ("stop here", ""),
    "F10": ("prompt", ""),
}
"""The keys, each with what it does, and the command that it types, if it is one."""


def _key_texts() -> Iterator[str]:
    """The keys in a line, each shorter than the one before."""
    short = {key: what.split()[0] for key, (what, _) in KEYS.items()}
    yield "  ".join(f"{key} {what}" for key, (what, _) in KEYS.items())
    yield " ".join(f"{key} {what}" for key, what in short.items())
    yield " ".join(f"{key[1:]}{what}" for key, what in short.items())
    yield " ".join(f"{key[1:]}{what[:3]}" for key, what in short.items())


class _HeldRenderer(Renderer):
    """Stays at the other screen of the terminal until it is ``released``."""

    released = False

    def reset(self, _scroll: bool = False, leave_alternate_screen: bool = True) -> None:
        """As for every renderer."""
        super().reset(_scroll, leave_alternate_screen and self.released)


class FullScreen:
    """Everything on the screen, and the line that was typed last."""

    def __init__(
        self,
        shell: Shell,
        *,
        completer: Completer,
        lexer: Lexer,
        history: History,
        unfinished: Condition,
        pasting: KeyBindingsBase,
        bar: Callable[[int], str],
        input: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self.shell, self._bar, self.choosing = shell, bar, False
        self.output = output or get_app_session().output
        self.printed = PrintedScreen(shell.screen, self._passing)
        self.program = ProgramPane(shell, self._type)
        self.panels = panel_panes(shell, self._to_line)
        self.out = PrintedPane(shell, self.printed)
        self.line = Buffer(
            history=history,
            completer=completer,
            complete_while_typing=Condition(lambda: bool(self.line.text)),
            auto_suggest=AutoSuggestFromHistory(),
            multiline=unfinished,
            accept_handler=self._accept,
        )
        typed = BufferControl(
            self.line, lexer=lexer, input_processors=[BeforeInput(PROMPT), AppendAutoSuggestion()]
        )
        self.typed = Window(typed, height=Dimension(min=1, max=5), dont_extend_height=True)
        keys = merge_key_bindings([self._keys(), pasting])
        body = HSplit(
            [
                DynamicContainer(self._panes),
                self.typed,
                Window(FormattedTextControl(self._bar_line), height=1),
                Window(FormattedTextControl(self._key_line), height=1),
            ]
        )
        menu = Float(CompletionsMenu(max_height=8, scroll_offset=1), xcursor=True, ycursor=True)
        style = merge_styles([default_ui_style(), painting.STYLE])
        self.app: Application[str | None] = Application(
            Layout(FloatContainer(body, [menu]), self.typed),
            style=style,
            include_default_pygments_style=False,
            key_bindings=keys,
            full_screen=True,
            mouse_support=True,
            color_depth=None if shell.screen.coloured else ColorDepth.MONOCHROME,
            before_render=lambda _: self._fit(),
            input=input,
            output=self.output,
        )
        self.renderer = _HeldRenderer(
            style, self.output, full_screen=True, mouse_support=self.app.mouse_support
        )
        self.app.renderer = self.renderer
        self._width, self._at = 0, ""

    # -- from one command to the next

    def renew(self) -> None:
        """A command was done: what it printed, and the machine as it is now."""
        first = self.printed.taken()
        self.line.complete_state = None
        self.program.renew()
        self._width = 0
        if first < len(self.printed.lines):
            self.out.show(first)

    def leave(self) -> None:
        """Give the terminal back as it was."""
        self.renderer.released = True
        self.renderer.reset()
        self.output.flush()

    def _accept(self, buffer: Buffer) -> bool:
        self.app.exit(result=buffer.text)
        return False

    def _type(self, text: str) -> None:
        """Do a command as if it had been typed."""
        if not self.app.is_done:
            self.app.exit(result=text)

    def _passing(self, text: str) -> None:
        """Show how far a run has got, in the line of the bar: nothing else is drawn meanwhile."""
        size, output = self.output.get_size(), self.output
        output.cursor_goto(size.rows - 1, 1)
        output.erase_end_of_line()
        output.write(cut(f" {text}", size.columns - 1))
        output.flush()

    # -- what is drawn

    @property
    def _wide(self) -> bool:
        return self.output.get_size().columns >= WIDE

    def _fit(self) -> None:
        """Make the panels for the width that they have."""
        columns = self.output.get_size().columns
        width = (columns - 1) // 2 if columns >= WIDE else columns
        key = f"{width} {self.shell.settings.view}"
        if self._width == width and self._at == key:
            return
        self._width, self._at = width, key
        for pane in self.panels:
            try:
                pane.renew(width - 1)
            except Exception as error:
                pane.found = []
                self.shell.deferred.append(error)

    def _panes(self) -> AnyContainer:
        most = self.output.get_size().rows
        source = HSplit([self.program.title, self.program.lines.window])
        out = HSplit([self.out.title, self.out.lines.window])
        beside: Sequence[AnyContainer] = [pane.container for pane in self.panels]
        if self._wide:
            source.height = Dimension(min=3, preferred=most * 3 // 5, weight=3)
            out.height = Dimension(min=3, preferred=most * 2 // 5, weight=2)
            rest = Window()
            return VSplit(
                [HSplit([source, out]), Window(width=1, char="|"), HSplit([*beside, rest])]
            )
        source.height = Dimension(min=3, preferred=most // 3, weight=2)
        out.height = Dimension(min=3, preferred=most // 4)
        return HSplit([source, *beside, out])

    def _bar_line(self) -> StyleAndTextTuples:
        width = self.output.get_size().columns
        text = self._bar(width)
        text = in_ascii(text) if self.shell.screen.ascii_only else text
        return [("reverse", f"{cut(text, width):<{width}}")]

    def _key_line(self) -> StyleAndTextTuples:
        width = self.output.get_size().columns
        if self.choosing:
            return [("class:title", choices(self.shell.settings.view, width))]
        return [("", cut(next((t for t in _key_texts() if len(t) <= width), ""), width))]

    def _to_line(self, number: int) -> None:
        """Choose a line of the program, and take the focus there."""
        self.program.lines.at = number - 1
        self.app.layout.focus(self.program.lines.window)

    # -- keys

    def _focusable(self) -> list[Window]:
        panes: list[Pane] = [self.program]
        panes += [pane for pane in self.panels if len(pane.found) > 1]
        return [self.typed, *(pane.lines.window for pane in panes), self.out.lines.window]

    def _turn(self, by: int) -> None:
        """Take the focus to the next pane, or the one before."""
        found, now = self._focusable(), self.app.layout.current_window
        at = found.index(now) if now in found else 0
        self.app.layout.focus(found[(at + by) % len(found)])

    def _keys(self) -> KeyBindings:
        found = KeyBindings()
        choosing = Condition(lambda: self.choosing)
        typing = has_focus(self.line)
        for key, (_what, text) in KEYS.items():
            if text:
                found.add(key.lower())(self._typing(text))

        @found.add("f2")
        def _(event: KeyPressEvent) -> None:
            self.choosing = not self.choosing

        @found.add("f6")
        def _(event: KeyPressEvent) -> None:
            self._turn(1)

        @found.add("s-tab")
        def _(event: KeyPressEvent) -> None:
            self._turn(-1)

        @found.add("tab", filter=~typing)
        def _(event: KeyPressEvent) -> None:
            self._turn(1)

        @found.add("f9")
        def _(event: KeyPressEvent) -> None:
            self.program.toggle(self.program.lines.at + 1)

        @found.add("f10")
        def _(event: KeyPressEvent) -> None:
            event.app.exit(result=None)

        @found.add("escape", filter=~typing)
        def _(event: KeyPressEvent) -> None:
            event.app.layout.focus(self.typed)

        @found.add("c-d", filter=Condition(lambda: not self.line.text))
        def _(event: KeyPressEvent) -> None:
            event.app.exit(exception=EOFError)

        @found.add("c-c")
        def _(event: KeyPressEvent) -> None:
            self.line.reset()
            event.app.layout.focus(self.typed)

        @found.add("enter", filter=choosing, eager=True)
        def _(event: KeyPressEvent) -> None:
            self.choosing = False

        @found.add("<any>", filter=~typing & ~choosing)
        def _(event: KeyPressEvent) -> None:
            if event.data.isprintable():
                event.app.layout.focus(self.typed)
                self.line.insert_text(event.data)

        for n, name in enumerate(PANELS, 1):
            found.add(str(n), filter=choosing, eager=True)(self._switching(name))
        return found

    def _typing(self, text: str) -> Callable[[KeyPressEvent], None]:
        return lambda event: event.app.exit(result=text)

    def _switching(self, name: str) -> Callable[[KeyPressEvent], None]:
        def switch(event: KeyPressEvent) -> None:
            chosen = {*self.shell.settings.view} ^ {name}
            self.shell.settings.view = tuple(one for one in PANELS if one in chosen)

        return switch
