"""The sessions of docs/repl.md, typed in a terminal: what is printed is what the page shows."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shlex
import struct
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "repl.md").read_text(encoding="utf-8")
PROMPT = "(nasm) "
BLOCK = re.compile(r"<!-- session(: \d+| continues) -->\n```console\n(.*?)```\n", re.DOTALL)
ERRORS = re.compile(r"worst \|error\| .*")  # products of float32 differ between processors
PATIENCE = 60
"""Seconds that a command may take on a machine with other things to do."""

SHELL = """\
import shlex, sys
from nasm.apps.cli import main

for command in sys.argv[1:]:
    main(shlex.split(command)[1:])
"""
"""One process for all sessions: what is imported, is imported once."""


def sessions() -> list[str]:
    """The text of each session, its shell command first."""
    found: list[str] = []
    for how, text in BLOCK.findall(PAGE):
        if how.startswith(":"):
            found.append(text)
        else:
            found[-1] += text
    return found


def printed(text: str) -> list[tuple[str, list[str]]]:
    """What is typed at the prompts of a session, each with the lines that follow it."""
    lines = text.splitlines()
    at = [n for n, line in enumerate(lines) if line.startswith(PROMPT)]
    return [
        (lines[n].removeprefix(PROMPT), [ERRORS.sub("", line) for line in lines[n + 1 : end]])
        for n, end in pairwise([*at, len(lines)])
    ]


class Terminal:
    """A terminal in which somebody types when there is a prompt."""

    def __init__(self, terminal: int) -> None:
        self.terminal, self.said, self.read = terminal, "", 0

    def until_prompt(self) -> list[str]:
        """The lines up to the next prompt, without the one that it stands on."""
        end = time.monotonic() + PATIENCE
        while (at := self.said.find(PROMPT, self.read)) < 0:
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            assert ready, f"no prompt after {self.said[-500:]!r}"
            self.said += os.read(self.terminal, 65536).decode("utf-8", "replace")
        text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.said[self.read : at])
        self.read = at + len(PROMPT)
        lines = text.replace("\r", "").split("\n")
        return [ERRORS.sub("", line.rstrip()) for line in lines[:-1]]

    def type(self, line: str) -> None:
        """Type a line, with Enter."""
        os.write(self.terminal, f"{line}\r".encode())


@contextmanager
def terminal(commands: list[str], home: Path) -> Iterator[Terminal]:
    """A terminal in which some commands are run one after the other, as each is left."""
    ours = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "FORCE_COLOR")}
    ours |= {"TERM": "dumb", "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    ours |= {"PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(ROOT)}
    pid, opened = pty.fork()
    if pid == 0:  # pragma: no cover
        os.chdir(ROOT)
        os.execve(sys.executable, [sys.executable, "-c", SHELL, *commands], ours)
    fcntl.ioctl(opened, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    try:
        yield Terminal(opened)
    finally:
        with suppress(OSError):
            os.close(opened)
        os.waitpid(pid, 0)


def tried(some: list[str], home: Path) -> None:
    """Type some sessions as they are printed."""
    commands = [text.split("\n", 1)[0].removeprefix("$ ") for text in some]
    with terminal(commands, home) as screen:
        for command, text in zip(commands, some, strict=True):
            assert shlex.split(command)[:2] == ["neuron-nasm", "repl"]
            screen.until_prompt()
            for line, following in printed(text):
                screen.type(line)
                said = screen.until_prompt()
                while said and said[0] == line:  # a dumb terminal has it twice
                    said.pop(0)
                assert (command, line, said) == (command, line, following)
            screen.type("quit")


def test_after_commands_of_the_shell_command_there_is_a_prompt_on_the_page() -> None:
    for text in sessions():
        words = shlex.split(text.split("\n", 1)[0])
        assert ("-ex" in words or "-x" in words) == ("--stay" in words), words


@pytest.mark.thorough
def test_every_session_of_the_page_can_be_typed_as_it_is_printed(tmp_path: Path) -> None:
    found = sessions()
    assert len(found) >= 15
    tried(found, tmp_path)
