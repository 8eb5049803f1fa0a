"""Every record of the debugger: its ``repr`` is a line, and shows no text of a program."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import nasm
import nasm.debugger
from nasm.debugger.session import Session

TEXT = """
.target trn1
.hbm X f32[128, 8] input = iota
.hbm Y f32[128, 8] output
.sbuf t f32[128, 8]
.psum acc f32[128, 8]
.sbuf w f32[128, 128] = zeros
.sem loaded
.sem done
.const MUCH = 1
@sync DmaCopy t, X          $loaded += 16
.for k in 0..2
@tensor LoadStationary w    $loaded >= 16
@tensor MultiplyMoving acc, t
.end
@vector TensorCopy t, acc
@tensor Nop                 $done += 1
@sync DmaCopy Y, t          $done >= 1
"""

LONGEST = 400
"""Characters of a line that is a repr."""


def classes() -> Iterator[type]:
    """The public frozen dataclasses of the debugger."""
    for found in pkgutil.iter_modules(nasm.debugger.__path__):
        module = importlib.import_module(f"nasm.debugger.{found.name}")
        for name, kind in vars(module).items():
            public = dataclasses.is_dataclass(kind) and not name.startswith("_")
            if public and kind.__module__ == module.__name__ and _frozen(kind):
                yield kind


def _frozen(kind: Any) -> bool:
    return bool(kind.__dataclass_params__.frozen)


INSIDE = {
    "TensorElements", "MovedShares", "Needed", "PartPlace", "Question", "RegisterOrigin", "Reading",
    "Spec", "StackedViews", "Origin", "RunPosition", "Write", "WriteResults", "Probe",
    "Divert", "SetBytes", "SetElements", "SetRegister", "SetSemaphore", "Type",
}  # fmt: skip
"""Records that stay within the debugger: no method of a session returns them by themselves."""


def met(session: Session, folder: Path) -> Iterator[Any]:
    """What a session returns when everything is asked of it."""
    yield session
    yield session.break_at("MultiplyMoving", condition="k == 1", name="mm")
    yield session.watch("acc[0, 0]")
    session.run()
    yield session.hits
    yield from (
        session.context(),
        session.counters(),
        session.memory.maps(),
        session.memory.banks(),
    )
    yield from (
        session.memory.partition(3),
        session.engines.held(),
        session.who("acc"),
        session.moment,
    )
    yield from (session.blocked("sync"), session.blocked("tensor"), session.mark("here"))
    yield session.breakpoints
    for one in list(session.breakpoints):
        session.breakpoints.delete(one.number)
    session.goto(500)
    yield from (session.transfers(), session.context(), session.counters("loaded"))
    yield session.expressions.write("X", folder / "x.npy")
    yield session.step("tensor", 2)
    session.goto("start")
    while not any(one.pending for one in session.counters()):
        assert session.event()
    yield session.counters()
    yield session.event()
    value = session.evaluate("X")
    yield from (
        value,
        session.expressions.statistics(value),
        session.expressions.histogram(value),
        session.expressions.first(value, 2),
    )
    yield from (
        session.expressions.picture(value),
        session.expressions.difference("X", "X + 1"),
        session.expressions.difference("X", "X"),
    )
    session.run()
    yield from (session.history("loaded"), session.why("Y[3, 2]"), session.last_write("Y"))
    since = session.memory.since()
    yield session.set("t[0:2, :]", "3")
    yield session.set("$done", 3)
    yield from (session.memory.changes(since), session.changes.made, session.report())
    session.goto("start")
    yield from (session.skip("@vector"), session.declare(".sbuf u f32[128, 4]"))
    yield session.execute("@vector Memset u, 1.0")
    yield from (session.checkpoint(), session.moments(), session.queues(), session.semaphores())
    yield from (
        session.channels(),
        session.banks(),
        session.expressions.parsed("X + 1"),
        session.engines.strip(),
    )


def records(thing: Any, seen: dict[int, Any]) -> None:
    """All records that can be reached from a thing."""
    if id(thing) in seen or isinstance(thing, str | int | float | None | type):
        return
    seen[id(thing)] = thing
    if isinstance(thing, list | tuple):
        for one in thing:
            records(one, seen)
    elif dataclasses.is_dataclass(thing) and type(thing).__module__.startswith("nasm.debugger."):
        for field in dataclasses.fields(thing):
            records(getattr(thing, field.name), seen)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Any]:
    seen: dict[int, Any] = {}
    for thing in met(nasm.Session(TEXT), tmp_path_factory.mktemp("written")):
        records(thing, seen)
    return seen


def test_a_repr_is_a_line_without_the_text_of_the_program(everything: dict[int, Any]) -> None:
    for thing in everything.values():
        if type(thing).__module__ in ("builtins", "numpy"):
            continue
        said = repr(thing)
        assert "\n" not in said, said
        assert "MUCH = 1" not in said
        if type(thing).__module__.startswith("nasm.debugger."):
            assert len(said) <= LONGEST, said


def test_every_kind_of_record_is_looked_at(everything: dict[int, Any]) -> None:
    looked_at = {type(thing).__name__ for thing in everything.values()}
    assert {kind.__name__ for kind in classes()} - INSIDE - looked_at == set()
