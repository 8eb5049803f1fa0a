"""A REPL on the toy target of tests/toy, whose figures can be worked out by hand."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import NamedTuple

import pytest

from nasm.apps.repl import help_commands  # noqa: F401  (declares the commands)
from nasm.apps.repl.screen import ReplScreen
from nasm.apps.repl.shell import Shell
from nasm.base.source import Source
from nasm.debugger.session import Session
from tests.toy.target import TARGETS

COUNTDOWN = """\
.target toy
.ram   X  f32[4, 2]  input = iota
.ram   Y  f32[4, 2]  output = zeros
.bank  x  f32[4, 2]
.bank  y  f32[4, 2]
.sem   loaded, done
@beta   Move   x, X                 $loaded += 2
@beta   Wait            $loaded >= 2
@alpha
        Set    %r0, 2
again:  Count  %r0
        Loop   %r0, target=again
        Wait                        $done++
@beta   Add    y, x, x  $done >= 1
.expect  y == 2 * X
"""
"""A cycle of alpha is 3 ticks, of beta 5; there are 1,500 ticks in a µs.

Set and Count take 2 cycles until their result is there and one to issue; Loop and Wait take one.
"""


class Tried(NamedTuple):
    """A shell and what it prints."""

    shell: Shell
    out: io.StringIO

    def does(self, *lines: str) -> str:
        """What the shell prints for some lines."""
        for line in lines:
            self.out.seek(0)
            self.out.truncate()
            self.shell.execute(line)
        return self.out.getvalue()


@pytest.fixture
def bare() -> Tried:
    out = io.StringIO()
    shell = Shell(ReplScreen(out))
    shell.adopt(None)
    return Tried(shell, out)


Loader = Callable[[str], Tried]


@pytest.fixture
def load(bare: Tried) -> Loader:
    def loaded(text: str) -> Tried:
        bare.shell.path = "toy.nasm"
        bare.shell.adopt(Session.load(Source("toy.nasm", text), targets=TARGETS))
        return bare

    return loaded


@pytest.fixture
def toy(load: Loader) -> Tried:
    return load(COUNTDOWN)
