"""Lines of which one is chosen, which keys and the mouse move: what takes the focus on a screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prompt_toolkit.application import get_app
from prompt_toolkit.data_structures import Point
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout.containers import ScrollOffsets, Window
from prompt_toolkit.layout.controls import GetLinePrefixCallable, UIContent, UIControl
from prompt_toolkit.layout.margins import ConditionalMargin, ScrollbarMargin
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType

Line = Callable[[int], StyleAndTextTuples]
"""Makes a line by its number."""

Made = tuple[int, Line]
"""How many lines there are, and what makes each."""

PAGE = 10
"""Lines of a page where the height of a window is not known yet."""


def nothing(number: int) -> None:
    """What choosing a line does where it does nothing."""


class ScrollLines(UIControl):
    """Lines for a width. ``at`` is the chosen one, with as many ``around`` it as there is room for.

    ``chosen`` is called with it for a click or Enter.
    """

    def __init__(
        self,
        make: Callable[[int], Made],
        chosen: Callable[[int], None] = nothing,
        wraps: bool = False,
        around: int = 0,
        marked: bool = True,
    ) -> None:
        self._make, self._chosen = make, chosen
        self.at = self.count = 0
        self.window = Window(
            self,
            cursorline=has_focus(self) if marked else False,
            right_margins=[
                ConditionalMargin(ScrollbarMargin(display_arrows=True), Condition(self._scrolls))
            ],
            scroll_offsets=ScrollOffsets(around, around),
            wrap_lines=wraps,
        )

    def _scrolls(self) -> bool:
        """Whether there are more lines than the window had room for."""
        info = self.window.render_info
        return info is not None and info.content_height > info.window_height

    # -- what prompt_toolkit asks

    def create_content(self, width: int, height: int) -> UIContent:
        """The lines."""
        self.count, line = self._make(width)
        self.at = max(0, min(self.at, self.count - 1))
        shown = line if self.count else lambda number: []
        return UIContent(shown, max(1, self.count), Point(0, self.at), show_cursor=False)

    def preferred_height(
        self,
        width: int,
        max_available_height: int,
        wrap_lines: bool,
        get_line_prefix: GetLinePrefixCallable | None,
    ) -> int:
        """All that there is: an application that is done extends nothing, and is still seen."""
        return max_available_height

    def is_focusable(self) -> bool:
        """It takes the focus."""
        return True

    def move_cursor_down(self) -> None:
        """The next line."""
        self.move(1)

    def move_cursor_up(self) -> None:
        """The line before."""
        self.move(-1)

    def mouse_handler(self, mouse_event: MouseEvent) -> object:
        """A click chooses a line; a wheel scrolls."""
        if mouse_event.event_type is not MouseEventType.MOUSE_UP:
            return NotImplemented if mouse_event.event_type in _SCROLLS else None
        get_app().layout.focus(self.window)
        if mouse_event.position.y < self.count:
            self.at = mouse_event.position.y
            self._chosen(self.at)
        return None

    # -- keys

    def scroll(self, lines: int) -> None:
        """Show lines below what is visible, or above it."""
        info = self.window.render_info
        if info is not None:
            edge = info.last_visible_line() if lines > 0 else info.first_visible_line()
            self.at = max(0, min(edge + lines, self.count - 1))

    def turn(self, pages: int) -> None:
        """The next page, or the one before."""
        self.scroll(pages * self.page())

    def move(self, lines: int) -> None:
        """Choose another line."""
        self.at = max(0, min(self.at + lines, self.count - 1))

    def page(self) -> int:
        """Lines of a page: those of the window but one."""
        info = self.window.render_info
        return max(1, info.window_height - 1) if info is not None else PAGE

    def get_key_bindings(self) -> KeyBindings:
        """Arrows, pages, both ends, and Enter."""
        found = KeyBindings()

        @found.add("down")
        def _(event: KeyPressEvent) -> None:
            self.move(1)

        @found.add("up")
        def _(event: KeyPressEvent) -> None:
            self.move(-1)

        @found.add("pagedown")
        def _(event: KeyPressEvent) -> None:
            self.move(self.page())

        @found.add("pageup")
        def _(event: KeyPressEvent) -> None:
            self.move(-self.page())

        @found.add("home")
        def _(event: KeyPressEvent) -> None:
            self.at = 0

        @found.add("end")
        def _(event: KeyPressEvent) -> None:
            self.at = max(0, self.count - 1)

        @found.add("enter")
        def _(event: KeyPressEvent) -> None:
            if self.count:
                self._chosen(self.at)

        return found


_SCROLLS = (MouseEventType.SCROLL_UP, MouseEventType.SCROLL_DOWN)


def of(lines: Sequence[StyleAndTextTuples]) -> Made:
    """Lines that are made already."""
    return len(lines), lambda number: lines[number]
