"""A target without memories, semaphores, channels and registers runs, and its views work."""

from __future__ import annotations

import io

import pytest

from nasm.apps.repl.screen import ReplScreen
from nasm.apps.repl.shell import Shell
from nasm.base.source import Source
from nasm.debugger.session import Session
from tests.toy.bare import TARGETS

TEXT = ".target bare\n@only\nTick\nTick\nTick\n"


def load() -> Session:
    return Session.load(Source("bare.nasm", TEXT), targets=TARGETS, profile=True)


def test_it_runs_a_tick_for_each_instruction() -> None:
    held = load()
    report = held.run()
    assert (report.ticks, report.problems) == (3, ())
    (engine,) = held.profile().engines
    assert engine.busy == 3


@pytest.mark.parametrize(
    "line", ["where", "view", "info queues", "info semaphores", "info memory", "time", "list"]
)
def test_every_view_has_something_to_say(line: str) -> None:
    out = io.StringIO()
    shell = Shell(ReplScreen(out))
    shell.path = "bare.nasm"
    shell.adopt(load())
    shell.execute("step")
    shell.execute(line)
    assert "defect" not in out.getvalue()
    assert out.getvalue().strip()
