"""The debugger in a real terminal, of tmux: the matmul whose engines wait for nothing.

What is typed are keys, what is looked at is the screen.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WAITED = 40
"""Seconds after which a screen that does not come is taken as one that never will."""

pytestmark = [
    pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux"),
    pytest.mark.turns(4),
]


class Tmux:
    """A terminal with the debugger in it."""

    def __init__(self, folder: Path, columns: int, lines: int, command: str) -> None:
        self.start = ("tmux", "-S", str(folder / "socket"), "-f", os.devnull)
        settings = {
            "PYTHONPATH": ROOT,
            "XDG_DATA_HOME": folder,
            "XDG_CONFIG_HOME": folder,
            "LC_ALL": "C.UTF-8",
            "PYTHONIOENCODING": "utf-8",
        }
        given = " ".join(f"{name}={shlex.quote(str(value))}" for name, value in settings.items())
        size = ("-x", str(columns), "-y", str(lines))
        # The shell reads a line when the debugger has ended, so that the screen stays.
        line = f"env -u COLUMNS -u NO_COLOR {given} {command}; echo ended with $?; read line"
        self("new-session", "-d", *size, "-c", str(folder), line)

    def __call__(self, *words: str) -> str:
        """Do a command of tmux."""
        done = subprocess.run(
            [*self.start, *words], check=True, capture_output=True, encoding="utf-8", timeout=WAITED
        )
        return done.stdout

    def types(self, line: str) -> None:
        """Type a line."""
        self("send-keys", "-l", "--", line)
        self("send-keys", "Enter")

    def shows(self, *said: str) -> list[str]:
        """Wait until all of that is on the screen, or was; returns all lines."""
        end = time.monotonic() + WAITED
        while True:
            screen = self("capture-pane", "-p", "-S", "-")
            if all(one in screen for one in said):
                return screen.splitlines()
            assert time.monotonic() < end, f"no {said} in\n{screen}"
            time.sleep(0.05)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    text = (ROOT / "programs" / "matmul.nasm").read_text(encoding="utf-8")
    for wait in ("$loaded >= 32", "$multiplied >= 1"):
        assert text.count(wait) == 1
        text = text.replace(wait, "")
    path = tmp_path / "unordered.nasm"
    path.write_text(text, encoding="utf-8")
    return path


def started(folder: Path, columns: int, lines: int, *options: str) -> Tmux:
    words = [sys.executable, "-m", "nasm", "repl", "unordered.nasm", *options]
    return Tmux(folder, columns, lines, shlex.join(words))


@pytest.fixture
def terminals() -> Iterator[list[Tmux]]:
    """Terminals to close at the end."""
    opened: list[Tmux] = []
    yield opened
    for one in opened:
        subprocess.run([*one.start, "kill-server"], check=False, capture_output=True)


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (60, 24), (120, 40)])
def test_the_matmul_without_waits_is_found_out(
    program: Path, terminals: list[Tmux], columns: int, lines: int
) -> None:
    tmux = started(program.parent, columns, lines)
    terminals.append(tmux)
    tmux.shows("(nasm)", "not started")
    tmux.types("run")
    # LoadStationary starts at cycle 0, and nothing has been loaded then
    screen = tmux.shows("stopped at 0.000 µs, cycle 0", "waits for the stationary tile")
    assert max(map(len, screen)) <= columns
    tmux.types("set stop-on hazard off")
    tmux.types("continue")
    screen = tmux.shows("finished at", "worst at", "E0502")
    assert max(map(len, screen)) <= columns
    tmux.types("why C[0, 0]")
    tmux.shows("C[0, 0] = nan", "by TensorCopy", "from acc[0, 0]", "not yet written")
    tmux.types("back write c[0, 0]")
    screen = tmux.shows("about to happen: c[0, 0]", "done: tensor")
    assert max(map(len, screen)) <= columns
    tmux("send-keys", "C-d")
    tmux.shows("ended with 0")


def test_pasted_lines_are_as_many_commands(program: Path, terminals: list[Tmux]) -> None:
    tmux = started(program.parent, 80, 24)
    terminals.append(tmux)
    tmux.shows("(nasm)", "not started")
    tmux("set-buffer", "set stop-on hazard off\nset context off\nprint 3 + 4\nprint 5 * 5")
    tmux("paste-buffer", "-p")
    tmux("send-keys", "Enter")
    tmux.shows("(nasm) set context off", "(nasm) print 3 + 4", "3 + 4 = 7", "5 * 5 = 25")


def test_a_dumb_terminal_gets_plain_lines_and_a_prompt_with_the_time(
    program: Path, terminals: list[Tmux]
) -> None:
    words = shlex.join([sys.executable, "-m", "nasm", "repl", "unordered.nasm"])
    tmux = Tmux(program.parent, 80, 24, f"TERM=dumb {words}")
    terminals.append(tmux)
    tmux.shows("0.000 µs, cycle 0 not started (nasm)")
    tmux.types("set stop-on hazard off")
    tmux.types("set context off")
    tmux.types("run 100")
    tmux.shows("stopped at 0.071 µs, cycle 100", "0.071 µs, cycle 100")


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (200, 60)])
def test_the_whole_screen_takes_clicks_and_another_size_and_leaves_the_terminal_as_it_was(
    program: Path, terminals: list[Tmux], columns: int, lines: int
) -> None:
    tmux = started(program.parent, columns, lines)
    terminals.append(tmux)
    tmux.shows("(nasm)", "not started")
    tmux.types("view full")
    screen = tmux.shows("F8 step", "-- source", "-- queues")
    row = next(n for n, line in enumerate(screen, 1) if re.search(r"\d \| @\w+ ", line))
    wanted = re.search(r"(\d+) \|", screen[row - 1])
    assert wanted is not None
    for end in "Mm":
        tmux("send-keys", "-l", "--", f"\x1b[<0;20;{row}{end}")
    tmux.shows(f"breakpoint 1: before line {wanted[1]}")
    tmux("resize-window", "-x", "120", "-y", "40")
    screen = tmux.shows("9 stop here")
    assert len(screen) == 40
    assert any("|-- queues" in line for line in screen)
    tmux("send-keys", "F10")
    tmux.shows("(nasm) view full")
    flags = tmux("display-message", "-p", "#{alternate_on} #{mouse_any_flag}")
    assert flags.split() == ["0", "0"]
    tmux("send-keys", "C-d")
    screen = tmux.shows("ended with 0")
    assert not any("-- source" in line for line in screen)
