"""The panels above the prompt, as prompt_toolkit draws them, and the key that chooses them."""

from __future__ import annotations

from collections.abc import Callable, Collection

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from nasm.apps.repl import painting, panels
from nasm.apps.repl.settings import PANELS, USUAL
from nasm.apps.repl.shell import Shell
from nasm.show.columns import cut

OTHERS = 2
"""Lines of the prompt and of the bar."""

MENU = 6
"""Lines kept free for the menu of completions where there are no panels."""

LEAST = 3
"""Lines below which no panel is drawn, and that are left above them for what commands print."""


def choices(kept: Collection[str], width: int) -> str:
    """The panels with the digits that switch them, and which are there."""
    each = [f"{n}{'+' if name in kept else '-'}{name}" for n, name in enumerate(PANELS, 1)]
    text = f"{' '.join(each)}  Enter: done"
    if len(text) > width:
        text = " ".join(f"{word[: 2 + max(3, width // len(each) - 4)]}" for word in each)
    return cut(text, width)


class Above:
    """What is above the prompt: made once for each prompt, and again for another size.

    While ``choosing``, digits switch panels.
    """

    def __init__(self, shell: Shell) -> None:
        self.shell = shell
        self.choosing = False
        self._made: tuple[object, StyleAndTextTuples] | None = None
        self._session: PromptSession[str] | None = None

    def renew(self, session: PromptSession[str]) -> None:
        """A prompt is about to be shown, and the machine may have moved since the last one."""
        self._made, self._session = None, session
        self.choosing = False
        self._fit()

    def _fit(self) -> None:
        """Panels go when a line is entered, so that they are above the next prompt alone.

        The menu of completions lies over them, else below the prompt.
        """
        assert self._session is not None
        drawn = bool(self.shell.kept) or self.choosing
        self._session.app.erase_when_done = drawn
        self._session.reserve_space_for_menu = 0 if drawn else MENU

    def __call__(self) -> StyleAndTextTuples:
        """The panels for the size of the terminal now, each line with its end."""
        size, shell = get_app().output.get_size(), self.shell
        width = min(shell.screen.width, size.columns)
        key = width, size.rows, shell.kept, self.choosing
        if self._made is None or self._made[0] != key:
            self._made = key, self._make(width, size.rows)
        return self._made[1]

    def _make(self, width: int, rows: int) -> StyleAndTextTuples:
        shell = self.shell
        height = rows - OTHERS - max(LEAST, rows // 4)
        found: StyleAndTextTuples = []
        if self.choosing:
            found.append(("class:title", choices(shell.kept, width) + "\n"))
            height -= 1
        if shell.kept and height >= LEAST:
            try:
                lines = panels.shown(shell, shell.kept, width, height)
            except Exception as error:
                shell.deferred.append(error)
                lines = []
            for line in lines:
                found += [*painting.painted(shell, line), ("", "\n")]
        return found

    # -- keys

    def keys(self) -> KeyBindings:
        """F2 begins and ends choosing; a digit switches a panel meanwhile."""
        found = KeyBindings()
        drawn = Condition(lambda: self.shell.drawn and self.shell.loaded is not None)
        choosing = Condition(lambda: self.choosing)

        @found.add("f2", filter=drawn)
        def _(event: KeyPressEvent) -> None:
            self.choosing = not self.choosing
            if self.choosing and not self.shell.settings.view:
                self.shell.settings.view = USUAL
            self._fit()

        @found.add("enter", filter=choosing, eager=True)
        def _(event: KeyPressEvent) -> None:
            self.choosing = False
            self._fit()

        for n, name in enumerate(PANELS, 1):
            found.add(str(n), filter=choosing, eager=True)(self._switching(name))
        return found

    def _switching(self, name: str) -> Callable[[KeyPressEvent], None]:
        def switch(event: KeyPressEvent) -> None:
            chosen = {*self.shell.settings.view} ^ {name}
            self.shell.settings.view = tuple(one for one in PANELS if one in chosen)

        return switch
